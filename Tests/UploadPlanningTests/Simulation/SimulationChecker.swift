import Records
import UploadPlanning

/// Holds the end of a history against what was to be done, knowing nothing of the engine.
struct SimulationChecker {
  let simulation: Simulation

  func violations() -> [String] {
    simulation.disk.operations.compactMap { operation in
      violation(of: operation).map { "\(operation.action) \(operation.number): \($0)" }
    }
  }

  private func violation(of operation: Operation) -> String? {
    guard operation.state.isSettled else { return "it is left \(operation.state)" }
    switch operation.action {
    case .create, .upload: return violation(ofCreation: operation)
    case .complete, .update, .restore: return violation(ofUpdate: operation)
    case .delete, .uncreate, .unupload: return violation(ofRemoval: operation)
    }
  }

  private func original(_ operation: Operation) -> SimulatedServer.Row? {
    simulation.scenario.operations[Int(operation.number) - 1].serverID
      .flatMap { simulation.scenario.rows[$0] }
  }

  private func violation(ofCreation operation: Operation) -> String? {
    let rows = simulation.server.rows.filter { $0.value.key == operation.record.key }
    let ours = rows.filter { $0.value.content == operation.target }
    switch operation.state {
    case .confirmed:
      guard ours.count == 1 else { return "confirmed, and \(ours.count) rows are there" }
      return ours.keys.first == operation.serverID ? nil : "its row has another identity"
    case .rejected, .conflicted:
      guard ours.isEmpty else { return "\(operation.state), and its row is there" }
      let isExpected = operation.state == .rejected || rows.count == 1
      return isExpected ? nil : "a conflict with nothing"
    case .planned, .begun, .unknown: return nil
    }
  }

  private func violation(ofUpdate operation: Operation) -> String? {
    let row = operation.serverID.flatMap { simulation.server.rows[$0] }
    let original = original(operation)
    switch operation.state {
    case .confirmed:
      guard row?.content == operation.target else { return "confirmed, and not there" }
      let isKept = operation.before == original.map { Array($0.content.utf8) }
      return isKept ? nil : "what stood before it was not kept"
    case .rejected, .conflicted:
      guard row == original else { return "\(operation.state), and the row is changed" }
      let isContested = original?.version != 1
      let isFlawed = simulation.scenario.flaws[operation.number] != nil
      if operation.state == .conflicted { return isContested ? nil : "a conflict with nothing" }
      return isFlawed ? nil : "rejected without a flaw"
    case .planned, .begun, .unknown: return nil
    }
  }

  private func violation(ofRemoval operation: Operation) -> String? {
    let row = operation.serverID.flatMap { simulation.server.rows[$0] }
    switch operation.state {
    case .confirmed: return row == nil ? nil : "confirmed, and still there"
    case .rejected, .conflicted:
      return row == original(operation) ? nil : "\(operation.state), and gone"
    case .planned, .begun, .unknown: return nil
    }
  }
}
