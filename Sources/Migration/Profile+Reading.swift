import Backends
import Files
package import Profiles

extension Profile {
  /// Reads the profile at a path.
  ///
  /// - Throws: ``MigrationError/noProfile(_:)`` where there is none.
  package init(at path: String) throws(MigrationError) {
    guard InputFile.isPresent(path) else { throw .noProfile(path) }
    let bytes = try filing { () throws(FileError) in
      try InputFile.contents(of: path, limit: 4 << 20)
    }
    self = try profiling { () throws(ProfileError) in try Profile(yaml: bytes, path: path) }
  }

  /// The address of a destination: the one that is named, else `origin`, else the profile's only one.
  ///
  /// - Parameters:
  ///   - name: A destination's name, or an address.
  ///   - origin: Where an earlier run went.
  /// - Returns: The address.
  /// - Throws: ``MigrationError/destination(_:)`` where there is no telling which one is meant.
  package func address(
    ofDestination name: String?,
    origin: String? = nil
  ) throws(MigrationError) -> String {
    if let name { return destinations.first { $0.name == name }?.url ?? name }
    if let origin { return origin }
    guard destinations.count == 1, let only = destinations.first else {
      throw .destination(
        .misconfigured(
          reason: "no destination is given",
          cure: "name one with --to: "
            + (destinations.map(\.name) + ["an address"]).joined(separator: ", ")
        )
      )
    }
    return only.url
  }
}
