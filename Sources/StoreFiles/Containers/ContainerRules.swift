/// What in an app's container is the app's data, and what is not.
///
/// https://developer.apple.com/documentation/foundation/file-system
/// https://developer.android.com/training/data-storage/app-specific
package enum ContainerRules {
  /// Folders in `Library` that the system keeps for itself.
  private static let systemFolders: Set<String> = [
    "Cookies", "HTTPStorages", "Saved Application State", "SplashBoard", "WebKit",
  ]

  /// Folders beside the databases and preferences of an Android app.
  private static let androidCaches: Set<String> = ["app_webview", "cache", "code_cache"]

  /// Why a folder is not looked into, or `nil` when it is.
  package static func reasonToSkip(_ path: String, beside names: [String]) -> String? {
    let parts = path.split(separator: "/").map(String.init)
    guard let name = parts.last else { return nil }
    let parent = parts.dropLast().last
    if name == "Caches", parent == "Library" {
      return "the system may empty it at any time, so it holds no data of the app's own"
    }
    if name == "tmp", names.contains("Library") || names.contains("Documents") {
      return "the system may empty it at any time, so it holds no data of the app's own"
    }
    if androidCaches.contains(name), names.contains("databases") || names.contains("shared_prefs") {
      return "Android may empty it at any time, so it holds no data of the app's own"
    }
    if parent == "Library", systemFolders.contains(name) || name.hasPrefix("com.apple.") {
      return "the system keeps it for itself"
    }
    if isSupportFolder(name) {
      return "it holds the large values of the store beside it, and is read with that"
    }
    return realmReason(name, beside: names)
  }

  /// Why a by-product of Realm is not read, or `nil` for any other name.
  static func realmReason(_ name: String, beside names: [String]) -> String? {
    guard let database = realmDatabase(ofByProduct: name), names.contains(database) else {
      return nil
    }
    return "Realm keeps it beside \(database), and it holds no data of the app's"
  }

  /// Whether Core Data keeps values in this folder: `.default_SUPPORT` for `default.store`.
  package static func isSupportFolder(_ name: String) -> Bool {
    name.hasPrefix(".") && name.hasSuffix("_SUPPORT")
  }

  /// What Realm keeps beside a database, by the end of its name; nothing in it is the app's data.
  ///
  /// `.note` is a named pipe, which is never opened, and `.management` a folder.
  private static let realmByProducts = [
    ".lock", ".fresh.lock", ".note", ".management", ".log", ".log_a", ".log_b",
  ]

  /// The database that a by-product of Realm lies beside: `default.realm` of `default.realm.lock`.
  static func realmDatabase(ofByProduct path: String) -> String? {
    realmByProducts.lazy.filter { path.hasSuffix($0) }.map { String(path.dropLast($0.count)) }
      .first { $0.hasSuffix(".realm") }
  }

  static func mapRefusal(_ path: String) -> String? {
    path.split(separator: "/").dropLast().last == "shared_prefs"
      ? nil : "it looks like preferences outside shared_prefs; name it to have it read"
  }

  /// Only preferences are read without being asked for; containers are full of other lists.
  static func listRefusal(_ path: String) -> String? {
    let parts = path.split(separator: "/")
    guard parts.suffix(3).dropLast() == ["Library", "Preferences"], let name = parts.last else {
      return "it is a property list outside Library/Preferences; name it to have it read"
    }
    guard name.hasPrefix("com.apple.") || name.hasPrefix(".") else { return nil }
    return "it holds preferences of the system"
  }

  // MARK: - What lies beside databases

  /// Files of the system and of other programs that hold nothing of an app's.
  private static let knownNames: Set<String> = [
    ".DS_Store", ".localized", ".nomedia", "Thumbs.db", "desktop.ini",
  ]

  /// Whether a file belongs to a database beside it, or is known to hold nothing of an app's.
  package static func isByProduct(_ path: String, of files: [String: ListedFile]) -> Bool {
    let name = String(path.split(separator: "/").last ?? "")
    if knownNames.contains(name) { return true }
    if let database = realmDatabase(ofByProduct: path) { return files[database] != nil }
    let folder = String(path.dropLast(name.utf8.count))
    if name == "lock.mdb" { return files[folder + "data.mdb"] != nil }
    if files[folder + "CURRENT"] != nil, isOfLevelDB(name) { return true }
    let ends = SourceFile.Part.allCases.map(\.rawValue).filter { !$0.isEmpty } + [".lck"]
    return ends.contains { path.hasSuffix($0) && files[String(path.dropLast($0.count))] != nil }
  }

  /// Whether LevelDB gives files of its own this name.
  ///
  /// https://github.com/google/leveldb/blob/main/doc/impl.md
  private static func isOfLevelDB(_ name: String) -> Bool {
    ["LOCK", "LOG", "LOG.old"].contains(name) || name.hasPrefix("MANIFEST-")
      || [".ldb", ".sst", ".log"].contains(where: name.hasSuffix)
  }

  /// Whether a file without the mark of a known kind is a database by its name or its folder.
  package static func isDatabaseByName(_ path: String, isEncrypted: Bool, byteCount: Int64) -> Bool
  {
    let parts = path.lowercased().split(separator: "/")
    guard let name = parts.last else { return false }
    if databaseEndings.contains(where: name.hasSuffix) { return true }
    // Where Android keeps databases, the name is often without an ending.
    if parts.dropLast().last == "databases" { return isEncrypted || !name.contains(".") }
    return isEncrypted && !name.contains(".") && byteCount % 4096 == 0 && byteCount > 4096
  }

  private static let databaseEndings = [
    ".sqlite", ".sqlite3", ".store", ".db", ".storedata", ".sqlitedb", ".realm", ".mdb", ".hive",
    ".isar", ".cblite", ".ldb", ".obx",
  ]
}
