import ExportPackage
import Files
import Profiles
import RecordMapping
import Records
import StoreFiles
import StoreReading

/// Finds the media files that rows name, in the app's container or its part of a backup, and
/// nowhere else.
struct MediaFinder {
  /// A place where the container may be, and is not looked for.
  struct PassedOver {
    let path: String
    let reason: Reason

    enum Reason {
      /// A symbolic link leads there.
      case linked
      /// A symbolic link lies in what would be the container.
      case linkInside
      /// It is outside of the store's folder, and the profile was found and not named.
      case outside
    }
  }

  /// The app's container, or `nil` when it is missing beside the store.
  private let container: String?
  /// The first place where the container may be, and is not looked for, if none was found.
  let passedOver: PassedOver?
  /// The backup that the store was read from; `nil` for any other source, and where the person
  /// named a container.
  private let backup: BackupFiles?
  /// What was fetched from the addresses that rows name; `nil` where was not asked for that.
  var fetched: FetchedMedia?

  /// Looks where the person said, or else where the store was read from.
  ///
  /// - Throws: ``FileError`` for a container that may not be entered.
  init(of source: Source, container given: String?, profile: Profile) throws(FileError) {
    if given == nil, let backup = source.backup {
      container = nil
      passedOver = nil
      self.backup = backup
    } else {
      (container, passedOver) = try Self.container(
        given: given,
        store: source.path,
        profile: profile
      )
      backup = nil
    }
  }

  /// What a row's name leads to.
  enum Found {
    case file(path: String)
    /// No file of the container; why not.
    case nothing(MediaValue)
  }

  /// What the name of a row leads to.
  ///
  /// | the row says | the file | state |
  /// |---|---|---|
  /// | an address (`https://…`) | was fetched | present, and copied into the package |
  /// | an address | was not | remote |
  /// | a name with `..` or from the root | – | refused |
  /// | a name | is a link, in a linked folder or container, or no plain file | refused |
  /// | a name | is larger than any such file, or next to nothing but a hole | refused |
  /// | a name | is there | present, and copied into the package |
  /// | a name | is not there, in a folder that the app clears by design | evicted |
  /// | a name | is not there | missing |
  ///
  /// - Throws: ``FileError`` where the folder of a file may not be entered.
  func find(_ name: String, by rule: MediaRule) throws(FileError) -> Found {
    if Self.isAddress(name) {
      if let path = fetched?.path(of: name) { return .file(path: path) }
      return .nothing(MediaValue(state: .remote, name: name, url: name))
    }
    guard Self.staysInside(name) else { return .nothing(MediaValue(state: .refused, name: name)) }
    var isRefused = passedOver != nil
    for folder in rule.folders {
      for (place, home) in places(of: "\(folder)/\(name)") {
        switch try PlacedFile(at: place, below: home) {
        case .file(let size, let heldBytes) where Self.isTaken(size, heldBytes):
          return .file(path: "\(home)/\(place)")
        case .file, .foreign: isRefused = true
        case .nothing, .folder: break
        }
      }
    }
    return .nothing(isRefused ? MediaValue(state: .refused, name: name) : gone(name, by: rule))
  }

  /// Where a file of the app may lie, and the folder that no place leads out of.
  private func places(of path: String) -> [(place: String, home: String)] {
    if let container { return [(path, container)] }
    guard let backup else { return [] }
    return backup.places(of: path).map { ($0, backup.path) }
  }

  /// Puts the file of a row into the package, where there is one.
  func value(
    of rule: MediaRule,
    name bytes: UnsafeRawBufferPointer,
    entity: EntityName,
    into writer: PackageWriter
  ) throws(PackageError) -> MediaValue {
    let name = String(decoding: bytes, as: UTF8.self)
    let found: Found
    do throws(FileError) {
      found = try find(name, by: rule)
    } catch {
      throw .file(error)
    }
    switch found {
    case .nothing(let value): return value
    case .file(let path):
      let (digest, size) = try writer.addMedia(from: FileSource(path), of: entity)
      return MediaValue(
        state: .present,
        name: name,
        sha256: digest,
        size: size,
        url: Self.isAddress(name) ? name : nil
      )
    }
  }

  /// Whether a row's name for a file is an address on the network.
  static func isAddress(_ name: String) -> Bool {
    let start = name.prefix("https://".count).lowercased()
    return start.hasPrefix("http://") || start.hasPrefix("https://")
  }

  private func gone(_ name: String, by rule: MediaRule) -> MediaValue {
    MediaValue(state: rule.isEvictable ? .evicted : .missing, name: name)
  }

  private static let largestFile: Int64 = 64 << 30
  /// From this size on a file must have at least a part in 64 of its bytes on the disk.
  private static let largestHole: Int64 = 1 << 30

  private static func isTaken(_ size: Int64, _ heldBytes: Int64) -> Bool {
    size <= largestFile && (size <= largestHole || heldBytes >= size / 64)
  }

  private static func staysInside(_ name: String) -> Bool {
    guard !name.isEmpty, !name.hasPrefix("/"), !name.utf8.contains(0) else { return false }
    return !name.split(separator: "/").contains("..")
  }

  /// The app's container: what the person said, or the first of the profile's candidates that is
  /// there and holds a folder that a media rule names; if it is missing, the first place of one that is
  /// passed over.
  ///
  /// - Throws: ``FileError`` for a candidate that may not be entered.
  private static func container(
    given: String?,
    store: String,
    profile: Profile
  ) throws(FileError) -> (container: String?, passedOver: PassedOver?) {
    if let given { return (given, nil) }
    let isContainer = Folder.exists(store)
    let home = isContainer ? store : Folder.parentPath(of: store)
    let folders = Set(profile.entities.flatMap(\.media).flatMap(\.folders)).sorted()
    var passedOver: PassedOver?
    let candidates = (isContainer ? ["."] : []) + profile.source.containers
    for candidate in candidates {
      for folder in folders {
        switch try PlacedFile(at: "\(candidate)/\(folder)", below: home) {
        case .folder:
          guard profile.isFound, Self.leadsOut(candidate) else {
            return ("\(home)/\(candidate)", nil)
          }
          passedOver =
            passedOver ?? PassedOver(path: "\(home)/\(candidate)", reason: .outside)
        case .foreign:
          passedOver = passedOver ?? Self.firstLink(on: candidate, to: folder, below: home)
        case .nothing, .file: break
        }
      }
    }
    return (nil, passedOver)
  }

  /// Whether a path, by its text alone, leads out of the folder that it is seen from.
  private static func leadsOut(_ path: String) -> Bool {
    var depth = 0
    for part in path.split(separator: "/") where part != "." {
      depth += part == ".." ? -1 : 1
      if depth < 0 { return true }
    }
    return false
  }

  private static func firstLink(
    on candidate: String,
    to folder: String,
    below home: String
  ) -> PassedOver? {
    var place = home
    let parts = candidate.split(separator: "/")
    let places = (parts + folder.split(separator: "/")).map { part in
      place += "/" + part
      return place
    }
    guard let path = Folder.firstLink(among: places) else { return nil }
    let isOnTheWay = places.prefix(parts.count).contains(path)
    return PassedOver(path: path, reason: isOnTheWay ? .linked : .linkInside)
  }
}
