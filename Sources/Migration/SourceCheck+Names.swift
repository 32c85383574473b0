import ExportPackage
import JSONText
import ProfileSettings
import Profiles

extension SourceCheck {
  /// How many records of an entity are looked at for the members that they have; an export gives each of them
  /// all.
  private static let recordsLookedAt = 100

  /// Refuses a profile that names members which the package's records do not have: what it says of them would
  /// never be sent.
  ///
  /// An export holds its profile against the store. A package may be sent by another profile.
  func checkNames(in package: PackageReader) throws {
    var faults: [ProfileFault] = []
    for entity in profile.entities where entity.waitsIn == nil {
      let stream = try package.records(of: entity.name)
      var members: Set<String> = []
      var count = 0
      while count < Self.recordsLookedAt,
        let line = try stream.next()?.line
      {
        count += 1
        // A line that is not one is refused when its own turn comes.
        let record = try? JSONValue(parsing: Array(line))
        members.formUnion((record?.object?.members ?? []).map(\.name))
      }
      if !members.isEmpty { faults += profile.faults(of: entity.name, having: members) }
    }
    guard faults.isEmpty else { throw ProfileError(faults: faults) }
  }
}
