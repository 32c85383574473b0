import Checkpoint
package import Records
package import Simulation
package import UploadPlanning

// What histories ask of a ledger, asked of the real checkpoint. The model is reported the same.

extension SQLiteLedger {
  package func runs() throws(LedgerFault) -> [LedgerRun] {
    let file = try open()
    let records = try checking(file.runs())
    return records.map { record in
      LedgerRun(
        number: Int(record.number),
        kind: record.kind == .upload ? .upload : .rollback,
        stage: LedgerRun.Stage(record.stage),
        undoes: record.undoes.flatMap { Int($0) }
      )
    }
  }

  package mutating func beginRun(
    _ kind: LedgerRun.Kind,
    undoes: Int?
  ) throws(LedgerFault) -> Int {
    let file = try open()
    let number = model.beginRun(kind, undoes: undoes)
    let run = try checking(
      file.beginRun(
        id: "\(number)",
        kind: kind == .upload ? .upload : .rollback,
        package: "package",
        packagePath: "/package",
        undoes: undoes.map { "\($0)" },
        profile: StoredProfile(digest: "digest", yaml: ""),
        now: 1
      )
    )
    guard run.number == Int64(number) else { throw .torn("run \(number) is run \(run.number)") }
    return number
  }

  package mutating func add(_ step: LedgerStep, to run: Int) throws(LedgerFault) {
    model.add(step, to: run)
    var plan = PlanStep()
    plan.operations = step.drafts.map { draft in
      OperationDraft(
        phase: draft.phase,
        record: draft.record,
        action: draft.action,
        content: draft.content,
        requestDigest: draft.content,
        key: draft.key,
        serverID: draft.serverID,
        version: draft.version,
        before: draft.before,
        source: draft.source,
        undoes: draft.undoes
      )
    }
    plan.adoptions = step.adoptions.map { adoption in
      PlanStep.Adoption(
        record: adoption.record,
        serverID: adoption.serverID,
        version: adoption.version,
        content: adoption.content,
        requestDigest: adoption.content
      )
    }
    let (file, record, filled) = (try open(), try record(of: run), plan)
    try checking(file.add(filled, to: record, now: 1))
  }

  package mutating func addSeen(
    _ serverIDs: [String],
    of entity: EntityName
  ) throws(LedgerFault) {
    model.addSeen(serverIDs, of: entity)
    let file = try open()
    try checking(file.addSeen(serverIDs, of: entity))
  }

  package mutating func setStage(
    _ stage: LedgerRun.Stage,
    of run: Int
  ) throws(LedgerFault) {
    model.setStage(stage, of: run)
    let (file, record) = (try open(), try record(of: run))
    try checking(file.setStage(stage.recorded, of: record, now: 1))
  }

  package mutating func discardPlan(of run: Int) throws(LedgerFault) {
    let (file, record) = (try open(), try record(of: run))
    model.discardPlan(of: run)
    try checking(file.discardPlan(of: record))
  }

  package mutating func abandon(_ run: Int) throws(LedgerFault) {
    let (file, record) = (try open(), try record(of: run))
    model.abandon(run)
    try checking(file.abandon(record, now: 1))
  }

  package mutating func commit(_ changes: [OperationChange]) throws(LedgerFault) {
    model.commit(changes)
    let file = try open()
    try checking(file.commit(changes, now: 1))
  }

  package func page(
    of run: Int,
    phase: Int,
    after number: Int64,
    limit: Int,
    onlyBegun: Bool
  ) throws(LedgerFault) -> [Operation] {
    let (file, record) = (try open(), try record(of: run))
    return try checking(
      file.operations(
        of: record,
        phase: phase,
        after: number,
        limit: limit,
        onlyBegun: onlyBegun
      )
    )
  }

  package func operations(of run: Int) throws(LedgerFault) -> [Operation] {
    let (file, record) = (try open(), try record(of: run))
    return try checking { () throws(CheckpointError) in
      // Those of every state: the unsettled by their phases, the rest as the report reads them.
      var operations = try file.confirmed(of: record, before: .max, limit: 1_000).map(\.0)
      for phase in 0..<6 {
        operations += try file.operations(of: record, phase: phase, after: 0, limit: 1_000)
      }
      // What was refused is read as reports read it: how it ended, and where it is.
      let read = Set(operations.map(\.number))
      let planned = model.operations(of: run)
      for line in try file.settled(of: record, after: 0, limit: 1_000)
      where !read.contains(line.operation) {
        guard var operation = planned.first(where: { $0.number == line.operation }),
          let state = Operation.State(rawValue: line.state)
        else { continue }
        operation.state = state
        operation.serverID = line.serverID
        operation.version = line.version
        operations.append(operation)
      }
      return operations.sorted { $0.number < $1.number }
    }
  }

  package func known(_ record: RecordID) throws(LedgerFault) -> SyncState? {
    let file = try open()
    return try checking(file.known(record))
  }

  package func isAccountedFor(
    _ serverID: String,
    of entity: EntityName
  ) throws(LedgerFault) -> Bool {
    let file = try open()
    return try checking(file.isAccountedFor(serverID, of: entity))
  }

  package func isCreated(
    _ record: RecordID,
    inRunOf number: Int64
  ) throws(LedgerFault) -> Bool {
    let file = try open()
    return try checking(file.isCreated(record, inRunOf: number))
  }

  package func requestDigest(
    of record: RecordID,
    before number: Int64
  ) throws(LedgerFault) -> Digest? {
    let file = try open()
    return try checking(file.requestDigest(of: record, before: number))
  }
}

extension LedgerRun.Stage {
  init(_ stage: RunRecord.Stage) {
    switch stage {
    case .planning: self = .planning
    case .executing: self = .executing
    case .finished: self = .finished
    case .abandoned: self = .abandoned
    }
  }

  var recorded: RunRecord.Stage {
    switch self {
    case .planning: .planning
    case .executing: .executing
    case .finished: .finished
    case .abandoned: .abandoned
    }
  }
}
