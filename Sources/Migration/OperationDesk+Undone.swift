import Checkpoint
import JSONText
import Profiles
import Records
import StageSupport
import UploadPlanning

// Whether what stands there is what a run left, so that it can be taken back.

extension OperationDesk {
  /// Whether a record that was changed since it was made is exactly what its run makes of it in two
  /// steps: the second may have arrived, however late, without anybody hearing its answer.
  func isCompletedByUs(
    _ operation: Operation,
    _ current: RemoteRecord
  ) throws(WireRefusal) -> Bool {
    let wire = wires[operation.record.entity]
    guard wire.program.needsCompletion, operation.source != nil, package != nil else {
      return false
    }
    let form = try form(of: operation)
    guard form.open.isEmpty else { return false }
    return try wire.changes(from: current.body, to: form.whole).isEmpty
  }

  /// Whether a record that was changed since its run changed it is exactly what that made of it: a request
  /// that was repeated, the run's own or one that put this state back since, may have arrived once more,
  /// however late.
  func isRepeated(
    _ operation: Operation,
    _ current: RemoteRecord
  ) throws(WireRefusal) -> Bool {
    guard let undone = operation.undoes, operation.source != nil, package != nil else {
      return false
    }
    let wasSentAgain = try ask { checkpoint throws(CheckpointError) in
      try checkpoint.wasSentAgain(operation.record, since: undone)
    }
    guard wasSentAgain else { return false }
    let form = try form(of: operation)
    guard form.open.isEmpty else { return false }
    return try wires[operation.record.entity].changes(from: current.body, to: form.update).isEmpty
  }

  /// Whether a record, of which no version is known, holds what its run gave it in a change that is to be
  /// put back.
  func isAsChanged(
    _ operation: Operation,
    _ current: RemoteRecord
  ) throws(WireRefusal) -> Bool {
    // What brought links alone overwrites nothing else when it is put back.
    guard try restoration(of: operation) == .whole, operation.source != nil, package != nil
    else { return true }
    let form = try form(of: operation)
    let wire = wires[operation.record.entity]
    return try wire.changes(from: current.body, to: form.update).isEmpty
  }

  /// Whether what stands there is not what a change left that is to be put back, although its version is known:
  /// a later run took over what another writer made of the record.
  func isTakenOver(
    _ operation: Operation,
    _ current: RemoteRecord
  ) throws(WireRefusal) -> Bool {
    guard let undone = operation.undoes else { return false }
    let isOthers = try ask { checkpoint throws(CheckpointError) in
      try checkpoint.isTakenOver(operation.record, since: undone)
    }
    guard isOthers else { return false }
    guard operation.source != nil, package != nil else { return true }
    let form = try form(of: operation)
    return try !wires[operation.record.entity].changes(from: current.body, to: form.update).isEmpty
  }

  /// Whether a request that was repeated can have made the second copy of a record.
  func isCopyOfOurs(_ operation: Operation) throws(MigrationError) -> Bool {
    guard let made = operation.undoes else { return false }
    return try checkpointing { () throws(CheckpointError) in try checkpoint.wasSentAgain(made) }
  }

  /// How a run left a record that it made.
  enum LeftState {
    case created, completed
  }

  /// How its run left a record that is to be removed, where its version does not tell: a later run changed it
  /// and was taken back, or took over what another writer had made of it; `nil` for all others.
  ///
  /// Late references are taken back before their record is, which leaves it as it was made.
  func leftState(of operation: Operation) throws(MigrationError) -> LeftState? {
    guard operation.action == .uncreate, let made = operation.undoes else { return nil }
    let record = operation.record
    let program = wires[record.entity].program
    let isTwoSteps = program.needsCompletion
    let isCleared = !program.lateReferences.isEmpty
    return try checkpointing { () throws(CheckpointError) in
      var isOthers = try checkpoint.isTakenOver(record, since: made)
      if !isOthers { isOthers = try checkpoint.wasPutBack(record, since: made) }
      guard isOthers else { return nil }
      guard isTwoSteps else { return .completed }
      if isCleared { return .created }
      return try checkpoint.isConfirmed(.complete, on: record, inRunOf: made)
        ? .completed : .created
    }
  }

  func isAsLeft(
    _ left: LeftState,
    _ operation: Operation,
    _ current: RemoteRecord
  ) throws(WireRefusal) -> Bool {
    guard operation.source != nil, package != nil else { return false }
    let form = try form(of: operation)
    let members = left == .completed ? form.whole : form.create
    return try wires[operation.record.entity].changes(from: current.body, to: members).isEmpty
  }

  /// Whether a record that is to be deleted, and whose version nobody knows, is what the store has.
  func isAsHere(
    _ operation: Operation,
    _ current: RemoteRecord
  ) throws(WireRefusal) -> Bool {
    guard operation.source != nil, package != nil else { return false }
    let form = try form(of: operation)
    return try wires[operation.record.entity].changes(from: current.body, to: form.whole).isEmpty
  }

  /// The fields a run sent when it made the record, for a run that is being taken back.
  func sentMembers(of operation: Operation) throws(WireRefusal) -> [WireMember] {
    guard operation.source != nil, package != nil else { return [] }
    let members = try form(of: operation).create
    let entity = operation.record.entity
    // A destination that chose the identity itself keeps its own where the request told another.
    guard let name = wires[entity].program.api.identityMember, let serverID = operation.serverID,
      !serverID.isSpelled(as: wires.clientID(of: operation.record))
    else { return members }
    return members.filter { $0.name != name }
  }
}
