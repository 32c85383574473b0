import ExportPackage
import Files
import Profiles
import Records

/// Finds the media files that rows name, in the app's container, and nowhere else.
struct MediaFinder {
  /// The app's container, or `nil` when there is none beside the store.
  let container: String?
  let writer: PackageWriter

  /// What became of the file that a row names.
  ///
  /// | the row says | the file | state |
  /// |---|---|---|
  /// | an address (`https://…`) | – | remote |
  /// | a name with `..` or from the root | – | refused |
  /// | a name | is there | present, and copied into the package |
  /// | a name | is not there, in a folder that the app empties by design | evicted |
  /// | a name | is not there | missing |
  func value(
    of rule: MediaRule,
    name bytes: UnsafeRawBufferPointer,
    entity: EntityName
  ) throws(PackageError) -> MediaValue {
    let name = String(decoding: bytes, as: UTF8.self)
    if name.hasPrefix("https://") || name.hasPrefix("http://") {
      return MediaValue(state: .remote, name: name, url: name)
    }
    guard Self.staysInside(name) else { return MediaValue(state: .refused, name: name) }
    if let path = path(of: name, folders: rule.folders) {
      let (digest, size) = try writer.addMedia(from: path, of: entity)
      return MediaValue(state: .present, name: name, sha256: digest, size: size)
    }
    return MediaValue(state: rule.isEvictable ? .evicted : .missing, name: name)
  }

  private func path(of name: String, folders: [String]) -> String? {
    guard let container else { return nil }
    for folder in folders {
      let path = "\(container)/\(folder)/\(name)"
      if InputFile.isPresent(path), !Folder.exists(path) { return path }
    }
    return nil
  }

  private static func staysInside(_ name: String) -> Bool {
    guard !name.isEmpty, !name.hasPrefix("/"), !name.utf8.contains(0) else { return false }
    return !name.split(separator: "/").contains("..")
  }

  /// The app's container: what the person said, or the first of the profile's candidates that is
  /// there and holds a folder that a media rule names.
  static func container(
    given: String?,
    store: String,
    profile: Profile
  ) -> String? {
    if let given { return given }
    let isContainer = Folder.exists(store)
    let home = isContainer ? store : Folder.parentPath(of: store)
    let folders = Set(profile.entities.flatMap(\.media).flatMap(\.folders))
    let candidates = (isContainer ? ["."] : []) + profile.source.containers
    return candidates.map { "\(home)/\($0)" }.first { candidate in
      folders.contains { Folder.exists("\(candidate)/\($0)") }
    }
  }
}
