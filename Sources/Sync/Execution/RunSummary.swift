package import Checkpoint
package import Records
package import UploadPlanning

/// How many records of each entity ended in which bucket, and what is left to do.
package struct RunSummary: Hashable, Sendable {
  package struct Line: Hashable, Sendable {
    package let entity: EntityName
    package var buckets: [RecordOutcome: Int] = [:]

    package var total: Int { buckets.values.reduce(0, +) }
  }

  package let run: RunRecord
  /// Whose records the run changes, and where.
  package let binding: CheckpointBinding
  /// Records, by entity.
  package let records: [Line]
  /// Files of media categories, by category.
  package let media: [Line]
  /// How many operations there are of each kind, by entity.
  package let actions: [EntityName: [Operation.Action: Int]]
  package let operationCount: Int
  package let settledCount: Int
  /// Whether a record that is there was refused what it only takes then.
  package let hasUncompleted: Bool
  /// Whether a queue of the app has changes of which the run carries none, or lacks changes that a rollback
  /// reversed, and that no earlier run named.
  package let hasUnreplayedQueue: Bool
  /// Whether the destination has all that was planned.
  package let isWhole: Bool
  /// The first of the findings, and the first of each rule.
  package let findings: [Finding]
  /// How many findings each rule has, however many are listed.
  package let ruleCounts: [Finding.Rule: Int]
  /// Which fields the updates of a plan change, by entity; empty where the run did not ask.
  package let changes: [EntityChanges]

  private static let findingLimit = 1_000

  /// Reads what the checkpoint says of a run, but for its operations where these have been `counted`.
  package init(
    run: RunRecord,
    checkpoint: CheckpointFile,
    counted: [OperationCount]? = nil
  ) throws(CheckpointError) {
    var lines: [EntityName: Line] = [:]
    for tally in try checkpoint.tallies(of: run) {
      guard let bucket = RecordOutcome(rawValue: tally.bucket) else { continue }
      lines[tally.entity, default: Line(entity: tally.entity)]
        .buckets[bucket, default: 0] += tally.count
    }
    var actions: [EntityName: [Operation.Action: Int]] = [:]
    var operationCount = 0
    var settledCount = 0
    var states: Set<Operation.State?> = []
    var hasUncompleted = false
    let counts = if let counted { counted } else { try checkpoint.counts(of: run) }
    for counted in counts {
      let (entity, count) = (counted.entity, counted.count)
      operationCount += count
      let action = Operation.Action(rawValue: counted.action)
      let state = Operation.State(rawValue: counted.state)
      states.insert(state)
      guard let action, let state, let bucket = Self.bucket(counted) else {
        states.insert(nil)
        continue
      }
      if state.isSettled { settledCount += count }
      actions[entity, default: [:]][action, default: 0] += count
      if action == .complete {
        // A completion belongs to its record's creation.
        if state == .rejected { hasUncompleted = true }
      } else {
        lines[entity, default: Line(entity: entity)].buckets[bucket, default: 0] += count
      }
    }
    if run.kind == .rollback {
      // That record counts as what becomes of it in the end.
      for freed in try checkpoint.freeings(of: run) {
        guard let bucket = Self.bucket(freed) else { continue }
        lines[freed.entity]?.buckets[bucket, default: 0] -= freed.count
      }
    } else if lines.contains(where: { entity, line in
      line.buckets[.unchanged] != nil && actions[entity]?[.complete] != nil
    }) {
      // The plan counts a record that it found as unchanged, also where it lacks what the run sends.
      for completed in try checkpoint.completions(of: run) {
        guard let bucket = Self.bucket(completed) else { continue }
        lines[completed.entity]?.buckets[.unchanged, default: 0] -= completed.count
        lines[completed.entity]?.buckets[bucket, default: 0] += completed.count
      }
    }
    changes = try EntityChanges.all(of: run, in: checkpoint)
    self.run = run
    binding = checkpoint.binding
    self.actions = actions
    self.hasUncompleted = hasUncompleted
    self.operationCount = operationCount
    self.settledCount = settledCount
    isWhole = states.isSubset(of: [.confirmed, .adopted])
    let sorted = lines.values.sorted { $0.entity < $1.entity }
    records = sorted.filter { $0.entity.mediaCategory == nil }
    media = sorted.filter { $0.entity.mediaCategory != nil }
    hasUnreplayedQueue = try checkpoint.hasUnreplayedQueue(in: run)
    var findings = try checkpoint.findings(of: run, limit: Self.findingLimit)
    // Both read all operations of the run.
    if !states.isDisjoint(with: [.rejected, .conflicted, .unknown]) {
      findings += try checkpoint.refusals(of: run, limit: Self.findingLimit)
    }
    var ruleCounts = try checkpoint.ruleCounts(of: run)
    if states.contains(.adopted) {
      let found = try checkpoint.foundThere(by: run)
      findings += found
      for finding in found { ruleCounts[finding.rule, default: 0] += 1 }
    }
    let listed = Set(findings.map(\.rule))
    if !listed.isSuperset(of: ruleCounts.keys) {
      findings += try checkpoint.firstOfRules(of: run).filter { !listed.contains($0.rule) }
    }
    self.findings = findings
    self.ruleCounts = ruleCounts
  }

  /// How many findings there are of each severity, however many are listed.
  package var findingCounts: [Finding.Severity: Int] { ruleCounts.bySeverity }

  /// The bucket that a record counts for by an operation; `nil` for one that no version knows.
  private static func bucket(_ counted: OperationCount) -> RecordOutcome? {
    guard let action = Operation.Action(rawValue: counted.action),
      let state = Operation.State(rawValue: counted.state)
    else { return nil }
    switch state {
    case .planned, .begun: return .remaining
    case .unknown: return .unknown
    case .rejected: return .rejected
    case .conflicted: return .conflicted
    case .adopted: return .unchanged
    case .confirmed where counted.isFoundDone: return action.removes ? .gone : .unchanged
    case .confirmed:
      switch action {
      case .create, .upload: return .created
      case .update, .restore: return .updated
      case .complete: return .completed
      case .delete, .uncreate, .unupload, .discard: return .deleted
      }
    }
  }

  /// How many records are in a bucket, over all entities.
  package func count(_ bucket: RecordOutcome) -> Int {
    records.reduce(0) { $0 + ($1.buckets[bucket] ?? 0) }
  }

  /// Whether any record or file is in a bucket.
  package func hasAny(_ bucket: RecordOutcome) -> Bool {
    (records + media).contains { ($0.buckets[bucket] ?? 0) > 0 }
  }

  /// The records of all buckets together, which is every record that was read.
  package var total: Int { records.reduce(0) { $0 + $1.total } }
}
