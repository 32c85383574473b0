import DestinationModel
import Files
import JSONText
package import ProfileSettings
package import Profiles

extension Profile {
  /// Reads the profile at a path, and the schemas and presets beside it that it names; `given` has the values
  /// that a person gives its variables.
  ///
  /// - Throws: ``MigrationError/noProfile(_:near:)`` if it is missing.
  package init(at path: String, given: GivenValues = .none) throws {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try InputFile.contents(of: path, limit: 4 << 20)
    } catch {
      guard error.isMissing else { throw error }
      throw MigrationError.noProfile(path, near: Self.name(near: path))
    }
    let folder = Folder.parentPath(of: path)
    self = try Profile(yaml: bytes, path: path, given: given) { name in
      try? InputFile.contents(of: "\(folder)/\(name)", limit: 16 << 20)
    }
  }

  /// The file in the same folder whose name is nearest to that of a profile that is not there.
  private static func name(near path: String) -> String? {
    let folder = Folder.parentPath(of: path)
    do throws(FileError) {
      let names = try Folder.names(in: folder).filter {
        $0.hasSuffix(".yaml") || $0.hasSuffix(".yml")
      }
      guard let near = NearestWord.to(Folder.lastName(of: path), among: names.sorted()) else {
        return nil
      }
      return folder == "." ? near : "\(folder)/\(near)"
    } catch {
      // A folder that cannot be read has nothing to offer.
      return nil
    }
  }

  /// The address of a destination: the one that is named, else `origin`, else the profile's only one.
  ///
  /// - Parameters:
  ///   - name: A destination's name, or an address.
  ///   - origin: Where an earlier run went.
  /// - Returns: The address.
  /// - Throws: `DestinationError.misconfigured` where nothing says which one is meant.
  package func address(
    ofDestination name: String?,
    origin: String? = nil
  ) throws -> String {
    if let name {
      if let named = destinations.first(where: { $0.name == name }) { return named.url }
      // An address has a scheme, and so has a folder.
      guard name.contains(":") else {
        throw unnamed("the profile has no destination of the name “\(name)”")
      }
      return name
    }
    if let origin { return origin }
    guard destinations.count == 1, let only = destinations.first else {
      throw unnamed("no destination is given")
    }
    return only.url
  }

  private func unnamed(_ reason: String) -> DestinationError {
    let others = ["an address like https://api.example.com", "file:FOLDER"]
    let names = destinations.map(\.name) + others
    return .misconfigured(
      reason: reason,
      cure: "name one with --to: " + names.joined(separator: ", ")
    )
  }
}
