import ExportPackage
import Files
import Profiles
import Records
import StoreReading

extension ExportStage {
  /// Says of a link where the app's container may be that it is not followed, where rows name files that
  /// lie there perhaps.
  func linkedContainer(
    of source: Source,
    _ manifest: PackageManifest
  ) throws(MigrationError) -> [Finding] {
    let finder = try filing { () throws(FileError) in
      try MediaFinder(of: source, container: container, profile: profile)
    }
    guard let link = finder.linkPassedOver else { return [] }
    let end = "." + MediaValue.State.refused.rawValue
    let areNamed = manifest.entities.contains { entity in
      entity.tallies.contains { $0.key.hasPrefix("media.") && $0.key.hasSuffix(end) }
    }
    return areNamed ? [.linkedContainer(link)] : []
  }
}

extension Finding {
  fileprivate static func linkedContainer(_ link: MediaFinder.Link) -> Finding {
    Finding(
      code: "media.container-link",
      severity: .warning,
      cause: "the files that rows name are not looked for behind \(link.path): it is a symbolic "
        + "link, and none is followed",
      cure: link.isInside
        ? "put the folder itself in its place, in a copy of the container, and name that copy: "
          + "--container FOLDER"
        : "name the container where it really lies: --container FOLDER"
    )
  }
}
