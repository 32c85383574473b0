package import Checkpoint
package import Records
package import StageSupport
import UploadPlanning

/// An operation of a plan, as a person may want to see it.
package struct PlannedOperation: Hashable, Sendable {
  package let record: RecordID
  package let action: String
  /// The fields that an update changes; `nil` where no one looked.
  package let fields: [String]?
}

extension UploadSession {
  /// Hands out every operation of a run, in the order in which they are carried out.
  package func forEachOperation(
    of run: RunRecord,
    _ body: (PlannedOperation) -> Void
  ) throws(MigrationError) {
    var after: Int64 = 0
    while true {
      let place = after
      let page = try checkpointing(checkpoint.settled(of: run, after: place, limit: 1_000))
      guard let last = page.last else { return }
      after = last.operation
      for entry in page {
        let isUpdate = entry.action == Operation.Action.update.rawValue
        let fields = try checkpointing(
          isUpdate ? checkpoint.change(of: entry.record, in: run) : nil
        )
        body(PlannedOperation(record: entry.record, action: entry.action, fields: fields))
      }
    }
  }
}
