import Files
import PropertyLists
import Records
import SQLiteStores
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// Links to rows that the store does not have.
struct `Links that lead nowhere` {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  private func core(_ sql: String) throws -> any Store {
    let path = try SampleStore.build(in: folder, also: sql)
    return try Source(path, into: folder.path + "/private").store
  }

  private func plain(_ sql: String) throws -> any Store {
    let path = folder.path + "/plain.sqlite"
    try SampleDatabase(path).run(sql)
    return try Source(path, into: folder.path + "/private").store
  }

  private static let start = "x-coredata://\(SampleStore.uuid)/"

  @Test func `a join row without its target is no reference, however targets are named`()
    throws
  {
    let store = try core("DELETE FROM ZTAG WHERE Z_PK = 3")
    for identity in [IdentityRule.objectURI, .attribute("label")] {
      let fields = [FieldRequest.references(relationship: "tags", identity: identity)]
      let first = try #require(try Rows.text(of: "Person", fields, in: store).first)
      #expect(first.contains("dangling \(Self.start)Tag/p3"))
      #expect(first.split(separator: "dangling").count == 2)
    }
  }

  @Test func `a to-one relationship to a missing row is left out, however targets are named`()
    throws
  {
    let store = try core("")
    for identity in [IdentityRule.objectURI, .attribute("id")] {
      let fields = [FieldRequest.reference(relationship: "favorite", identity: identity)]
      #expect(
        try Rows.text(of: "Person", fields, in: store).last == "dangling \(Self.start)Animal/p77"
      )
    }
    let owner = [FieldRequest.reference(relationship: "owner", identity: .objectURI)]
    #expect(
      try Rows.text(of: "Dog", owner, in: store)
        == ["\(Self.start)Person/p1", "dangling \(Self.start)Person/p99"]
    )
  }

  @Test func `a link to a row of no entity, or of another entity, is no reference`() throws {
    let store = try core(
      "UPDATE ZPERSON SET Z_ENT = 88 WHERE Z_PK = 1; UPDATE ZTAG SET Z_ENT = 4 WHERE Z_PK = 3"
    )
    let owner = [FieldRequest.reference(relationship: "owner", identity: .objectURI)]
    #expect(
      try Rows.text(of: "Dog", owner, in: store).allSatisfy { $0.hasPrefix("dangling") }
    )
    let tags = [FieldRequest.references(relationship: "tags", identity: .attribute("label"))]
    #expect(
      try Rows.text(of: "Person", tags, in: store)[0].contains("dangling \(Self.start)Tag/p3")
    )
  }

  @Test func `zero in a foreign key means no reference`() throws {
    let store = try plain(
      """
      CREATE TABLE payload (id INTEGER PRIMARY KEY, value TEXT);
      CREATE TABLE event (id INTEGER PRIMARY KEY, payload INTEGER DEFAULT 0 REFERENCES payload(id));
      INSERT INTO payload VALUES (1, 'p'); INSERT INTO event VALUES (1, 1), (2, 0), (3, NULL);
      """
    )
    for identity in [IdentityRule.objectURI, .attribute("id"), .attribute("value")] {
      let fields = [
        FieldRequest.attribute(path: ["payload"]),
        .reference(relationship: "payload_ref", identity: identity),
      ]
      let lines = try Rows.text(of: "event", fields, in: store)
      #expect(lines[1...] == ["0, dangling sqlite:payload/0", "null, null"])
      #expect(!lines[0].contains("dangling"))
    }
  }

  @Test func `a row without an identity value is exported`() throws {
    let store = try plain(
      """
      CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO tag VALUES (1, NULL);
      CREATE TABLE item (tag INTEGER REFERENCES tag); INSERT INTO item VALUES (1), (2);
      """
    )
    let fields = [FieldRequest.reference(relationship: "tag_ref", identity: .attribute("name"))]
    #expect(
      try Rows.text(of: "item", fields, in: store) == ["sqlite:tag/1", "dangling sqlite:tag/2"]
    )
  }

  @Test func `a reference of an XML store to a missing object is left out`() throws {
    try folder.write(
      "Store.xml",
      Array(
        """
        <?xml version="1.0"?><!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd"><database>
        <databaseInfo><version>134481920</version><UUID>U</UUID></databaseInfo>
        <object type="A" id="z1"><relationship name="many" type="0/0" destination="A"
          idrefs="z1 z9"/></object></database>
        """.utf8
      )
    )
    let store = try Source(folder.path + "/Store.xml", into: folder.path + "/private").store
    let fields = [FieldRequest.references(relationship: "many", identity: .objectURI)]
    #expect(
      try Rows.text(of: "A", fields, in: store)
        == ["[x-coredata://U/A/p1, dangling x-coredata://U/A/p9]"]
    )
  }
}

/// The identity of a store decides which earlier runs it belongs to.
struct `Identities of a store` {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  @Test(arguments: [
    "INSERT INTO Z_METADATA VALUES (2, 'another', NULL)",
    "INSERT INTO Z_METADATA SELECT 0, 'another', Z_PLIST FROM Z_METADATA",
  ])
  func `a store with two identities in its metadata is refused`(statement: String) throws {
    let path = try SampleStore.build(in: folder, also: statement)
    let error = #expect(throws: StoreError.self) { try SampleStore.open(path, in: folder) }
    #expect(
      error == .severalIdentities(path: path, identities: [SampleStore.uuid, "ANOTHER"])
    )
    #expect(error?.description.contains(SampleStore.uuid) == true)
  }

  @Test func `an identity in the list of the metadata has to be that of the store`() throws {
    for (identity, isRefused) in [(SampleStore.uuid.lowercased(), false), ("another", true)] {
      let list = PropertyListWriter.bytes(
        .dictionary([.init(name: "NSStoreUUID", value: .string(identity))])
      )
      let path = try SampleStore.build(in: folder, name: "\(identity).sqlite")
      try SampleDatabase(path).run("UPDATE Z_METADATA SET Z_PLIST = ?", blob: list)
      if isRefused {
        #expect(throws: StoreError.self) { try SampleStore.open(path, in: folder) }
      } else {
        #expect(try SampleStore.open(path, in: folder).identity.uuid == SampleStore.uuid)
      }
    }
  }

  @Test(arguments: [
    "<databaseInfo><UUID>A</UUID><UUID>B</UUID></databaseInfo>",
    "<databaseInfo><UUID>A</UUID></databaseInfo><databaseInfo><UUID>B</UUID></databaseInfo>",
    "<databaseInfo><UUID>A</UUID><metadata><plist version=\"1.0\"><dict><key>NSStoreUUID</key>"
      + "<string>B</string></dict></plist></metadata></databaseInfo>",
  ])
  func `an XML store with two identities is refused`(information: String) throws {
    try folder.write(
      "Store.xml",
      Array(
        "<?xml version=\"1.0\"?><!DOCTYPE database SYSTEM \"file:///System/Library/DTDs/CoreData.dtd\"><database>\(information)</database>"
          .utf8
      )
    )
    let error = #expect(throws: StoreError.self) {
      try Source(folder.path + "/Store.xml", into: folder.path + "/private")
    }
    guard case .malformedXML(let fault)? = error else {
      throw SampleFailure(message: "\(String(describing: error))")
    }
    #expect("\(fault)".contains("a second"))
    // The cure: the named place, mended in a copy.
    #expect(error?.cure.hasPrefix("correct the named place") == true)
    try folder.write(
      "Store.xml",
      Array(
        """
        <?xml version="1.0"?><!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd"><database><databaseInfo><UUID>A</UUID>
        </databaseInfo><object type="A" id="z1"/></database>
        """.utf8
      )
    )
    let store = try Source(folder.path + "/Store.xml", into: folder.path + "/private").store
    #expect(store.identity.uuid == "A")
  }
}
