import Migration
import Profiles
import UploadPlanning

/// What is to be moved, and how.
public struct MigrationOptions: Hashable, Sendable {
  /// The path of the store's file, or of the folder that its files lie in.
  public var store: String
  /// The path of the profile that describes the app; its schemas lie beside it.
  public var profile: String
  /// A folder of the app in which Ferry remembers how far it came.
  ///
  /// It has to outlive the process: put it beside the app's own data, not among its caches.
  public var stateFolder: String
  /// A destination that the profile names, or an address; the profile's only one unless given.
  public var destination: String?
  /// The app's container, where its media folders lie, when the profile does not lead there.
  public var container: String?
  /// What happens to records that break their schemas.
  public var invalidRecords = InvalidRecords.stop
  /// The most records that may be rejected before nothing is sent, as `25` or `1%`.
  public var maxRejects: String?
  /// Who wins where both sides changed; the profile decides unless given.
  public var conflicts: Conflicts?
  /// What happens when verification fails or the retries are spent.
  public var failure = Failure.keep
  /// Whether a store without any record, or with far fewer than were sent before, is moved too.
  public var allowsEmptyStore = false

  /// What happens to records that break their schemas.
  public enum InvalidRecords: Hashable, Sendable {
    /// Nothing is sent.
    case stop
    /// They are kept aside with what is the matter with them, and the rest goes on.
    case keepAside
  }

  /// Who wins where a record changed on both sides.
  public enum Conflicts: String, Hashable, Sendable {
    /// Nobody: it is left as it is, and counted as conflicted.
    case fail
    /// What stands at the destination stays.
    case server
    /// What the store holds is sent.
    case local
    /// The later state wins, where both sides have dates.
    case newest
    /// Both are brought together, member by member.
    case merge
  }

  /// What happens to what was sent when the migration fails.
  public enum Failure: Hashable, Sendable {
    /// It stays, and the next run goes on with it.
    case keep
    /// It is taken back.
    case rollBack
  }

  /// Names the three paths; everything else has a usual value.
  public init(store: String, profile: String, stateFolder: String) {
    self.store = store
    self.profile = profile
    self.stateFolder = stateFolder
  }
}

extension MigrationOptions {
  /// The same, for a session.
  func session(_ profile: Profile) -> SessionOptions {
    var session = SessionOptions(profile: profile)
    session.plan = PlanOptions(
      conflictPolicy: conflicts.flatMap { ConflictPolicy(rawValue: $0.rawValue) }
    )
    session.plan.allowsShrunkenSource = allowsEmptyStore
    return session
  }

  /// The same, for the check of records.
  func validity() throws(MigrationError) -> ValidityRule {
    let budget = maxRejects.flatMap(RecordLimit.init)
    if let maxRejects, budget == nil {
      throw .badChoice(
        reason: "maxRejects takes a number or a percentage, not “\(maxRejects)”",
        cure: "write 25 or 1%"
      )
    }
    return ValidityRule(keepsAside: invalidRecords == .keepAside, budget: budget)
  }
}
