import Backends
import Checkpoint
import JSONText
import Profiles
import Records
import UploadPlanning

// Members that were emptied here, where no record can be read alone: the row of a list, which lacks them, is all
// that there is.

extension OperationDesk {
  /// The members that a change empties although the row that it was made on lacks them, as what was given
  /// last held something there.
  ///
  /// Where nothing was kept of that, each may have held something, unless a queued change does not speak of
  /// it. What is left as it stands is not emptied.
  func emptiedUnseen(
    _ operation: Operation,
    _ form: WireForm,
    in row: [UInt8]
  ) throws(WireRefusal) -> Set<String> {
    let wire = wires[operation.record.entity]
    guard operation.action == .update, wire.program.api.read == nil,
      !destination.traits.batchesChanges
    else { return [] }
    let empty = wire.emptyUnseen(form, in: row)
    guard !empty.isEmpty, let known = try lastKnown(operation.record) else { return [] }
    let left = try overrides(of: operation) ?? JSONObject()
    let emptied = empty.filter { left[$0] == nil }
    guard let image = try base(of: operation.record, known) else {
      let unqueued = try record(of: operation).get().unqueuedMembers
      return Set(emptied).subtracting(unqueued)
    }
    return Set(emptied.filter { wire.isAnyFilled([$0], in: image.base) })
  }

  /// Whether a change still has to empty what the row lacks, which looks as it is wanted already.
  ///
  /// Whether one that may have been sent has emptied it, no row shows. On a record that is as it stood before
  /// it is sent again, which an answer ends; another one is taken for what it made.
  func isToEmpty(
    _ operation: Operation,
    _ form: WireForm,
    _ current: RemoteRecord
  ) throws(WireRefusal) -> Bool {
    guard try !emptiedUnseen(operation, form, in: current.body).isEmpty else { return false }
    guard let before = try before(of: operation) else { return true }
    return isStill(before, operation, current, form)
  }

  /// What is known of a record that a run brought there.
  private func lastKnown(_ record: RecordID) throws(WireRefusal) -> KnownRecord? {
    do throws(CheckpointError) {
      guard let known = try checkpoint.known(record), known.serverID != nil else { return nil }
      return known
    } catch {
      throw WireRefusal(WireFault.unanswered(reason: error.description))
    }
  }
}
