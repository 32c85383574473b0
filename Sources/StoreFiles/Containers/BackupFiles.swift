/// Where the files of an app lie in a device's backup, by the paths they have on the device.
package struct BackupFiles: Sendable {
  /// The backup's folder.
  package let path: String
  /// What the backup calls the app's containers: its own before those of groups and extensions.
  private let domains: [String]
  /// The places below the backup's folder, by container and path.
  private let places: [String: String]

  package init(_ path: String, _ files: [String: ListedFile]) {
    self.path = path
    var domains: Set<String> = []
    for name in files.keys {
      if let domain = name.split(separator: "/").first { domains.insert(String(domain)) }
    }
    self.domains = domains.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    // A file lies in a folder named by the first two digits of its own name.
    places = files.mapValues { $0.place.split(separator: "/").suffix(2).joined(separator: "/") }
  }

  /// The places below ``path`` of the files that the containers have at this path, in their order.
  package func places(of path: String) -> [String] {
    let parts = path.split(separator: "/").filter { $0 != "." }
    guard !parts.contains("..") else { return [] }
    let inner = parts.joined(separator: "/")
    return domains.compactMap { places["\($0)/\(inner)"] }
  }
}
