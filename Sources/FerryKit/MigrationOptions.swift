import HTTPTransport
import Migration
import PackageStages
import Planning
import Profiles
import Reconciliation
import StageSupport
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
  /// Whether a store is moved that has no record, or far fewer than were sent before; or that has
  /// no identity of its own, and lies elsewhere than before or has no record as it was sent.
  public var allowsEmptyStore = false
  /// Whether media that records name by an address is fetched into the package first; without this
  /// the records keep their addresses, and no request is sent for anything.
  public var mediaFetching: MediaFetching?

  /// How media is fetched that records name by an address: over http and https, without any
  /// credential, from hosts that the profile allows.
  ///
  /// An address that gives no file is a finding of the outcome, and its record keeps the address.
  public struct MediaFetching: Hashable, Sendable {
    /// The largest file that is fetched, in bytes.
    public var fileSize: Int64
    /// The most addresses that are asked in one run; the same again asks the rest.
    public var count: Int
    /// The longest that one file may take.
    public var time: Duration

    /// Makes limits; those of `ferry migrate --fetch-media` unless given.
    public init(
      fileSize: Int64 = 50 << 20,
      count: Int = 10_000,
      time: Duration = .seconds(60)
    ) {
      self.fileSize = fileSize
      self.count = count
      self.time = time
    }
  }

  /// What happens to records that break their schemas.
  public enum InvalidRecords: Hashable, Sendable {
    /// Nothing is sent.
    case stop
    /// They are quarantined with what is the matter with them, and the rest goes on.
    case quarantine
  }

  /// Who wins where a record changed on both sides.
  public enum Conflicts: String, Hashable, Sendable {
    /// No one: it is left as it is, and counted as conflicted.
    case fail
    /// The content at the destination stays.
    case remote
    /// What the store holds is sent.
    case local
    /// The later state wins, where both sides have dates.
    case newest
    /// Both are merged, member by member.
    case merge
  }

  /// What happens to what was sent when the migration fails.
  public enum Failure: Hashable, Sendable {
    /// It stays, and the next run goes on with it.
    case keep
    /// It is rolled back.
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
    session.acceptsChangedStore = allowsEmptyStore
    return session
  }

  /// The same, for the fetching of media; `nil` where none is wanted.
  func fetching() throws -> FetchLimits? {
    guard let mediaFetching else { return nil }
    guard mediaFetching.fileSize > 0, mediaFetching.count > 0, mediaFetching.time > .zero else {
      throw MigrationError.badChoice(
        reason: "a limit of mediaFetching is nought or less",
        cure: "give bytes, a count and a time, or leave mediaFetching out"
      )
    }
    var limits = FetchLimits()
    limits.size = mediaFetching.fileSize
    limits.count = mediaFetching.count
    limits.time = mediaFetching.time
    return limits
  }

  /// The same, for the check of records.
  func validity() throws -> ValidityRule {
    let budget = maxRejects.flatMap(RecordLimit.init)
    if let maxRejects, budget == nil {
      throw MigrationError.badChoice(
        reason: "maxRejects takes a number or a percentage, not “\(maxRejects)”",
        cure: "write 25 or 1%"
      )
    }
    return ValidityRule(quarantines: invalidRecords == .quarantine, budget: budget)
  }
}
