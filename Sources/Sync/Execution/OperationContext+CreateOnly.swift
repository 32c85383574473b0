import Checkpoint
import Records
import RequestMapping
import SyncReading
import UploadPlanning

// What a change cannot bring.

extension OperationContext {
  /// Says what a change that goes out cannot bring.
  func reportFixed(_ names: Set<String>, _ operation: Operation) throws(MappingError) {
    guard operation.action == .update, !names.isEmpty else { return }
    // On the disk before the change leaves: a later process finds it sent, and says nothing.
    try reader.ask { checkpoint throws(CheckpointError) in
      try checkpoint.add(.fixed(operation.record, names.sorted()), ofRunOf: operation.number)
    }
  }
}

extension Finding {
  /// Members that a change could not bring along.
  fileprivate static func fixed(_ record: RecordID, _ members: [String]) -> Finding {
    Finding(
      code: "upload.fixed",
      severity: .warning,
      entity: record.entity,
      record: record.key,
      cause:
        "its change went out without \(members.joined(separator: ", ")), which the destination takes "
        + "only when a record is made",
      cure: "make the same change at the destination, or roll the record back and create it again"
    )
  }
}
