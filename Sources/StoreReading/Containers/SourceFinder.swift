import Files
package import StoreFiles

/// Looks for the stores of an app in a folder: a container, a managed document, or a backup.
///
/// Stores are identified by their bytes. The walk is bounded, follows no link, and leaves out what the
/// system may delete or keeps for itself; each place that was left out is named.
package struct SourceFinder {
  package let inspection: ContainerInspection
  /// The files by their paths in the container.
  let files: [String: ListedFile]

  /// Folders with fewer media files than this are not worth a line.
  fileprivate static let fewestMediaFiles = 3

  /// Looks through the folder; `folder` is where a backup's table of contents is copied to.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - app: The bundle identifier of the app whose files of a backup count; `nil` for all.
  ///   - ignored: Files that a person knows, which are left out.
  ///   - folder: A private folder.
  /// - Throws: `StoreError.encryptedBackup(path:)`, and whatever the system refuses.
  package init(
    _ path: String,
    app: String? = nil,
    ignoring ignored: IgnoredFiles = IgnoredFiles(),
    into folder: String
  ) throws(StoreError) {
    if BackupManifest.isBackup(path) {
      let manifest = try BackupManifest(path, app: app, into: folder)
      try self.init(
        path,
        form: .backup,
        KnownFiles(manifest.files, manifest.skipped, ignoring: ignored),
        apps: manifest.apps.sorted()
      )
    } else {
      let walk = try FolderWalk(path)
      try self.init(
        path,
        form: Self.form(of: path),
        KnownFiles(walk.files, walk.skipped, ignoring: ignored)
      )
    }
  }

  private init(
    _ path: String,
    form: ContainerInspection.Form,
    _ known: KnownFiles,
    apps: [String] = []
  ) throws(StoreError) {
    let files = known.files
    self.files = Dictionary(files.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    var skipped = known.skipped
    var stores: [FoundStore] = []
    var media: [String: MediaTally] = [:]
    var others = OtherTally()
    let name = Folder.lastName(of: Folder.wholePath(of: path))
    for file in files where !ContainerRules.isByProduct(file.path, of: self.files) {
      switch Self.meaning(of: file, in: name) {
      case .store(let kind, let refusal):
        stores.append(
          FoundStore(path: file.path, kind: kind, byteCount: file.byteCount, refusal: refusal)
        )
      case .media(let form):
        media[Folder.parentPath(of: file.path), default: MediaTally()].add(form, file.byteCount)
      case .other(let kind): others.add(kind, file.byteCount)
      case .unreadable(let error):
        skipped.append(SkippedPlace(path: file.path, refused: error))
      }
    }
    let folders = media.filter { $0.value.fileCount >= Self.fewestMediaFiles }
    for (folder, tally) in media where folders[folder] == nil { others.add(tally) }
    inspection = ContainerInspection(
      path: path,
      form: form,
      stores: stores.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) },
      media: folders.map { $0.value.folder(at: $0.key) }
        .sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) },
      skipped: skipped,
      others: others.files,
      apps: apps
    )
  }

  /// What one file is.
  private enum Meaning {
    case store(SourceKind, refusal: String?)
    case media(String)
    /// No store, and of this kind.
    case other(String)
    case unreadable(FileError)
  }

  private static func meaning(of file: ListedFile, in container: String) -> Meaning {
    do throws(FileError) {
      let input = try InputFile(file.place, followsLinks: false)
      let size = try input.size()
      let start = try input.bytes(at: 0, count: Int(min(size, 4096)))
      let kind = SourceKind(start: start, size: size).named("\(container)/\(file.path)")
      // A Realm file that was written in one go begins with the bytes of MPEG audio.
      if kind != .realm, let form = MediaForm.name(of: start) { return .media(form) }
      switch kind {
      case .empty, .folder: return .other(kind.words)
      // Compressed files are evenly random too; in a container only a store's name counts.
      case .encrypted, .unknown:
        guard
          ContainerRules.isDatabaseByName(
            file.path,
            isEncrypted: kind == .encrypted,
            byteCount: size
          )
        else { return .other(OtherTally.kind(ofName: file.path)) }
      default: break
      }
      return .store(kind, refusal: kind.refusal(file.path))
    } catch {
      return .unreadable(error)
    }
  }

  private static func form(of path: String) -> ContainerInspection.Form {
    if Folder.exists(path + "/StoreContent") { return .managedDocument }
    let isContainer = ["Library", "Documents", "AppData", "databases", "shared_prefs"].contains {
      Folder.exists(path + "/" + $0)
    }
    return isContainer ? .appContainer : .folder
  }
}

/// The files of a container without those that a person knows; for each pattern their number is said.
private struct KnownFiles {
  private(set) var files: [ListedFile] = []
  private(set) var skipped: [SkippedPlace] = []

  init(_ files: [ListedFile], _ skipped: [SkippedPlace], ignoring ignored: IgnoredFiles) {
    guard !ignored.patterns.isEmpty else {
      (self.files, self.skipped) = (files, skipped)
      return
    }
    var counts: [String: Int] = [:]
    for file in files {
      if let pattern = ignored.pattern(for: file.path) {
        counts[pattern, default: 0] += 1
      } else {
        self.files.append(file)
      }
    }
    self.skipped = skipped.filter { ignored.pattern(for: $0.path) == nil }
    for (pattern, count) in counts.sorted(by: { $0.key < $1.key }) {
      let files = count == 1 ? "1 file is" : "\(count) files are"
      self.skipped.append(
        SkippedPlace(path: pattern, reason: "\(files) left out by --ignore")
      )
    }
  }
}

/// The files that are no stores, counted by their kinds.
private struct OtherTally {
  private var kinds: [String: MediaTally] = [:]

  mutating func add(_ kind: String, _ size: Int64) {
    kinds[kind, default: MediaTally()].add(kind, size)
  }

  /// Adds the media of a folder that has too few to be named.
  mutating func add(_ media: MediaTally) {
    for (form, size) in media.sizes { add(form, size) }
  }

  /// The kinds with the most files first.
  var files: [OtherFiles] {
    kinds.map {
      OtherFiles(kind: $0.key, fileCount: $0.value.fileCount, byteCount: $0.value.byteCount)
    }
    .sorted { ($1.fileCount, $0.kind) < ($0.fileCount, $1.kind) }
  }

  /// The end of a name in lower case, with its point; a name may end in anything.
  static func kind(ofName path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else {
      return "without an extension"
    }
    let end = name[dot...].lowercased()
    let isPlain = end.utf8.dropFirst().allSatisfy {
      (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 == 0x2D
    }
    return isPlain && (2...13).contains(end.utf8.count) ? end : "with another extension"
  }
}

/// The media files of one folder, counted.
private struct MediaTally {
  private(set) var fileCount = 0
  private(set) var byteCount: Int64 = 0
  private var forms: [String: Int] = [:]
  /// The form and size of the first files.
  private(set) var sizes: [(form: String, byteCount: Int64)] = []

  mutating func add(_ form: String, _ size: Int64) {
    fileCount += 1
    byteCount += size
    forms[form, default: 0] += 1
    if sizes.count < SourceFinder.fewestMediaFiles { sizes.append((form, size)) }
  }

  func folder(at path: String) -> MediaFolder {
    MediaFolder(path: path, fileCount: fileCount, byteCount: byteCount, forms: forms)
  }
}
