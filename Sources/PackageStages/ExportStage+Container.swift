import ExportPackage
import RecordMapping
import Records
import StageSupport
import StoreReading

extension ExportStage {
  /// Says of a place where the app's container may be that nothing is read there, where rows name files
  /// that lie there perhaps.
  func passedContainer(
    of source: Source,
    _ manifest: PackageManifest
  ) throws -> [Finding] {
    let finder = try MediaFinder(of: source, container: container, profile: profile)
    guard let place = finder.passedOver else { return [] }
    let end = "." + MediaValue.State.refused.rawValue
    let areNamed = manifest.entities.contains { entity in
      entity.tallies.contains { $0.key.hasPrefix("media.") && $0.key.hasSuffix(end) }
    }
    guard areNamed else { return [] }
    return [place.reason == .outside ? .outerContainer(place) : .linkedContainer(place)]
  }
}

extension Finding {
  fileprivate static func linkedContainer(_ link: MediaFinder.PassedOver) -> Finding {
    Finding(
      code: "media.container-link",
      severity: .warning,
      cause: "the files that rows name are not looked for behind \(link.path): it is a symbolic "
        + "link, and none is followed",
      cure: link.reason == .linkInside
        ? "put the folder itself in its place, in a copy of the container, and name that copy: "
          + "--container FOLDER"
        : "name the container where it really lies: --container FOLDER"
    )
  }

  fileprivate static func outerContainer(_ place: MediaFinder.PassedOver) -> Finding {
    Finding(
      code: "media.container-outside",
      severity: .warning,
      cause:
        "the files that rows name are not looked for in \(place.path): the profile was found beside "
        + "the store and not named, and a profile found there may not lead out of the store's folder",
      cure:
        "name the profile if it is meant (--profile FILE), or the container (--container FOLDER)"
    )
  }
}
