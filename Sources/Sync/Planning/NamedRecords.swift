import Records
import Synchronization

/// Records, as they are found.
final class NamedRecords: Sendable {
  private let records = Mutex<Set<RecordID>>([])

  var isEmpty: Bool { records.withLock { $0.isEmpty } }

  func insert(_ record: RecordID) { records.withLock { _ = $0.insert(record) } }

  func contains(_ record: RecordID) -> Bool { records.withLock { $0.contains(record) } }
}
