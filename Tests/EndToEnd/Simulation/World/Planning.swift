import Reconciliation
import Records
import UploadPlanning

/// How the operations of a run come about, decided as the program decides it.
extension History {
  /// Plans the upload of a package, a step for each kind; gives `false` when a crash cuts it short.
  mutating func plan(_ package: Int, into run: Int) throws(Disk.Failure) -> Bool {
    var taken: Set<String> = []
    for kind in Kind.allCases {
      let ids = server.rows.filter { $0.kind == kind }.map(\.id)
      try disk.addSeen(ids, of: kind.entity)
      if try crashes() { return false }
      var step = LedgerStep()
      for (offset, line) in scenario.packages[package].lines.enumerated() where line.kind == kind {
        let source = RecordSource(file: "data", offset: Int64(offset), length: package)
        try draft(line, source: source, taken: &taken, into: &step)
      }
      try disk.add(step, to: run)
      if try crashes() { return false }
    }
    var step = LedgerStep()
    for phase in [Phase.heroRemovals, .teamRemovals] {
      for line in scenario.packages[package].deleted where line.kind == phase.kind {
        try draftDeletion(line, phase: phase, into: &step)
      }
    }
    step.drafts.sort { $0.phase < $1.phase }
    try disk.add(step, to: run)
    return try !crashes()
  }

  private mutating func draft(
    _ line: Line,
    source: RecordSource,
    taken: inout Set<String>,
    into step: inout LedgerStep
  ) throws(Disk.Failure) {
    let known = try disk.known(line.record)
    let found = try counterpart(of: line, known: known, taken: taken)
    if let found { taken.insert("\(line.kind.rawValue)\(found.id)") }
    let whole = Content.whole(line.content)
    let requestDigest = Content.digest(whole)
    let decision = try decision(known: known, requestDigest: requestDigest, found: found)
    let phase: Phase = [.photos, .teams, .heroes][line.kind.rawValue]
    // A record that is made in two steps is known by its first until the second is done.
    let first = Content.digest(Content.first(line))
    func draft(_ action: Operation.Action, _ phase: Phase, _ id: String?, _ version: String?) {
      let sent = action == .create ? first : requestDigest
      step.drafts.append(
        operation(line, action, phase.rawValue, sent, id, version, source, known?.generation ?? 0)
      )
    }
    switch decision {
    case .create:
      draft(line.kind == .photo ? .upload : .create, phase, nil, nil)
      if line.kind == .team { draft(.complete, .completions, nil, nil) }
    case .adopt:
      guard let found else { preconditionFailure("nothing is adopted that is not there") }
      step.adoptions.append(
        .init(
          record: line.record,
          serverID: found.id,
          version: "\(found.version)",
          content: requestDigest
        )
      )
    case .update:
      guard let found else { preconditionFailure("nothing is changed that is not there") }
      if line.kind != .photo { draft(.update, phase, found.id, "\(found.version)") }
    case .unchanged, .delete, .readFirst, .remoteNewer, .keptRemote, .skip, .ask, .conflict: break
    }
  }

  /// What the program decides about a record whose content is one field.
  private func decision(
    known: SyncState?,
    requestDigest: Digest,
    found: SimulatedServer.Row?
  ) throws(Disk.Failure) -> Decision {
    func copy(_ digest: Digest, _ revision: String?) -> RecordCopy {
      RecordCopy(["content": .value(digest.bytes)], revision: revision)
    }
    let base = known.flatMap { known in
      known.serverID.map { _ in RecordTriple.Base(copy(known.requestDigest, known.version)) }
    }
    let remote: RemoteCopy =
      found.map { row in
        .present(copy(Content.digest(row.content), "\(row.version)"), .single)
      } ?? .absent
    let rules = ComparisonRules(fields: ["content"]) { _ in requestDigest }
    let triple = RecordTriple(base: base, wanted: .record(copy(requestDigest, nil)), remote: remote)
    return triple.decide(.plan(scenario.conflictPolicy), rules, [.update, .delete, .readOne])
  }

  /// The row that is, or may be, the record.
  private func counterpart(
    of line: Line,
    known: SyncState?,
    taken: Set<String>
  ) throws(Disk.Failure) -> SimulatedServer.Row? {
    if let serverID = known?.serverID { return server.row(serverID, line.kind) }
    if scenario.replay(of: line.kind) == .id { return server.row(line.record.key, line.kind) }
    var held: [String] = []
    for other in scenario.packages[0].lines where other.kind == line.kind {
      if let serverID = try disk.known(other.record)?.serverID { held.append(serverID) }
    }
    return server.rows.first { row in
      row.kind == line.kind && row.natural == line.natural && !held.contains(row.id)
        && !taken.contains("\(row.kind.rawValue)\(row.id)")
    }
  }

  private func draftDeletion(
    _ line: Line,
    phase: Phase,
    into step: inout LedgerStep
  ) throws(Disk.Failure) {
    guard let known = try disk.known(line.record), let serverID = known.serverID,
      let row = server.row(serverID, line.kind), known.version == "\(row.version)"
    else { return }
    step.drafts.append(
      operation(
        line,
        .delete,
        phase.rawValue,
        Content.digest(0),
        serverID,
        known.version,
        nil,
        known.generation
      )
    )
  }

  private func operation(
    _ line: Line,
    _ action: Operation.Action,
    _ phase: Int,
    _ content: Digest,
    _ serverID: String?,
    _ version: String?,
    _ source: RecordSource?,
    _ generation: Int64
  ) -> Operation {
    let count = plant == .generationNotCounted ? 0 : generation
    return Operation(
      number: 0,
      phase: phase,
      record: line.record,
      action: action,
      content: content,
      key: "\(line.record.key) \(action.rawValue) \(line.content) \(count)",
      serverID: serverID,
      version: version,
      source: source
    )
  }

  /// Plans the inverse of a run, newest first; gives `false` when a crash cuts it short.
  mutating func planInverse(of target: Int, into run: Int) throws(Disk.Failure) -> Bool {
    var step = LedgerStep()
    for operation in try disk.operations(of: target).reversed() {
      guard operation.state == .confirmed, let inverse = try inverse(of: operation) else {
        continue
      }
      step.drafts.append(inverse)
    }
    try disk.add(step, to: run)
    return try !crashes()
  }

  private func inverse(of operation: Operation) throws(Disk.Failure) -> Operation? {
    let action: Operation.Action
    switch operation.action {
    case .create: action = .uncreate
    case .upload: action = .unupload
    case .update, .complete:
      guard try !disk.isCreated(operation.record, inRunOf: operation.number) else { return nil }
      action = .restore
    case .delete, .uncreate, .restore, .unupload, .discard: return nil
    }
    let generation = try disk.known(operation.record)?.generation ?? 0
    let requestDigest = try disk.requestDigest(of: operation.record, before: operation.number)
    let turned = Phase.inverse(operation.phase)
    return Operation(
      number: 0,
      phase: plant == .parentsRemovedFirst ? operation.phase : turned,
      record: operation.record,
      action: action,
      content: requestDigest ?? Content.digest(0),
      key: "\(operation.record.key) \(action.rawValue) \(operation.number) \(generation)",
      serverID: operation.serverID,
      version: operation.version,
      before: action == .restore ? operation.before : nil,
      source: operation.source,
      undoes: operation.number
    )
  }
}
