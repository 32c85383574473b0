/// Decides what a run does next, and touches nothing itself.
///
/// The engine is a value. It is reported what happened (``EngineEvent``) and answers with what has to
/// be done (``EngineEffect``); a shell reads, sends, commits and waits for it. The same engine
/// therefore runs for real, under test and under simulation.
///
/// An operation travels like this; `│` is a commit that has to be on the disk before the next step:
///
/// ```
/// planned ─► (read) ─► begin │ send ─► confirm / reject / conflict │ settled
///                              ├─► lost │ look up ─► confirm │ settled
///                              │                └─► absent │ planned
///                              ├─► there before │ look up ─► adopt │ settled
///                              └─► staged │ send
/// ```
///
/// Three rules keep it safe:
///
/// - Nothing is sent whose intent is not on the disk.
/// - A lost answer is looked up before anything more of its phase is begun, once `settle` has
///   passed and no request of the phase is in flight. Where a key or the identity makes a repeat
///   the same request, it is repeated instead; where a repeat under the same key fails each time, the
///   destination is looked at after all, and what is not there is sent under another key. A change of
///   a record that is read first is read again, with the same patience. What the destination fails to
///   show of one record holds up no other of the phase: it is looked up again in the end, and stays lost.
/// - A refusal of a repeat says nothing of the request before it, whose answer was lost: that one is looked up.
/// - Where a destination may choose identities itself, the first record of a phase is made alone. An answer with
///   another identity than the request chose is written down, and ends the run.
/// - The next phase begins only when every operation of this one is settled.
package struct UploadEngine: Sendable {
  let policy: EnginePolicy
  var random: SeededRandom
  var jitter = 0.0
  /// How many answers came one after the other that asked to wait.
  var pausesInARow = 0
  /// How many requests the destination carried out.
  var answeredCount = 0
  /// How many came to nothing.
  var failedCount = 0

  var phase = 0
  var loading = Loading.wanted(after: 0)
  /// How far the operations are that are in memory, and these themselves: by their numbers.
  var tracked = TrackedOperations()
  var operations = NumberedWindow<Operation>()
  /// Operations that may be begun, in their order.
  var queue: [Int64] = []
  var flights: [FlightID: Flight] = [:]
  var lastFlight = 0
  var lastGroup = 0

  var waiting: [OperationChange] = []
  var committing: [OperationChange] = []

  /// Whether a record of the phase was made under the identity that its request chose.
  var isProven = false

  var quietUntil: Duration = .zero
  var wakeAt: Duration?
  var pace: Pace
  var batchLimit: Int
  /// Full requests in a row that were not too large; see ``growBatches(after:)``.
  var fittingInARow = 0
  var end: EngineConclusion?
  var isFinished = false

  package init(policy: EnginePolicy) {
    self.policy = policy
    self.random = SeededRandom(seed: policy.seed)
    self.pace = Pace(width: policy.concurrency)
    self.batchLimit = policy.phases.first?.batchLimit ?? 1
  }

  /// Takes an event in and says what has to be done now.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - now: The time since the run began, never going back.
  /// - Returns: What the shell does next, in this order.
  package mutating func handle(_ event: EngineEvent, now: Duration) -> [EngineEffect] {
    precondition(!isFinished, "a finished run takes no events")
    // One draw an event keeps the operations of a request together when they wait.
    jitter = Double.random(in: 0..<1, using: &random)
    take(event, now: now)
    return step(now: now)
  }

  /// The most requests that may be in flight by now.
  package var requestLimit: Int { pace.width }

  /// The operations that are in memory, which never grows with the plan.
  package var trackedCount: Int { tracked.count }
}

extension UploadEngine {
  enum Loading {
    case wanted(after: Int64)
    case asked(after: Int64)
    case exhausted
  }

  enum Stage {
    /// In the queue, or waiting for its time to come again.
    case ready
    case reading
    /// Its intent is waiting for a commit.
    case beginning
    /// Its intent is on the disk.
    case begun
    case sending
    /// Lost; may still arrive until then.
    case lost(settled: Duration)
    /// The same, and looked up together with all others of its kind once nothing else of the phase is left.
    case parked(settled: Duration)
    case lookingUp
    /// Its outcome is waiting for a commit.
    case settling
    /// It is known not to have arrived, and that is waiting for a commit.
    case revoking
  }

  struct Tracked {
    let action: Operation.Action
    var stage: Stage
    /// How often a request for it, or a look-up, came to nothing; and how often in a row a reading did.
    var attempts = 0
    var attemptsToRead = 0
    var notBefore: Duration = .zero
    /// The group it was begun with, which is sent together.
    var group = 0
    /// When it was last read; `nil` for what needs no reading.
    var readAt: Duration?
    /// Whether a request for it left and it is unknown what became of that.
    var mayHaveArrived = false
    /// The failures that may lie in it.
    var failures = Failures()
    /// Whether the destination had it before any request for it can have arrived.
    var alreadyExisted = false
    /// How often the destination said that it is there.
    var saidToBeThere = 0
    /// Whether it is rejected as soon as it is known not to have arrived.
    var isDeadLetter = false
    /// Whether it is looked up although its request could be repeated.
    var isLookedUp = false
    /// Whether its key was changed in this run, as it was looked up and not there.
    var hasOtherKey = false
    /// How often a repeat was refused after a request without an answer.
    var refusedRepeats = 0
    /// Why it is known to be at the destination, under an identity that is unknown.
    var displacement: String?
    /// Whether the destination answered that it made it, and not where: if it is not found, nothing makes another.
    var isUnnamed = false
    /// Whether a look-up could not say what became of it.
    var isInDoubt = false
    /// Whether a conflict was already held against the record as it is.
    var isConflictRead = false

    var isBegun: Bool {
      if case .begun = stage { true } else { false }
    }

    /// Whether it was begun and nothing was sent.
    var isPrepared: Bool {
      if case .beginning = stage { true } else { isBegun }
    }
  }

  struct Flight {
    enum Kind { case read, send, lookUp }
    let kind: Kind
    let operations: [Int64]
  }
}
