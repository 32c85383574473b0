import Files
import Records
import SQLiteStores
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// Rows of a synthetic store, cell by cell.
struct `Rows of a store` {
  private let folder: SampleFolder
  private let store: CoreDataStore

  init() throws {
    folder = try SampleFolder()
    store = try SampleStore.open(SampleStore.build(in: folder), in: folder)
  }

  private func rows(
    of entity: EntityName,
    _ fields: [FieldRequest],
    after: Int64? = nil
  ) throws -> [String] {
    let cursor = try store.rows(RowRequest(entity: entity, fields: fields, after: after))
    var lines: [String] = []
    while try cursor.next() {
      let cells = cursor.row.cells.map { described($0) }
      lines.append("\(cursor.row.place): " + cells.joined(separator: " | "))
    }
    return lines
  }

  @Test func `an entity gives its own rows, also those with negative keys`() throws {
    #expect(
      try rows(of: "Cat", [.attribute(path: ["name"]), .attribute(path: ["lives"]), .objectURI])
        == [
          "-1: Ada | 9 | x-coredata://\(SampleStore.uuid)/Cat/p-1",
          "3: Cy | 7 | x-coredata://\(SampleStore.uuid)/Cat/p3",
        ]
    )
    #expect(try rows(of: "Animal", [.objectURI]).isEmpty)
    #expect(try store.rowCount(of: "Cat") == 2)
    #expect(try store.rowCount(of: "Dog") == 2)
    #expect(try store.rowCount(of: "Animal") == 0)
  }

  @Test func `colliding names find the right column`() throws {
    #expect(
      try rows(of: "Cat", [.attribute(path: ["title"])]) == ["-1: Queen", "3: Tom"]
    )
    #expect(
      try rows(of: "Dog", [.attribute(path: ["title"])]) == ["2: Sir", "4: null"]
    )
    #expect(
      try rows(
        of: "Person",
        [
          .attribute(path: ["home", "id"]), .attribute(path: ["id"]),
          .attribute(path: ["home", "city"]),
        ]
      )[0]
        == "1: <aa 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0> | <0 1 2 3 4 5 6 7 8 9 a b c d e f> | Ulm"
    )
  }

  @Test func `reading resumes after a place`() throws {
    #expect(
      try rows(
        of: "Person",
        [.objectURI, .references(relationship: "notes", identity: .attribute("label"))],
        after: 1
      )
        == [
          "2: x-coredata://\(SampleStore.uuid)/Person/p2 | [x, z]",
          "3: x-coredata://\(SampleStore.uuid)/Person/p3 | []",
        ]
    )
    #expect(try rows(of: "Person", [.objectURI], after: 3).isEmpty)
  }

  @Test func `a to-one reference gives the identity of its target`() throws {
    let identity = IdentityRule.attribute("id")
    #expect(
      try rows(
        of: "Person",
        [
          .reference(relationship: "favorite", identity: identity),
          .reference(relationship: "favorite", identity: .objectURI),
        ]
      ) == [
        "1: 00000000-0000-0000-0000-000000000002 | x-coredata://\(SampleStore.uuid)/Dog/p2",
        // The target has no identity: its address is in.
        "2: x-coredata://\(SampleStore.uuid)/Cat/p3 | x-coredata://\(SampleStore.uuid)/Cat/p3",
        // The target is not there.
        "3: dangling x-coredata://\(SampleStore.uuid)/Animal/p77 | "
          + "dangling x-coredata://\(SampleStore.uuid)/Animal/p77",
      ]
    )
    #expect(
      try rows(of: "Dog", [.reference(relationship: "owner", identity: identity)]) == [
        "2: 00010203-0405-0607-0809-0A0B0C0D0E0F",
        "4: dangling x-coredata://\(SampleStore.uuid)/Person/p99",
      ]
    )
  }

  @Test func `to-many references come in their order`() throws {
    #expect(
      try rows(
        of: "Person",
        [.references(relationship: "pets", identity: .attribute("name"))]
      )
        == ["1: [Bo, Ada, Cy]", "2: []", "3: []"]
    )
    #expect(
      try rows(
        of: "Person",
        [.references(relationship: "tags", identity: .attribute("label"))]
      )
        == ["1: [y, z, x]", "2: [y, z]", "3: []"]
    )
    #expect(
      try rows(
        of: "Tag",
        [.references(relationship: "people", identity: .objectURI)]
      )[1]
        == "2: [x-coredata://\(SampleStore.uuid)/Person/p1, "
        + "x-coredata://\(SampleStore.uuid)/Person/p2]"
    )
  }

  @Test func `a relationship without inverse and one with itself are read too`() throws {
    #expect(
      try rows(of: "Person", [.references(relationship: "notes", identity: .attribute("count"))])
        == ["1: []", "2: [10, 0]", "3: []"]
    )
    let uri = "x-coredata://\(SampleStore.uuid)/Person/p"
    #expect(
      try rows(of: "Person", [.references(relationship: "friends", identity: .objectURI)])
        == ["1: [\(uri)2, \(uri)3]", "2: [\(uri)1]", "3: [\(uri)1]"]
    )
  }

  @Test func `archives, binary or XML, become JSON, and other data stays bytes`() throws {
    #expect(
      try rows(of: "Person", [.attribute(path: ["scores"])])
        == [#"1: json ["ten",11]"#, #"2: json ["twelve"]"#, "3: <68 69>"]
    )
  }

  @Test func `large values are found beside the source, or reported lost`() throws {
    let photo = [FieldRequest.attribute(path: ["photo"])]
    #expect(try rows(of: "Person", photo)[1] == "2: lost \(SampleStore.reference)")
    #expect(try rows(of: "Person", photo)[0] == "1: <ff 0>")
    try Folder.make(folder.path + "/.Sample_SUPPORT/_EXTERNAL_DATA")
    try folder.write(".Sample_SUPPORT/_EXTERNAL_DATA/\(SampleStore.reference)", [7, 8])
    #expect(try rows(of: "Person", photo)[1] == "2: <7 8>")
  }

  @Test func `after the last row every further step returns nil`() throws {
    let cursor = try store.rows(RowRequest(entity: "Tag", fields: []))
    while try cursor.next() {}
    #expect(try !cursor.next())
  }

  @Test func `an impossible selection is refused by name`() throws {
    let path = store.copy.sourcePath
    #expect(throws: StoreError.unknownEntity(path: path, "Plant")) {
      try rows(of: "Plant", [])
    }
    for field: FieldRequest in [
      .attribute(path: ["none"]), .attribute(path: ["home"]),
      .reference(relationship: "pets", identity: .objectURI),
      .references(relationship: "favorite", identity: .objectURI),
      .reference(relationship: "favorite", identity: .attribute("lives")),
      .references(relationship: "pets", identity: .attribute("owner")),
    ] {
      #expect(throws: StoreError.self, "\(field)") { try rows(of: "Person", [field]) }
    }
    #expect(throws: StoreError.self) { try rows(of: "Dog", [.attribute(path: ["mood"])]) }
  }
}
