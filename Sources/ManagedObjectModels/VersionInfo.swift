import Files
import PropertyLists

/// What a `.momd` says about its versions, in `VersionInfo.plist`.
struct VersionInfo {
  /// The hashes of the entities by name, by the name of the version.
  let hashes: [String: [String: [UInt8]]]
  let currentName: String?

  /// Reads the file in a bundle, or gives `nil` when the bundle has none.
  init?(inFolder path: String) throws(ModelFault) {
    let file = path + "/VersionInfo.plist"
    guard InputFile.isPresent(file) else { return nil }
    let list = try GivenModels.list(file)
    currentName = list["NSManagedObjectModel_CurrentVersionName"]?.text
    var hashes: [String: [String: [UInt8]]] = [:]
    for version in list["NSManagedObjectModel_VersionHashes"]?.members ?? [] {
      hashes[version.name] = Dictionary(
        (version.value.members ?? []).map { ($0.name, $0.value.bytes ?? []) },
        uniquingKeysWith: { first, _ in first }
      )
    }
    self.hashes = hashes
  }

  /// Reads the file beside a `.mom` that lies in a bundle.
  init?(besideModel path: String) throws(ModelFault) {
    let folder = Folder.parentPath(of: path)
    guard path.hasSuffix(".mom"), folder.hasSuffix(".momd") else { return nil }
    try self.init(inFolder: folder)
  }
}
