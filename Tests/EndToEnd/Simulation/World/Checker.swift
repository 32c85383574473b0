import Records
import UploadPlanning

/// Holds the end of a command against what was to be done, by the rows of the destination, the
/// ledger and the package; it knows nothing of the engine.
struct Checker<Disk: Ledger> {
  private let history: History<Disk>
  /// The rows that existed when the command began.
  private let before: [SimulatedServer.Row]
  private let runsBefore: Int
  /// What an earlier run left, and this one has to bring.
  private let owed: [Operation]
  private var found: [String] = []

  init(
    history: History<Disk>,
    before: [SimulatedServer.Row],
    runsBefore: Int,
    owed: [Operation]
  ) {
    self.history = history
    self.before = before
    self.runsBefore = runsBefore
    self.owed = owed
  }

  private var server: SimulatedServer { history.server }
  private var isDisturbed: Bool { history.isEdited || history.isRestored }

  mutating func violations() throws(Disk.Failure) -> [String] {
    let runs = try history.disk.runs()
    guard let run = runs.last, run.number > runsBefore || runs.contains(where: \.isOpen) else {
      if before != server.rows, !isDisturbed { note("there was nothing to do, and rows changed") }
      return found
    }
    let operations = try history.disk.operations(of: run.number)
    let givenUp = Set(runs.filter { $0.stage == .abandoned }.map(\.number))
    holdOthersRows(against: operations, givenUp)
    guard !run.isOpen else { return found }
    for operation in operations where !operation.state.isSettled {
      note(operation, "it is left \(operation.state)")
    }
    switch run.kind {
    case .upload:
      try checkUpload(operations)
      for operation in owed { try checkSent(operation) }
    case .rollback: try checkRollback(operations, of: run.undoes ?? 0)
    }
    return found
  }

  private mutating func note(_ words: String) { found.append(words) }

  private mutating func note(_ operation: Operation, _ words: String) {
    note("\(operation.action) \(operation.number) of \(operation.record): \(words)")
  }

  /// No row changes that no operation is about, and none appears that no operation made; `givenUp`
  /// are runs.
  private mutating func holdOthersRows(
    against operations: [Operation],
    _ givenUp: Set<Int>
  ) {
    guard !isDisturbed else { return }
    for row in before where server.row(row.id, row.kind) != row {
      let isMeant = operations.contains { operation in
        operation.record.entity == row.kind.entity
          && (operation.serverID == row.id || operation.record.key == row.id)
      }
      // A file whose run was given up before it was known to be there is rolled back.
      let isRolledBack =
        row.kind == .photo && history.scenario.hasTickets
        && history.writers[row.maker].map(givenUp.contains) == true
        && server.row(row.id, row.kind) == nil
      if !isMeant, !isRolledBack {
        note("the row \(row.id) is changed or gone, and no operation is about it")
      }
    }
    for row in server.rows where before.allSatisfy({ $0.id != row.id || $0.kind != row.kind }) {
      if operations.allSatisfy({ $0.number != row.maker }) { note("no one made the row \(row.id)") }
    }
  }

  private func row(of operation: Operation) throws(Disk.Failure) -> SimulatedServer.Row? {
    guard let kind = Kind(operation.record.entity) else { return nil }
    let known = try history.disk.known(operation.record)?.serverID
    return (operation.serverID ?? known).flatMap { server.row($0, kind) }
  }

  /// Whether the destination said what is not so of a record, which only verifying can find.
  private func isExcused(_ record: RecordID) -> Bool {
    server.liedAbout.contains(record) || server.staleAbout.contains(record)
  }

  // MARK: - Uploads

  private mutating func checkUpload(_ operations: [Operation]) throws(Disk.Failure) {
    for kind in Kind.allCases {
      countRows(kind, operations.filter { $0.record.entity == kind.entity })
    }
    for operation in operations where !isExcused(operation.record) {
      switch operation.state {
      case .confirmed: try checkConfirmed(operation)
      case .rejected: try checkRejected(operation)
      case .conflicted:
        let isWithoutRecord =
          operation.action == .complete
          && !operations.contains {
            $0.record == operation.record && $0.action == .create && $0.state == .confirmed
          }
        if !isDisturbed, !isWithoutRecord { note(operation, "a conflict with nothing") }
      case .adopted:
        if !isDisturbed, !server.doubled.contains(operation.record) {
          note(operation, "it is taken for another device's")
        }
      case .planned, .begun, .unknown: break
      }
    }
  }

  /// Each confirmed record has a row of its own, and there are no others but those that a doubled
  /// request made.
  private mutating func countRows(_ kind: Kind, _ operations: [Operation]) {
    let creations = operations.filter { $0.action == .create || $0.action == .upload }
    let honest = creations.filter { !isExcused($0.record) }
    let confirmed = honest.filter { $0.state == .confirmed }
    let made = server.rows.filter { row in
      // A row of ours that another device changed at once cannot be distinguished from theirs.
      row.kind == kind && (!isDisturbed || row.writer != 0)
        && honest.contains { $0.number == row.maker }
    }
    let extra = honest.reduce(0) { $0 + (server.extra[$1.number] ?? 0) }
    // A row of a record that was lied about may represent its twin's.
    let isUnsure = isDisturbed || honest.count < creations.count
    let isRight =
      isUnsure
      ? made.count <= creations.count + extra
      : made.count >= confirmed.count && made.count <= confirmed.count + extra
    if !isRight {
      note("\(confirmed.count) of \(kind) confirmed, \(extra) doubled, \(made.count) rows")
    }
    let ids = confirmed.compactMap(\.serverID)
    if Set(ids).count != confirmed.count { note("records of \(kind) share a row") }
  }

  private mutating func checkConfirmed(_ operation: Operation) throws(Disk.Failure) {
    guard !isDisturbed else { return }
    let row = try row(of: operation)
    if operation.action == .delete {
      if row != nil { note(operation, "confirmed, and still there") }
      return
    }
    guard let line = history.line(of: operation) else { return }
    if history.scenario.flaws[operation.record] != nil { note(operation, "it cannot be stored") }
    let whole = Content.whole(line.content)
    let isWhole = row?.content == whole
    let isFirst = operation.action == .create && row?.content == Content.first(line)
    guard isWhole || isFirst else { return note(operation, "confirmed, and not there as sent") }
    let known = try history.disk.known(operation.record)
    if known?.serverID != row?.id || known?.version != row.map({ "\($0.version)" }) {
      // A doubled request may have moved the version once more.
      if !server.doubled.contains(operation.record) {
        note(operation, "its sync state differs from the destination")
      }
    }
    guard operation.action == .update, let old = before.first(where: { $0.id == row?.id }),
      old.kind == row?.kind, old.content != whole
    else { return }
    if operation.before != Content.bytes(old.content) {
      note(operation, "the content before it was not kept")
    }
  }

  /// What was left because its record could not be read is done once it can be.
  private mutating func checkSent(_ operation: Operation) throws(Disk.Failure) {
    let record = operation.record
    guard !isExcused(record), !server.doubled.contains(record), !server.wasRestored,
      history.scenario.flaws[record] == nil
    else { return }
    let row = try row(of: operation)
    if operation.action.removes {
      if let row, !server.hasChildren(row.id) {
        note(operation, "it could be read again, and is still there")
      }
    } else if row?.content != history.line(of: operation).map({ Content.whole($0.content) }) {
      note(operation, "it could be read again, and is not there as it is here")
    }
  }

  private mutating func checkRejected(_ operation: Operation) throws(Disk.Failure) {
    guard !server.isLeftUnread(operation) else { return }
    var isOrphan = false
    if let parent = history.line(of: operation)?.parent {
      let row = try history.disk.known(parent)?.serverID.flatMap { server.row($0, .team) }
      isOrphan = row == nil || isExcused(parent)
    }
    let hasCause =
      history.scenario.flaws[operation.record] != nil || isOrphan || isDisturbed
      || (operation.action == .delete && operation.serverID.map(server.hasChildren) == true)
      // The server failed at it as often as patience goes.
      || server.failures[operation.number, default: 0] > 3
      // What depended on it was said to be gone, and was not yet.
      || (!server.liedAbout.isEmpty && server.refusedForChildren.contains(operation.number))
    if !hasCause { note(operation, "rejected without a cause") }
  }

  // MARK: - Rollbacks

  private mutating func checkRollback(
    _ inverses: [Operation],
    of target: Int
  ) throws(Disk.Failure) {
    let undone = try history.disk.operations(of: target).filter { $0.state == .confirmed }
    try leavesNothing(of: target, inverses)
    for operation in undone where !isExcused(operation.record) {
      let inverse = inverses.first { $0.undoes == operation.number }
      switch operation.action {
      case .create, .upload:
        try checkRemoval(of: operation, by: inverse)
      case .update: try checkRestoring(of: operation, by: inverse)
      case .complete, .delete, .uncreate, .restore, .unupload, .discard: break
      }
    }
  }

  /// No row holds what the run that was rolled back wrote, unless it is kept for a cause.
  private mutating func leavesNothing(
    of target: Int,
    _ inverses: [Operation]
  ) throws(Disk.Failure) {
    // A restored row has the age of its backup, and a lie hides what still depends on a row.
    guard !isDisturbed, !server.wasRestored, server.liedAbout.isEmpty else { return }
    for row in before where row.writer == 0 && server.row(row.id, row.kind) != row {
      note("the row \(row.id) was another device's work, and is rolled back")
    }
    // What another device's doing was in the way of may arrive late, once that is over.
    let refused = Set(
      try history.disk.operations(of: target).filter {
        $0.state == .conflicted || $0.state == .rejected
      }.map(\.number)
    )
    let unread = inverses.filter(server.isLeftUnread)
    for row in server.rows
    where history.writers[row.writer] == target && !refused.contains(row.writer) {
      let record = history.records[row.writer]
      // Twins are alike, so the row that was made for one may be taken for another's.
      let isUnread = unread.contains { inverse in
        inverse.record == record
          || inverse.serverID == row.id && Kind(inverse.record.entity) == row.kind
      }
      let isKept = record.map { isExcused($0) || server.doubled.contains($0) || isUnread } ?? true
      // Twins are alike, so the row that a doubled request made may represent another's.
      let isDuplicated = server.extra.keys.contains {
        history.records[$0]?.entity == record?.entity
      }
      if !isKept, !isDuplicated, !server.hasChildren(row.id) {
        note("the row \(row.id) still holds what run \(target) wrote")
      }
    }
  }

  private mutating func checkRemoval(
    of operation: Operation,
    by inverse: Operation?
  ) throws(Disk.Failure) {
    guard let inverse else { return note(operation, "nothing rolls it back") }
    guard inverse.state == .confirmed else { return checkKept(operation, inverse) }
    guard !isDisturbed else { return }
    if try row(of: operation) != nil { note(operation, "rolled back, and still there") }
    if try history.disk.known(operation.record)?.serverID != nil {
      note(operation, "rolled back, and still known")
    }
  }

  private mutating func checkRestoring(
    of operation: Operation,
    by inverse: Operation?
  ) throws(Disk.Failure) {
    if try history.disk.isCreated(operation.record, inRunOf: operation.number) { return }
    guard let inverse else { return note(operation, "nothing restores it") }
    guard inverse.state == .confirmed else { return checkKept(operation, inverse) }
    guard !isDisturbed, let before = operation.before else { return }
    let row = try row(of: operation)
    if row?.content != Content.number(before) { note(operation, "it is not put back as it was") }
  }

  /// What a rollback leaves was changed by another device, or others depend on it, or it could not be read;
  /// and it is left as it was.
  private mutating func checkKept(_ operation: Operation, _ inverse: Operation) {
    guard !server.isLeftUnread(inverse) else { return }
    let kind = Kind(operation.record.entity)
    let old = before.first { $0.id == inverse.serverID && $0.kind == kind }
    let hasChildren = inverse.serverID.map(server.hasChildren) ?? false
    let isConflicted = old?.writer ?? 0 == 0 || hasChildren || !server.liedAbout.isEmpty
    if !isDisturbed, !server.wasRestored, !isConflicted, !server.doubled.contains(operation.record)
    {
      note(operation, "it is kept for no cause: \(inverse.state)")
    }
  }
}
