import Checkpoint
import Records
import RequestMapping
import SyncReading

extension OperationContext {
  /// What a change has to carry beside `sent` so that it takes nothing away of a record that is as in `row`.
  func carried(
    beside sent: [RequestField],
    over row: [UInt8],
    _ whole: [RequestField],
    of record: RecordID
  ) throws(MappingError) -> [RequestField] {
    let mapping = mappings[record.entity]
    guard mapping.isReplacing else { return [] }
    let known = try reader.ask { checkpoint throws(CheckpointError) in try checkpoint.known(record)
    }
    return try mapping.kept(of: row, beside: sent, whole, try reader.given(record, known))
  }
}
