import Checkpoint
import DestinationModel
import Reconciliation
import Records
import RequestMapping
import SyncReading
import UploadPlanning

// A destination that notes each operation as it carries it out knows what became of a lost request. What it
// says is a part of the question that Reconciliation answers.

/// What a destination says about one lost request.
struct LostRequest: Sendable {
  let receipt: RecordTriple.Receipt
  /// The revision that the request gave the record, where the destination noted it.
  let revision: String?
}

extension LostRequest? {
  /// The receipt; unknown where the destination notes no operations, or was not asked.
  var receipt: RecordTriple.Receipt { self?.receipt ?? .unknown }
}

extension OperationContext {
  /// The texts that a destination notes operations under, by the operations' numbers; none where it
  /// notes no operations.
  ///
  /// The key alone is not enough: with another checkpoint, after the first was lost, the same change of a
  /// record has the same key again, and is another operation.
  func notes(of operations: [Operation]) -> Result<[Int64: String], MappingError> {
    guard reader.traits.notesOperations, !operations.isEmpty else { return .success([:]) }
    do throws(MappingError) {
      let numbers = operations.map(\.number)
      let starts = try reader.ask { checkpoint throws(CheckpointError) in
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

  /// What the destination says about the requests of operations; nothing where it notes no operations.
  func lostRequests(
    of operations: [Operation]
  ) async throws -> [Int64: LostRequest] {
    let notes: [Int64: String]
    switch self.notes(of: operations) {
    case .success(let found): notes = found
    case .failure(let error):
      throw CheckpointError.unreadable(path: checkpoint.path, reason: error.reason)
    }
    var requests: [Int64: LostRequest] = [:]
    for (entity, operations) in Dictionary(grouping: operations, by: \.record.entity) {
      let asked = operations.compactMap { notes[$0.number] }
      guard !asked.isEmpty else { continue }
      let noted = try await reader.readingDestination { () async throws(DestinationError) in
        try await destination.noted(asked, of: entity)
      }
      for operation in operations {
        guard let note = notes[operation.number] else { continue }
        let found = noted[note]
        requests[operation.number] = LostRequest(
          receipt: found == nil ? .notCarriedOut : .carriedOut,
          revision: found?.revision
        )
      }
    }
    return requests
  }

  /// Whether an operation was carried out, as far as that is known before its record is read.
  func isCarriedOut(_ operation: Operation, _ request: LostRequest?) -> Bool {
    let entity = operation.record.entity
    guard let request, let mapping = mappings.mapping(for: entity) else { return false }
    let nothing = RecordCopy([:], coverage: .partial([]))
    let triple = RecordTriple(
      base: nil,
      wanted: operation.action.removes ? .absent(deletedAt: nil) : .record(nothing),
      remote: .notRead,
      receipt: request.receipt
    )
    let rules = mapping.comparisonRules(judgesIdentity: false)
    let intent: Intent = operation.action.isUndo ? .rollback : .lookUp
    switch triple.decide(intent, rules, capabilities(of: entity)) {
    case .adopt: return true
    case .create, .unchanged, .update, .delete, .readFirst, .remoteNewer, .keptRemote, .skip, .ask,
      .conflict:
      return false
    }
  }
}
