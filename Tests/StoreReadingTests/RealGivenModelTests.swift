import Files
import Records
import SQLiteStores
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// Real stores with the models that their developers published.
@Suite(.enabled(if: RealStores.folder != nil, "FERRY_STORES is not set"))
struct `Real stores and their models` {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  private var models: String { (environmentValue("FERRY_STORES") ?? "") + "/model/" }

  private func named(_ end: String) throws -> String {
    let name = try #require(RealStores.names.first { $0.hasSuffix("__" + end) })
    return try #require(RealStores.folder) + "/" + name
  }

  @Test(
    arguments: [
      ("docSet.dsidx", "nothirst__TICoreDataSync__docSet.mom"),
      (
        "SingleEntitySingleAttribut.sqlite",
        "yepher__CoreDataUtility__SingleEntitySingleAttribut.mom"
      ),
      ("fetchRequest.sqlite", "yepher__CoreDataUtility__fetchRequest.mom"),
    ]
  )
  func `a store without a cache is read with its model`(store: String, model: String) throws {
    let copy = try StoreCopy(of: named(store), into: folder.path + "/store")
    let store = try CoreDataStore(copy, models: [models + model])
    #expect(store.model.origin == .given)
    #expect(!store.findings.contains { $0.severity > .note }, "\(store.findings)")
    for entity in store.model.entities {
      #expect(try StoreReader.readAll(entity, of: store) == store.rowCount(of: entity.name))
    }
  }

  /// The versions of each source, by the ends of their names.
  private static let sources: [(stores: [String], prefix: String, versions: [String])] = [
    (
      ["Moody.moody", "Moody_2.moody", "Moody_3.moody", "Moody_4.moody", "Moody_5.moody"],
      "objcio__core-data__", ["Moody", "Moody_2", "Moody_3", "Moody_4", "Moody_5", "Moody_6"]
    ),
    (
      ["Bookmarks_V1", "Bookmarks_V2", "Bookmarks_V3", "Bookmarks_V4", "Bookmarks_V5"]
        .map { $0 + ".sqlite" },
      "duckduckgo__BrowserServicesKit__",
      ["", "_2", "_3", "_4", "_5", "_6"].map { "BookmarksModel" + $0 }
    ),
    (
      ["SyncMetadata_V3.sqlite"], "duckduckgo__BrowserServicesKit__",
      ["", "_2", "_3", "_4"].map { "SyncMetadata" + $0 }
    ),
    (
      // The older two stores were made from models that were never published; see below.
      ["EasyLife_1.5.0.sqlite"],
      "larromba__EasyLife__", ["EasyLife", "EasyLife_1.3.0", "EasyLife_1.5.0"]
    ),
    (
      ["_1", "_2", "_3"].map { "CoreDataMigration_Example\($0).sqlite" },
      "wibosco__CoreDataMigration-Example__",
      ["", "_2", "_3", "_4"].map { "CoreDataMigration_Example" + $0 }
    ),
  ]

  @Test(arguments: sources.indices)
  func `the source of a model agrees with the store's own copy`(index: Int) throws {
    let source = Self.sources[index]
    let bundle = folder.path + "/App.xcdatamodeld"
    for version in source.versions {
      let bytes = try InputFile.contents(of: "\(models)\(source.prefix)\(version)-contents.xml")
      try Folder.make("\(bundle)/\(version).xcdatamodel")
      try WholeFile.replace("\(bundle)/\(version).xcdatamodel/contents", with: bytes)
    }
    for name in source.stores {
      let path = try named(name)
      let own = try CoreDataStore(StoreCopy(of: path, into: folder.path + "/own-\(name)"))
      #expect(own.model.origin == .store)
      let plain = try StoreCopy(of: path, into: folder.path + "/cut-\(name)").path
      try SampleDatabase(plain).run("DELETE FROM Z_MODELCACHE")
      let given = try CoreDataStore(
        StoreCopy(of: plain, into: folder.path + "/given-\(name)"),
        models: [bundle]
      )
      #expect(given.model.origin == .given)
      let losses = ModelComparison(from: own.model, to: given.model).differences
      #expect(losses.isEmpty, "\(name): \(losses.map(\.cause))")
    }
  }

  @Test(arguments: ["EasyLife.sqlite", "EasyLife_1.3.0.sqlite"])
  func `a store of an unpublished model is refused by later models`(
    name: String
  ) throws {
    let plain = try StoreCopy(of: named(name), into: folder.path + "/cut").path
    try SampleDatabase(plain).run("DELETE FROM Z_MODELCACHE")
    let version = models + "larromba__EasyLife__EasyLife_1.3.0-contents.xml"
    let error = #expect(throws: StoreError.self) {
      try CoreDataStore(StoreCopy(of: plain, into: folder.path + "/given"), models: [version])
    }
    #expect(error?.description.contains("ZPROJECT") == true)
  }

  /// Why a store's tables and its own model do not agree, by the end of the store's name.
  private static let exceptions: [String: String] = [:]

  @Test(arguments: RealStores.names)
  func `the store's own model names every column`(name: String) throws {
    let path = try #require(RealStores.folder) + "/" + name
    guard let store = try RealStores.store(StoreCopy(of: path, into: folder.path)),
      store.model.origin == .store
    else { return }
    let codes = [
      "store.column-missing", "store.column-unknown", "store.relationship-missing",
      "store.table-missing", "store.rows-without-entity", "store.entity-unknown",
    ]
    let faults = store.findings.filter { codes.contains($0.code) }
    let isKnown = Self.exceptions.keys.contains { name.hasSuffix("__" + $0) }
    #expect(faults.isEmpty != isKnown, "\(faults.map(\.cause))")
  }
}
