import UploadPlanning

/// What survives a crash: the operations as the last commit that was written left them.
struct SimulatedDisk {
  private(set) var operations: [Operation]

  init(operations: [Operation]) { self.operations = operations }

  mutating func write(_ changes: [OperationChange]) {
    for change in changes { write(change) }
  }

  private mutating func write(_ change: OperationChange) {
    let index = Int(change.operation) - 1
    switch change {
    case .begin(_, let before, let version):
      if operations[index].state == .planned || operations[index].before == nil {
        operations[index].before = before ?? operations[index].before
      }
      operations[index].version = version ?? operations[index].version
      operations[index].state = .begun
    case .confirm(_, let serverID, let version):
      operations[index].serverID = serverID ?? operations[index].serverID
      operations[index].version = version
      operations[index].state = .confirmed
    case .reject: operations[index].state = .rejected
    case .conflict: operations[index].state = .conflicted
    case .lose: operations[index].state = .unknown
    case .revoke: operations[index].state = .planned
    }
  }

  func page(phase: Int, after number: Int64, limit: Int, onlyBegun: Bool) -> [Operation] {
    Array(
      operations.lazy.filter { operation in
        operation.phase == phase && operation.number > number && !operation.state.isSettled
          && (!onlyBegun || operation.state != .planned)
      }.prefix(limit)
    )
  }

  subscript(number: Int64) -> Operation { operations[Int(number) - 1] }
}
