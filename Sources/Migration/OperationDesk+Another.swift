import Checkpoint
import DestinationModel
import JSONText
import Profiles
import Records
import UploadPlanning

// What is left alone because it is another record than the one that an operation is about.

extension OperationDesk {
  /// Whether the destination makes up the identities of an entity's records, so that it may give one again.
  func makesIdentities(of entity: EntityName) -> Bool {
    if case .id = destination.traits.replay[entity] { false } else { true }
  }

  /// Whether another record stands where that of an operation was, by what never changes of a record.
  func isAnother(
    _ operation: Operation,
    _ known: KnownRecord?,
    _ current: RemoteRecord
  ) throws(WireRefusal) -> Bool {
    let entity = operation.record.entity
    guard makesIdentities(of: entity), wires[entity].hasLastingKey else { return false }
    return wires[entity].isAnother(current.body, than: try lastingMembers(of: operation, known))
  }

  /// What tells a record and never changes, as the destination was given it; or else as the store has it.
  private func lastingMembers(
    of operation: Operation,
    _ known: KnownRecord?
  ) throws(WireRefusal) -> [WireMember] {
    let wire = wires[operation.record.entity]
    if let given = try given(operation.record, known) {
      let members = given.members.members.filter { !given.unknown.contains($0.name) }
      return wire.lasting(
        of: members.map { WireMember(name: $0.name, value: $0.value.canonicalBytes) }
      )
    }
    guard operation.source != nil, package != nil else { return [] }
    return try legible { () throws(WireRefusal) in
      wire.lasting(of: try record(of: operation).get().form(resolver.leavingOpen).whole)
    }
  }

  /// The members that are asked for; none where the record does not tell them, as it names what is not at the
  /// destination.
  private func legible(
    _ body: () throws(WireRefusal) -> [WireMember]
  ) throws(WireRefusal) -> [WireMember] {
    do throws(WireRefusal) { return try body() } catch {
      if error.isPassing || error.package != nil { throw error }
      return []
    }
  }
}
