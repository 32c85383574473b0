package import Records
package import UploadPlanning

/// What a run writes down and reads back: the part of a checkpoint that a simulated history needs.
///
/// The histories run over a model of it, or over the real checkpoint.
package protocol Ledger {
  associatedtype Failure: Error

  func runs() throws(Failure) -> [LedgerRun]
  /// Begins a run, still without operations, and gives its number.
  mutating func beginRun(_ kind: LedgerRun.Kind, undoes: Int?) throws(Failure) -> Int
  mutating func add(_ step: LedgerStep, to run: Int) throws(Failure)
  mutating func addSeen(_ serverIDs: [String], of entity: EntityName) throws(Failure)
  mutating func setStage(_ stage: LedgerRun.Stage, of run: Int) throws(Failure)
  /// Drops a run that never began.
  mutating func discardPlan(of run: Int) throws(Failure)
  /// Gives up what a run only planned.
  mutating func abandon(_ run: Int) throws(Failure)
  mutating func commit(_ changes: [OperationChange]) throws(Failure)
  /// The next unsettled operations of a phase.
  func page(
    of run: Int,
    phase: Int,
    after number: Int64,
    limit: Int,
    onlyBegun: Bool
  ) throws(Failure) -> [Operation]
  /// All operations of a run, in their order.
  func operations(of run: Int) throws(Failure) -> [Operation]
  func known(_ record: RecordID) throws(Failure) -> SyncState?
  func isAccountedFor(_ serverID: String, of entity: EntityName) throws(Failure) -> Bool
  /// Whether the run of an operation also made the record that it is about.
  func isCreated(_ record: RecordID, inRunOf number: Int64) throws(Failure) -> Bool
  /// The digest of what the last confirmed operation on a record before `number` sent.
  func requestDigest(of record: RecordID, before number: Int64) throws(Failure) -> Digest?
  /// Loses what a crash loses, perhaps in the middle of a commit, and opens what is left.
  mutating func crash(
    interrupting changes: [OperationChange]?,
    random: inout SeededRandom
  ) throws(Failure)
}

/// A run as a ledger holds it.
package struct LedgerRun: Hashable, Sendable {
  /// What a run is for.
  package enum Kind: Hashable, Sendable { case upload, rollback }
  /// How far a run is.
  package enum Stage: Hashable, Sendable { case planning, executing, finished, abandoned }

  package let number: Int
  package let kind: Kind
  package var stage: Stage
  /// The run that this one rolls back.
  package let undoes: Int?

  package init(number: Int, kind: Kind, stage: Stage, undoes: Int?) {
    self.number = number
    self.kind = kind
    self.stage = stage
    self.undoes = undoes
  }

  package var isOpen: Bool { stage == .planning || stage == .executing }
}

/// What one step of planning adds to a run.
package struct LedgerStep: Sendable {
  /// Operations whose numbers the ledger gives, in their order.
  package var drafts: [Operation] = []
  package var adoptions: [Adoption] = []

  package init() {}

  /// A record that is at the destination already.
  package struct Adoption: Sendable {
    package let record: RecordID
    package let serverID: String
    package let version: String?
    package let content: Digest
  }
}

extension Operation {
  /// The same operation under another number.
  package func numbered(_ number: Int64) -> Operation {
    Operation(
      number: number,
      phase: phase,
      record: record,
      action: action,
      content: content,
      key: key,
      state: state,
      serverID: serverID,
      version: version,
      before: before,
      source: source,
      undoes: undoes
    )
  }
}
