import Records
import UploadPlanning

/// What the shell makes of operations and readings, decided as the program's own context decides it.
extension History {
  func line(of operation: Operation) -> Line? {
    guard let source = operation.source else { return nil }
    let package = scenario.packages[source.length]
    let offset = Int(source.offset)
    return offset < package.lines.count ? package.lines[offset] : nil
  }

  /// What a request says about an operation, or why it is missing.
  func item(for operation: Operation) throws(Disk.Failure) -> Result<Item, Refusal> {
    var parent: String?
    let line = line(of: operation)
    if operation.action == .create, let name = line?.parent {
      parent = try disk.known(name)?.serverID
      if parent == nil { return .failure(Refusal()) }
    }
    let known = try disk.known(operation.record)
    let content: Int
    switch operation.action {
    case .create, .upload: content = line.map(Content.first) ?? 0
    case .complete, .update: content = line.map { Content.whole($0.content) } ?? 0
    case .restore: content = operation.before.map(Content.number) ?? 0
    case .delete, .uncreate, .unupload, .discard: content = 0
    }
    return .success(
      Item(
        operation: operation,
        serverID: operation.serverID ?? known?.serverID,
        content: content,
        natural: line?.natural ?? -1,
        parent: parent,
        key: operation.key
      )
    )
  }

  /// A record that cannot be sent for what it names.
  struct Refusal: Error {}

  /// The content at the destination for an operation that is read before it is decided.
  func reading(for operation: Operation) throws(Disk.Failure) -> Reading {
    let known = try disk.known(operation.record)
    guard let kind = Kind(operation.record.entity),
      let serverID = operation.serverID ?? known?.serverID
    else { return .conflicted(reason: "its place at the destination is unknown") }
    guard let row = server.row(serverID, kind) else {
      return operation.action.removes
        ? .alreadyDone(version: nil) : .conflicted(reason: "it is gone")
    }
    let ready = Reading.ready(before: Content.bytes(row.content), version: "\(row.version)")
    if plant == .changedRowOverwritten { return ready }
    if operation.action == .uncreate, server.hasChildren(serverID) {
      return .conflicted(reason: "others depend on it")
    }
    let expected: String?
    switch operation.action {
    case .create, .upload, .unupload: return ready
    case .update, .complete:
      if let line = line(of: operation), row.content == Content.whole(line.content) {
        return .alreadyDone(version: "\(row.version)")
      }
      if operation.state != .planned, let before = operation.before {
        return before == Content.bytes(row.content) ? ready : .conflicted(reason: "changed since")
      }
      expected = operation.action == .complete ? known?.version : operation.version
    case .restore:
      guard let wanted = operation.before else { return ready }
      if wanted == Content.bytes(row.content) { return .alreadyDone(version: "\(row.version)") }
      return known?.version == "\(row.version)"
        ? .ready(before: wanted, version: "\(row.version)") : .conflicted(reason: "changed since")
    case .delete, .discard: expected = operation.version
    case .uncreate:
      let isCompleted = line(of: operation).map { Content.whole($0.content) } == row.content
      if kind == .team, isCompleted { return ready }
      guard let version = known?.version else {
        // No one knows its version: its content must be what was sent.
        let isOurs = isCompleted || line(of: operation).map(Content.first) == row.content
        return isOurs ? ready : .conflicted(reason: "changed")
      }
      expected = version
    }
    return expected == nil || expected == "\(row.version)" ? ready : .conflicted(reason: "changed")
  }

  /// Which of the operations whose answer was lost arrived.
  mutating func lookUp(_ operations: [Operation]) throws(Disk.Failure) -> [Int64: LookUpResult] {
    var results: [Int64: LookUpResult] = [:]
    var taken: [String] = []
    for operation in operations {
      guard let kind = Kind(operation.record.entity), let line = line(of: operation) else {
        results[operation.number] = try change(operation)
        continue
      }
      let found: LookUpResult
      switch operation.action {
      case .create where scenario.replay(of: kind) != .id:
        found = try lookUp(line, taken: &taken)
      case .upload where scenario.hasTickets:
        if settlesOnly, let serverID = operation.serverID { server.withdraw(serverID) }
        found = .notThere
      case .create, .upload:
        let row = server.row(line.record.key, kind)
        let isOurs = row?.content == Content.first(line)
        found =
          row.map { row in
            isOurs
              ? .found(serverID: row.id, version: "\(row.version)")
              : .different(reason: "not what was sent")
          } ?? .notThere
      case .complete, .update, .delete, .uncreate, .restore, .discard: found = try change(operation)
      case .unupload: found = .notThere
      }
      results[operation.number] = found
    }
    return results
  }

  /// Whether a change of a row that is there arrived: whether it is as the operation makes it.
  private func change(_ operation: Operation) throws(Disk.Failure) -> LookUpResult {
    let known = try disk.known(operation.record)
    guard plant != .settlingForgetsChanges, operation.action.needsReading,
      let serverID = operation.serverID ?? known?.serverID,
      case .alreadyDone(let version) = try reading(for: operation)
    else { return .notThere }
    return .found(serverID: serverID, version: version)
  }

  private func lookUp(_ line: Line, taken: inout [String]) throws(Disk.Failure) -> LookUpResult {
    for row in server.rows where row.kind == line.kind && row.natural == line.natural {
      guard row.content == Content.first(line), !taken.contains(row.id) else { continue }
      if plant != .rowFoundTwice, try disk.isAccountedFor(row.id, of: line.kind.entity) { continue }
      taken.append(row.id)
      return .found(serverID: row.id, version: "\(row.version)")
    }
    return .notThere
  }
}
