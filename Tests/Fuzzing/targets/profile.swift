import JSONText
import ProfileSettings
import Profiles
import Records

extension FuzzTarget {
  /// The input, as a profile, may be refused, with a place and a cure for each fault; one that is taken is
  /// the same when it is read again.
  static let profile = FuzzTarget("profile") { input, report in
    let bytes = Array(input)
    do throws(ProfileError) {
      let profile = try Profile(yaml: bytes, path: "profile.yaml")
      let again = try Profile(yaml: bytes, path: "profile.yaml")
      report.expect(again == profile, "a profile that is read twice is not the same")
    } catch {
      report.expectReason(error.description)
    }
  }
}
