import Files
import PropertyLists
import SQLiteStores
import StoreFiles

/// The table of contents of a device's backup: which file of which app has which hashed name.
///
/// `Manifest.db` has a table `Files` with a domain, a path in it and the file's name, which is the
/// SHA-1 of both; the file lies in a folder named by the first two digits.
struct BackupManifest {
  private(set) var files: [ListedFile] = []
  private(set) var skipped: [SkippedPlace] = []
  /// The apps that have files in the backup, by their bundle identifiers.
  private(set) var apps: Set<String> = []

  private let path: String
  private let app: String?
  private var foreign: [String: Int] = [:]
  private var leftOut: Set<String> = []

  private static let fileLimit = 1_000_000
  private static let appDomain = "AppDomain-"

  /// Whether the folder is a backup, also one of a form that is not read.
  static func isBackup(_ path: String) -> Bool {
    InputFile.isPresent(path + "/Manifest.mbdb")
      || (InputFile.isPresent(path + "/Manifest.db")
        && InputFile.isPresent(path + "/Manifest.plist"))
  }

  init(_ path: String, app: String?, into folder: String) throws(StoreError) {
    self.path = path
    self.app = app
    guard InputFile.isPresent(path + "/Manifest.db") else {
      throw .unreadableBackup(path: path, reason: "it was made by iOS 9 or older")
    }
    guard try !Self.isEncrypted(path) else { throw .encryptedBackup(path: path) }
    let copy = try StoreCopy(of: path + "/Manifest.db", into: folder)
    guard copy.kind == .sqlite else { throw .encryptedBackup(path: path) }
    try RollbackJournal.refuseCompany(of: copy)
    let database = try Database(path: copy.path, name: copy.sourcePath)
    let rows = try database.statement(
      "SELECT fileID, domain, relativePath FROM Files WHERE flags = 1 "
        + "AND substr(domain, 1, 9) = 'AppDomain' ORDER BY domain, relativePath",
      purpose: "read the table Files"
    )
    while try rows.step() {
      guard let name = rows.string(0), let domain = rows.string(1), let inner = rows.string(2)
      else { continue }
      try add(name, domain, inner)
    }
    for (domain, count) in foreign.sorted(by: { $0.key < $1.key }) {
      skip(domain, "\(count) files of another app")
    }
  }

  private mutating func add(
    _ name: String,
    _ domain: String,
    _ inner: String
  ) throws(StoreError) {
    if domain.hasPrefix(Self.appDomain) { apps.insert(Self.owner(of: domain)) }
    guard isOfApp(domain) else {
      foreign[domain, default: 0] += 1
      return
    }
    let shown = domain + "/" + inner
    guard !domain.contains("/"), Self.isInside(shown), Self.isFileName(name) else {
      return skip(shown, "its entry in Manifest.db is malformed")
    }
    if let (folder, reason) = Self.folderToSkip(domain, inner) {
      if leftOut.insert(folder).inserted { skip(folder, reason) }
      return
    }
    guard files.count < Self.fileLimit else {
      throw .unreadableBackup(path: path, reason: "the app has more than \(Self.fileLimit) files")
    }
    let place = "\(path)/\(name.prefix(2))/\(name)"
    do throws(FileError) {
      let size = try InputFile(place, followsLinks: false).size()
      files.append(ListedFile(path: shown, place: place, byteCount: size))
    } catch {
      if error.isMissing { return skip(shown, "the backup lacks its file \(name)") }
      skipped.append(SkippedPlace(path: shown, refused: error))
    }
  }

  private mutating func skip(_ path: String, _ reason: String) {
    skipped.append(SkippedPlace(path: path, reason: reason))
  }

  /// Whether a domain belongs to the app: its own, an extension's, or that of a group.
  ///
  /// A backup does not say which app uses which group; a group counts when its name and the app's
  /// identifier begin with the same three words.
  private func isOfApp(_ domain: String) -> Bool {
    guard let app else { return true }
    let owner = Self.owner(of: domain)
    if owner == app || owner.hasPrefix(app + ".") { return true }
    guard domain.hasPrefix("AppDomainGroup-") else { return false }
    let words = app.lowercased().split(separator: ".").prefix(3)
    let named = owner.lowercased().split(separator: ".").drop { $0 == "group" }
    return words.count == 3 && named.starts(with: words)
  }

  /// `com.example.app` of `AppDomain-com.example.app`.
  private static func owner(of domain: String) -> String {
    guard let hyphen = domain.firstIndex(of: "-") else { return domain }
    return String(domain[domain.index(after: hyphen)...])
  }

  private static func isInside(_ path: String) -> Bool {
    !path.utf8.contains(0)
      && path.split(separator: "/", omittingEmptySubsequences: false)
        .allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." && $0.utf8.count < 256 }
  }

  private static func isFileName(_ name: String) -> Bool {
    name.utf8.count == 40
      && name.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }

  /// The folder of a path that is not looked into, and why.
  private static func folderToSkip(_ domain: String, _ inner: String) -> (String, String)? {
    let parts = inner.split(separator: "/").map(String.init)
    for count in 1..<max(1, parts.count) {
      let folder = domain + "/" + parts.prefix(count).joined(separator: "/")
      // The large values of a store have to be copied with it.
      guard !ContainerRules.isSupportFolder(parts[count - 1]) else { continue }
      // In a backup a container always has a `Library`.
      if let reason = ContainerRules.reasonToSkip(folder, beside: count == 1 ? ["Library"] : []) {
        return (folder, reason)
      }
    }
    return nil
  }

  private static func isEncrypted(_ path: String) throws(StoreError) -> Bool {
    let list = path + "/Manifest.plist"
    let bytes = try mapping { () throws(FileError) in try InputFile.contents(of: list) }
    do throws(PropertyListError) {
      return try PropertyList(bytes: bytes)["IsEncrypted"]?.wholeNumber == 1
    } catch {
      throw .unreadableList(path: list, reason: error)
    }
  }
}
