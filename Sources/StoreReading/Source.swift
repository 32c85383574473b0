import Records
package import SQLiteStores
package import StoreFiles

/// What a person gave to be read: a file or a folder, copied privately, opened and understood.
package struct Source {
  /// How a source is to be opened.
  package struct Options: Hashable, Sendable {
    /// Models that a person gave for stores that carry none: the paths of `.mom`, `.momd`,
    /// `.xcdatamodel` or `.xcdatamodeld`.
    package let models: [String]
    /// Whether SQLite reads the whole file for damage first.
    ///
    /// Without it, an index that disagrees with its table can hide rows of to-many relationships.
    package let checksIntegrity: Bool
    /// Whether what can still be read of a damaged store is read, and what cannot is a finding.
    package let readsDamaged: Bool
    /// The stores of a container that are read; empty for all that are found.
    package private(set) var stores: [StoreChoice]
    /// The bundle identifier of the app whose part of a backup is read.
    package let app: String?
    /// Files of a folder that are left out, because a person knows them.
    package let ignored: IgnoredFiles
    /// Whether keys that Apple's frameworks wrote into preferences are read too.
    package let keepsSystemKeys: Bool
    /// The 64 bytes that an encrypted Realm file is opened with.
    package let realmKey: [UInt8]?

    package init(
      models: [String] = [],
      checksIntegrity: Bool = true,
      readsDamaged: Bool = false,
      stores: [StoreChoice] = [],
      app: String? = nil,
      ignored: IgnoredFiles = IgnoredFiles(),
      keepsSystemKeys: Bool = false,
      realmKey: [UInt8]? = nil
    ) {
      self.models = models
      self.checksIntegrity = checksIntegrity
      self.readsDamaged = readsDamaged
      self.stores = stores
      self.app = app
      self.ignored = ignored
      self.keepsSystemKeys = keepsSystemKeys
      self.realmKey = realmKey
    }

    /// The same, for only these stores of a container.
    package func choosing(_ stores: [StoreChoice]) -> Options {
      var options = self
      options.stores = stores
      return options
    }
  }

  package let path: String
  /// The private copies that were taken, one a store.
  package let copies: [StoreCopy]
  package let store: any Store
  /// How it was opened.
  package let options: Options
  /// The app's files by their paths on the device, where the source is a backup.
  package let backup: BackupFiles?
  private let stage: BackupStage?

  /// Copies what is at `path` into `folder`, which is made private, and opens it.
  ///
  /// - Throws: `StoreError.unsupported(path:kind:)` when it is of no kind that is read.
  package init(
    _ path: String,
    options: Options = Options(),
    into folder: String
  ) throws(StoreError) {
    self.path = path
    self.options = options
    let isFolder = try SourceKind(of: path) == .folder
    let whole = isFolder ? try WholeFolder(path, options, into: folder + "/contents") : nil
    if case .documents(let documents)? = whole {
      let copies = try documents.copies(into: folder)
      (self.copies, stage, backup) = (copies, nil, nil)
      store = try FileStore(
        documents,
        copies,
        scratchPath: folder + "/rows.sqlite",
        readsDamaged: options.readsDamaged
      )
      return
    }
    var file = path
    if case .database(let database)? = whole {
      file = database
    } else if isFolder {
      let container = try ContainerSource(path, options: options, into: folder)
      (copies, stage, store) = (container.copies, container.stage, container.store)
      backup = container.backup
      return
    }
    let kind = try SourceKind(of: file)
    guard kind.isRead else { throw .unsupported(path: file, kind: kind) }
    let copy = try StoreCopy(of: file, into: folder)
    (copies, stage, backup) = ([copy], nil, nil)
    store = try Self.open(copy, options: options)
  }

  /// Each entity costs files of a package; the models of apps have some hundred.
  private static let largestEntityCount = 1_000

  /// Opens a copy as what it is.
  static func open(_ copy: StoreCopy, options: Options) throws(StoreError) -> any Store {
    guard let reader = StoreReader.all.first(where: { $0.kind == copy.kind }) else {
      throw .unsupported(path: copy.sourcePath, kind: copy.kind)
    }
    let store = try reader.open(copy, options)
    let count = store.model.entities.count
    guard count <= largestEntityCount else {
      throw .tooMany(
        path: copy.sourcePath,
        what: "entities",
        count: count,
        limit: largestEntityCount
      )
    }
    return store
  }

  /// The files that were read, as they were.
  package var files: [SourceFile] { copies.flatMap(\.sourceFiles) }

  /// The bytes an export needs on the disk: the private copy of every store, and a package of
  /// about twice their size, for JSON repeats the names and writes blobs in base 64.
  package var spaceNeeded: Int64 { 3 * copies.reduce(0) { $0 + $1.byteCount } }

  /// The folders beside the stores in which Core Data keeps large values.
  package func externalFolders() throws(StoreError) -> [ExternalFolder] {
    var folders: [ExternalFolder] = []
    for copy in copies where copy.kind == .sqlite {
      if let folder = try ExternalFiles(ofStoreAt: copy.sourcePath).survey() {
        folders.append(folder)
      }
    }
    return folders
  }

  /// The log of the first store that has one.
  package var writeAheadLog: WriteAheadLog? { copies.lazy.compactMap(\.writeAheadLog).first }

  /// Reads the source again and says what is different from when it was copied.
  package func differences() throws(StoreError) -> [String] {
    var differences: [String] = []
    // The copies of a backup's files were taken from a private stage.
    if let stage, !stage.isEmpty { return try stage.differences() }
    for copy in copies { differences += try copy.differences() }
    return differences
  }
}
