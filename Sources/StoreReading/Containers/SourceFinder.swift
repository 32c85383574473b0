import Files

/// Looks for the stores of an app in a folder: a container, a managed document, or a backup.
///
/// Stores are identified by their bytes. The walk is bounded, follows no link, and leaves out what the
/// system may delete or keeps for itself; each place that was left out is named.
package struct SourceFinder {
  package let inspection: ContainerInspection
  /// The files by their paths in the container.
  let files: [String: ListedFile]

  /// Folders with fewer media files than this are not worth a line.
  private static let fewestMediaFiles = 3

  /// Looks through the folder; `folder` is where a backup's table of contents is copied to.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - app: The bundle identifier of the app whose files of a backup count; `nil` for all.
  ///   - folder: A private folder.
  /// - Throws: ``StoreError/encryptedBackup(path:)``, and whatever the system refuses.
  package init(_ path: String, app: String? = nil, into folder: String) throws(StoreError) {
    if BackupManifest.isBackup(path) {
      let manifest = try BackupManifest(path, app: app, into: folder)
      try self.init(
        path,
        form: .backup,
        files: manifest.files,
        skipped: manifest.skipped,
        apps: manifest.apps.sorted()
      )
    } else {
      let walk = try FolderWalk(path)
      try self.init(path, form: Self.form(of: path), files: walk.files, skipped: walk.skipped)
    }
  }

  private init(
    _ path: String,
    form: ContainerInspection.Form,
    files: [ListedFile],
    skipped: [SkippedPlace],
    apps: [String] = []
  ) throws(StoreError) {
    self.files = Dictionary(files.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    var skipped = skipped
    var stores: [FoundStore] = []
    var media: [String: MediaTally] = [:]
    var otherFileCount = 0
    for file in files where !Self.isPart(file.path, of: self.files) {
      switch Self.meaning(of: file) {
      case .store(let kind, let refusal):
        stores.append(
          FoundStore(path: file.path, kind: kind, byteCount: file.byteCount, refusal: refusal)
        )
      case .media(let form):
        media[Folder.parentPath(of: file.path), default: MediaTally()].add(form, file.byteCount)
      case .other: otherFileCount += 1
      case .unreadable(let error):
        skipped.append(SkippedPlace(path: file.path, refused: error))
      }
    }
    let folders = media.filter { $0.value.fileCount >= Self.fewestMediaFiles }
    inspection = ContainerInspection(
      path: path,
      form: form,
      stores: stores.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) },
      media: folders.map { $0.value.folder(at: $0.key) }
        .sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) },
      skipped: skipped,
      otherFileCount: otherFileCount,
      apps: apps
    )
  }

  /// What one file is.
  private enum Meaning {
    case store(SourceKind, refusal: String?)
    case media(String)
    case other
    case unreadable(FileError)
  }

  private static func meaning(of file: ListedFile) -> Meaning {
    do throws(FileError) {
      let input = try InputFile(file.place, followsLinks: false)
      let size = try input.size()
      let start = try input.bytes(at: 0, count: Int(min(size, 4096)))
      let kind = SourceKind(start: start, size: size)
      // A Realm file that was written in one go begins with the bytes of MPEG audio.
      if kind != .realm, let form = MediaForm.name(of: start) { return .media(form) }
      switch kind {
      case .empty, .folder: return .other
      // Compressed files are evenly random too; in a container only a store's name counts.
      case .encrypted, .unknown:
        guard hasStoreName(file.path) else { return .other }
      default: break
      }
      return .store(kind, refusal: ContainerRules.refusal(of: file, kind: kind))
    } catch {
      return .unreadable(error)
    }
  }

  private static func hasStoreName(_ path: String) -> Bool {
    let endings = [
      ".sqlite", ".sqlite3", ".store", ".db", ".storedata", ".sqlitedb", ".realm", ".mdb", ".hive",
      ".isar", ".cblite",
    ]
    return endings.contains { path.lowercased().hasSuffix($0) }
  }

  /// Whether the file belongs to the database beside it.
  private static func isPart(_ path: String, of files: [String: ListedFile]) -> Bool {
    if let database = ContainerRules.realmDatabase(ofByProduct: path) {
      return files[database] != nil
    }
    return SourceFile.Part.allCases.contains { part in
      part != .main && path.hasSuffix(part.rawValue)
        && files[String(path.dropLast(part.rawValue.count))] != nil
    }
  }

  private static func form(of path: String) -> ContainerInspection.Form {
    if Folder.exists(path + "/StoreContent") { return .managedDocument }
    let isContainer = ["Library", "Documents", "AppData"].contains {
      Folder.exists(path + "/" + $0)
    }
    return isContainer ? .appContainer : .folder
  }
}

/// The media files of one folder, counted.
private struct MediaTally {
  var fileCount = 0
  var byteCount: Int64 = 0
  var forms: [String: Int] = [:]

  mutating func add(_ form: String, _ size: Int64) {
    fileCount += 1
    byteCount += size
    forms[form, default: 0] += 1
  }

  func folder(at path: String) -> MediaFolder {
    MediaFolder(path: path, fileCount: fileCount, byteCount: byteCount, forms: forms)
  }
}
