import Checkpoint
import Records
import RequestMapping
import SyncReading
import UploadPlanning

extension OperationDesk {
  /// What a change has to carry beside `sent` so that it takes nothing away of a record that stands as in `row`.
  func carried(
    beside sent: [WireMember],
    over row: [UInt8],
    _ whole: [WireMember],
    of record: RecordID
  ) throws(WireRefusal) -> [WireMember] {
    let wire = wires[record.entity]
    guard wire.isReplacing else { return [] }
    let known = try reader.ask { checkpoint throws(CheckpointError) in try checkpoint.known(record)
    }
    return try wire.kept(of: row, beside: sent, whole, try reader.given(record, known))
  }
}
