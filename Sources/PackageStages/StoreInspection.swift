import Files
import ManagedObjectModels
package import Records
package import SQLiteStores
package import StoreFiles
package import StoreReading

/// What a store is and holds, without any value of a record.
package struct StoreInspection: Sendable {
  package let path: String
  package let identity: StoreIdentity
  package let model: StoreModel
  /// How many rows are each entity's own.
  package let rowCounts: [EntityName: Int]
  package let files: [SourceFile]
  package let writeAheadLog: WriteAheadLog?
  /// Where Core Data keeps large values of these stores.
  package let externalFolders: [ExternalFolder]
  /// How many bytes of free space an export is likely to need, media files not counted.
  package let spaceNeeded: Int64
  package let otherTables: [String]
  package let findings: [Finding]

  /// Reads the store through a private copy, which is gone afterwards.
  package init(
    of path: String,
    options: Source.Options = Source.Options()
  ) throws {
    let folder = try PrivateFolder()
    let source = try Source(path, options: options, into: folder.path + "/source")
    let store = source.store
    var counts: [EntityName: Int] = [:]
    for entity in store.model.entities {
      counts[entity.name] = try store.rowCount(of: entity.name)
    }
    self.path = path
    identity = store.identity
    model = store.model
    rowCounts = counts
    files = source.files
    writeAheadLog = source.writeAheadLog
    externalFolders = try source.externalFolders()
    spaceNeeded = source.spaceNeeded
    otherTables = store.otherTables
    findings = try store.findings + passingKeys(of: store.model.entities.map(\.name), in: store)
  }

  /// Looks through a folder for stores, without opening them; `nil` for a file, and for a folder that is one store.
  package static func container(
    at path: String,
    options: Source.Options
  ) throws -> ContainerInspection? {
    guard Folder.exists(path) else { return nil }
    let folder = try PrivateFolder()
    let isOne = try Source.isOneStore(path, options: options, into: folder.path + "/contents")
    guard !isOne else { return nil }
    let finder = try SourceFinder(
      path,
      app: options.app,
      ignoring: options.ignored,
      into: folder.path + "/source"
    )
    return finder.inspection
  }

  /// The model at `path`: that of a store, or one in a file or bundle of its own.
  package static func model(
    at path: String,
    options: Source.Options
  ) throws -> StoreModel {
    let name = Folder.lastName(of: path)
    let isModel =
      name == "contents"
      || [".mom", ".momd", ".xcdatamodel", ".xcdatamodeld"].contains { name.hasSuffix($0) }
    let kind = try SourceKind(of: path)
    guard isModel || kind == .unknown else {
      return try StoreInspection(of: path, options: options).model
    }
    let candidates = try GivenModels.candidates(at: path)
    guard let candidate = candidates.first(where: \.isCurrent) ?? candidates.last else {
      throw ModelFault("it holds no model", path: path)
    }
    return try candidate.model().storeModel
  }
}
