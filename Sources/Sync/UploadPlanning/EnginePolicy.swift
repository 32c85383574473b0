package import Records
package import Retrying

/// How patient and how eager a run is.
package struct EnginePolicy: Sendable {
  /// What the engine has to know of one phase.
  package struct Phase: Hashable, Sendable {
    package let entity: EntityName
    /// The most operations of one request.
    package let batchLimit: Int
    /// How long a lost request may still arrive, where it can only be looked up; `nil` where the
    /// same request can be repeated at once because a key or the identity makes it the same.
    package let settle: Duration?
    /// The same, where the same request can be repeated at once and the destination can be looked at
    /// as well: what no repeat heals is looked up after this time.
    package let settleOfRepeats: Duration?
    /// Whether it is a key that makes a repeat the same request: another key makes it another one.
    package let hasKeys: Bool
    /// Whether only an answer can show that the destination takes the identities that requests choose: until
    /// one did, records are made one at a time, and a lost request is looked up instead of repeated.
    package let isUnproven: Bool

    package init(
      entity: EntityName,
      batchLimit: Int,
      settle: Duration?,
      settleOfRepeats: Duration? = nil,
      hasKeys: Bool = false,
      isUnproven: Bool = false
    ) {
      precondition(batchLimit > 0, "a batch holds something")
      self.entity = entity
      self.batchLimit = batchLimit
      self.settle = settle
      self.settleOfRepeats = settleOfRepeats
      self.hasKeys = hasKeys
      self.isUnproven = isUnproven
    }
  }

  /// The phases in their order; an operation's phase is an index into this.
  package let phases: [Phase]
  /// The most requests in flight at once; fewer while the destination has trouble with them.
  package let concurrency: Int
  /// How often an operation is tried again after a passing fault, and how long to wait before.
  package let retry: RetryPolicy
  /// How many more requests of a run may come to nothing than are carried out.
  package let failureBudget = 1_000
  /// How long a change may appear on what was read before it, once the destination asked to wait since.
  package static let readingHolds: Duration = .seconds(10)
  /// The seed of the jitter, so that a run can be replayed.
  package let seed: UInt64
  /// Whether only what an earlier run left open is found out about, and nothing is sent.
  ///
  /// Only operations that were begun are loaded then. Each is looked up once its phase's `settle`
  /// has passed, regardless of its action; one that never arrived is planned again.
  package let settlesOnly: Bool

  package init(
    phases: [Phase],
    concurrency: Int = 2,
    retry: RetryPolicy = RetryPolicy(),
    seed: UInt64,
    settlesOnly: Bool = false
  ) {
    precondition(concurrency > 0, "at least one request is in flight")
    self.phases = phases
    self.concurrency = concurrency
    self.retry = retry
    self.seed = seed
    self.settlesOnly = settlesOnly
  }
}

/// A small generator of even random numbers (SplitMix64), so that a seed gives one history.
package struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
