import DestinationModel
import Synchronization
import UploadPlanning

/// The content of a request: its items, and what is refused before anything is sent.
struct FormedRequest: Sendable {
  var items: [OutgoingBatch.Item] = []
  var refused: [Int64: ItemOutcome] = [:]
}

/// Requests that are formed while others are on their way.
final class PreparedRequests: Sendable {
  private struct Preparation: Sendable {
    let operations: [Operation]
    let work: Task<FormedRequest, Never>
  }

  /// By the number of the first operation.
  private let preparations = Mutex<[Int64: Preparation]>([:])

  /// Begins to form the request of these operations.
  func put(_ operations: [Operation], _ form: @escaping @Sendable () async -> FormedRequest) {
    guard let first = operations.first else { return }
    // On threads of their own: an answer that comes, and the next request, wait for none of this.
    let work = Task(priority: .utility) { await form() }
    let preparation = Preparation(operations: operations, work: work)
    preparations.withLock { $0[first.number] = preparation }
  }

  /// Gives the request of these very operations once it is formed; `nil` where it was not prepared, or
  /// where something was not ready for it then.
  func take(_ operations: [Operation]) async -> FormedRequest? {
    guard let first = operations.first,
      let preparation = preparations.withLock({ $0.removeValue(forKey: first.number) }),
      preparation.operations == operations
    else { return nil }
    let request = await preparation.work.value
    return request.refused.isEmpty ? request : nil
  }

  /// Gives up what was prepared and not sent; nothing of it is at work any more when this returns.
  func clear() async {
    let left = preparations.withLock { preparations in
      defer { preparations = [:] }
      return preparations
    }
    for preparation in left.values { _ = await preparation.work.value }
  }
}
