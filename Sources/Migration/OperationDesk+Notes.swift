import Checkpoint
import DestinationModel
import Records
import StageSupport
import UploadPlanning

// A destination that notes each operation as it carries it out knows what became of one without an answer.

extension OperationDesk {
  /// What a destination notes operations under, by their numbers; nothing where it notes none.
  ///
  /// The key alone would not do: with another checkpoint, after the first was lost, the same change of a record
  /// has the same key again, and is another operation.
  func notes(of operations: [Operation]) -> Result<[Int64: String], WireRefusal> {
    guard destination.traits.notesOperations, !operations.isEmpty else { return .success([:]) }
    do throws(WireRefusal) {
      let numbers = operations.map(\.number)
      let starts = try ask { checkpoint throws(CheckpointError) in
        try checkpoint.startsOfRuns(ofOperations: numbers)
      }
      var notes: [Int64: String] = [:]
      for operation in operations {
        guard let start = starts[operation.number] else { continue }
        notes[operation.number] = "\(operation.key):\(operation.number):\(start)"
      }
      return .success(notes)
    } catch {
      return .failure(error)
    }
  }

  /// Those of operations whose answers were lost that the destination carried out; `nil` where it notes none.
  func carriedOut(
    _ operations: [Operation]
  ) async throws(MigrationError) -> [Int64: NotedOperation]? {
    guard destination.traits.notesOperations else { return nil }
    let notes: [Int64: String]
    switch self.notes(of: operations) {
    case .success(let found): notes = found
    case .failure(let refusal):
      throw .checkpoint(.unreadable(path: checkpoint.path, reason: refusal.reason))
    }
    guard !notes.isEmpty else { return [:] }
    let asked = Array(notes.values)
    let noted = try await readingDestination { () async throws(DestinationError) in
      try await destination.noted(asked)
    }
    return notes.compactMapValues { noted[$0] }
  }

  /// Looks operations up by what the destination noted; gives those that are left to be looked for.
  ///
  /// What is not noted never arrived. Where a record is there all the same, another made it.
  func lookUpNoted(
    _ operations: [Operation],
    into results: inout [Int64: LookUpResult]
  ) async throws(MigrationError) -> [Operation] {
    guard let noted = try await carriedOut(operations) else { return operations }
    var left: [Operation] = []
    for operation in operations {
      if let found = noted[operation.number] {
        let serverID = operation.serverID ?? wires.clientID(of: operation.record)
        results[operation.number] = .found(serverID: serverID, version: found.revision)
      } else if operation.action == .create {
        left.append(operation)
      } else {
        results[operation.number] = .notThere
      }
    }
    return left
  }
}
