import Files
import PropertyLists
import Records
import SQLiteStores
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// Models that a person gives for a store that carries none.
struct `Given models` {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  private static let names = ["Animal", "Cat", "Dog", "Person", "Tag"]

  private func open(_ path: String, _ models: [String]) throws -> CoreDataStore {
    try CoreDataStore(StoreCopy(of: path, into: folder.path + "/private"), models: models)
  }

  private func write(_ name: String, _ model: ModelSample) throws -> String {
    let path = folder.path + "/" + name
    try Folder.make(Folder.parentPath(of: path))
    try WholeFile.replace(path, with: PropertyListWriter.bytes(model.archive()))
    return path
  }

  private static let other = ModelSample(entities: [
    .init(name: "Plant", attributes: [.init(name: "leaves", type: 100)])
  ])

  @Test func `a compiled model gives the names that the tables lost`() throws {
    let path = try SampleStore.build(in: folder, cache: [])
    let store = try open(path, [write("Sample.mom", SampleStore.model)])
    #expect(store.model.origin == .given)
    let person = try #require(store.model.entity(named: "Person"))
    #expect(person.attributes.map(\.name) == ["home", "id", "photo", "scores", "title"])
    #expect(store.findings.contains { $0.code == "store.model-given" })
    #expect(!store.findings.contains { $0.severity > .note })
    #expect(try FormStore.rows(store, "Person", .attribute(path: ["home", "city"]))[0] == "Ulm")
  }

  @Test func `the given model takes precedence over a cache of another model`() throws {
    let path = try SampleStore.build(in: folder, cache: Self.other.cache())
    let store = try open(path, [write("Sample.mom", SampleStore.model)])
    #expect(store.model.origin == .given)
  }

  @Test func `a sound cache needs no other model`() throws {
    let path = try SampleStore.build(in: folder)
    let store = try open(path, [write("Other.mom", Self.other)])
    #expect(store.model.origin == .store)
    #expect(store.findings.contains { $0.code == "store.model-not-needed" })
  }

  @Test func `the bundle version with the store's hashes is used, not the current one`()
    throws
  {
    let path = try SampleStore.build(in: folder, cache: [])
    _ = try write("App.momd/One.mom", SampleStore.model)
    _ = try write("App.momd/Two.mom", SampleStore.model)
    let hashes = { (byte: UInt8) in
      PropertyList.dictionary(Self.names.map { .init(name: $0, value: .data([byte])) })
    }
    let info = PropertyList.dictionary([
      .init(name: "NSManagedObjectModel_CurrentVersionName", value: .string("Two")),
      .init(
        name: "NSManagedObjectModel_VersionHashes",
        value: .dictionary([
          .init(name: "One", value: hashes(1)), .init(name: "Two", value: hashes(2)),
        ])
      ),
    ])
    try folder.write("App.momd/VersionInfo.plist", PropertyListWriter.bytes(info))
    let store = try open(path, [folder.path + "/App.momd"])
    let finding = try #require(store.findings.first { $0.code == "store.model-given" })
    #expect(finding.cause.contains("given model One"))
    #expect(throws: StoreError.self) { try open(path, [folder.path + "/App.momd/Two.mom"]) }
  }

  @Test func `a model that does not fit is refused with the differences`() throws {
    let path = try SampleStore.build(in: folder, cache: [])
    let error = #expect(throws: StoreError.self) {
      try open(path, [write("Other.mom", Self.other)])
    }
    #expect(error?.description.contains("it has no entity Animal") == true)
    var narrow = SampleStore.model
    narrow.entities[4].attributes.removeAll { $0.name == "label" }
    let second = #expect(throws: StoreError.self) { try open(path, [write("N.mom", narrow)]) }
    #expect(second?.description.contains("ZLABEL") == true)
  }

  @Test func `a model in a form that is not read is refused`() throws {
    let path = try SampleStore.build(in: folder, cache: [])
    try folder.write("Sample.omo", Array("momv2$[]".utf8))
    let error = #expect(throws: StoreError.self) { try open(path, [folder.path + "/Sample.omo"]) }
    #expect(error?.description.contains("optimized model") == true)
  }

  @Test func `without a model the certain relationships are still listed`() throws {
    let store = try open(SampleStore.build(in: folder, cache: []), [])
    let person = try #require(store.model.entity(named: "Person"))
    #expect(
      person.relationships == [
        StoreRelationship(name: "FAVORITE", destination: "Animal"),
        StoreRelationship(
          name: "FRIENDS",
          destination: "Person",
          inverse: "FRIENDS",
          isToMany: true
        ),
        StoreRelationship(
          name: "TAGS",
          destination: "Tag",
          inverse: "PEOPLE1",
          isToMany: true,
          isOrdered: true
        ),
        StoreRelationship(name: "NOTES", destination: "Tag", isToMany: true),
      ]
    )
    let label = IdentityRule.attribute("LABEL")
    #expect(
      try FormStore.rows(store, "Person", .references(relationship: "TAGS", identity: label))
        == ["[y, z, x]", "[y, z]", "[]"]
    )
    #expect(
      try FormStore.rows(store, "Person", .references(relationship: "NOTES", identity: label))
        == ["[]", "[x, z]", "[]"]
    )
    #expect(
      try FormStore.rows(
        store,
        "Person",
        .reference(relationship: "FAVORITE", identity: .objectURI)
      )
        == [
          "x-coredata://\(SampleStore.uuid)/Hound/p2", "x-coredata://\(SampleStore.uuid)/Cat/p3",
          "dangling x-coredata://\(SampleStore.uuid)/Animal/p77",
        ]
    )
    #expect(store.model.entity(named: "Animal")?.attributes.map(\.name).contains("OWNER") == true)
  }

  @Test func `without a model, an order and a name with a line before it are values`() throws {
    let path = try SampleStore.build(
      in: folder,
      cache: [],
      also: """
        ALTER TABLE ZTAG ADD COLUMN Z_NOTE VARCHAR; UPDATE ZTAG SET Z_NOTE = ZLABEL || '!';
        ALTER TABLE ZTAG ADD COLUMN Z_FOK_4NOTES INTEGER;
        UPDATE ZTAG SET Z_FOK_4NOTES = 10 - Z_PK;
        """
    )
    let store = try open(path, [])
    let animal = try #require(store.model.entity(named: "Animal"))
    #expect(
      animal.attributes.map(\.name)
        == ["LIVES", "OWNER", "_FOK_OWNER", "NAME", "TITLE", "TITLE1", "ID"]
    )
    #expect(
      try FormStore.rows(store, "Cat", .attribute(path: ["_FOK_OWNER"])) == ["3072", "null"]
    )
    let tag = try #require(store.model.entity(named: "Tag"))
    #expect(tag.attributes.map(\.name) == ["COUNT", "LABEL", "_NOTE"])
    #expect(
      try FormStore.rows(store, "Tag", .attribute(path: ["_NOTE"])) == ["x!", "y!", "z!"]
    )
    let person = try #require(store.model.entity(named: "Person"))
    #expect(person.relationships.contains { $0.name == "NOTES" && $0.isOrdered })
    let label = IdentityRule.attribute("LABEL")
    #expect(
      try FormStore.rows(store, "Person", .references(relationship: "NOTES", identity: label))
        == ["[]", "[z, x]", "[]"]
    )
    let names = try #require(store.findings.first { $0.code == "store.names-unrecoverable" })
    #expect(!names.cause.contains("_FOK_"))
  }

  @Test func `ten of very many differing names are listed, with the number of others`() throws {
    let store = try FormStore.open(
      ModelSample(entities: [.init(name: "A", attributes: [.init(name: "n", type: 700)])]),
      "CREATE TABLE ZA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZN VARCHAR);",
      hashNames: (0..<300).map { "B\($0)" },
      in: folder
    )
    let reported = try #require(store.findings.first { $0.code == "store.entity-names-differ" })
    #expect(reported.cause.hasSuffix(" and 291 more"))
  }

  @Test func `without a model, the unknown properties are reported`() throws {
    let store = try open(SampleStore.build(in: folder, cache: []), [])
    let codes = Set(store.findings.map(\.code))
    #expect(
      codes.isSuperset(of: [
        "store.model-missing", "store.names-unrecoverable", "store.entity-names-differ",
        "store.probable-files",
      ])
    )
    let names = try #require(store.findings.first { $0.code == "store.names-unrecoverable" })
    #expect(names.cause.contains("OWNER"))
  }
}
