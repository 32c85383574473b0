import Checkpoint
import JSONText
import Profiles
import Records
import UploadPlanning

// What a change cannot bring, or would bring in place of what somebody else did.

extension OperationDesk {
  /// Why a record that was found at the destination cannot be given its late references, or the addresses of
  /// its files.
  ///
  /// Somebody gave it others. It is `nil` where none are there, and for a record that the run itself made.
  func rival(
    _ operation: Operation,
    _ current: RemoteRecord,
    _ members: [WireMember]
  ) throws(WireRefusal) -> String? {
    let wire = wires[operation.record.entity]
    let late = Set(wire.program.lateReferences).union(wire.program.fileLinks)
    guard !late.isEmpty else { return nil }
    if try isMadeByRun(of: operation) { return nil }
    let there = wire.object(current.body)
    let taken = try wire.changes(from: current.body, to: members).map(\.name)
      .filter { late.contains($0) && there?[$0]?.isNull == false }
    return taken.isEmpty
      ? nil : "\(taken.joined(separator: ", ")) at the destination names another one"
  }

  /// Tells what a change that goes out cannot bring.
  func tellFixed(
    _ form: WireForm,
    _ operation: Operation,
    _ current: RemoteRecord
  ) throws(WireRefusal) {
    guard operation.action == .update, !operation.wasBegun, operation.before == nil else { return }
    let brought = Set(form.update.map(\.name))
    let fixed = try wires[operation.record.entity].changes(from: current.body, to: form.whole)
      .map(\.name).filter { !brought.contains($0) }
    guard !fixed.isEmpty else { return }
    // On the disk before the change leaves: a later process finds it brought, and tells nothing.
    try ask { checkpoint throws(CheckpointError) in
      try checkpoint.add(.fixed(operation.record, fixed), ofRunOf: operation.number)
    }
  }

  /// The members in which a record differs from what it is to be, and that no change can bring; of one that is
  /// completed, only those that were to bring a file's address.
  func fixedMembers(
    _ form: WireForm,
    _ operation: Operation,
    _ current: RemoteRecord
  ) throws(WireRefusal) -> [String] {
    let wire = wires[operation.record.entity]
    let fixed = try wire.changes(from: current.body, to: form.whole).map(\.name)
    guard operation.action == .complete, !fixed.isEmpty else { return fixed }
    let links = fixed.filter(wire.program.fileLinks.contains)
    if links.isEmpty { return links }
    return try isMadeByRun(of: operation) ? [] : links
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
      cure: "make the same change at the destination, or take the record back and make it again"
    )
  }
}
