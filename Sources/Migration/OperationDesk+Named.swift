import Checkpoint
import DestinationModel
import Profiles
import Records
import UploadPlanning

// Where the records are that others name.

extension OperationDesk {
  var resolver: WireResolver {
    namingDeleted(WireResolver(checkpoint: checkpoint, isExecuting: true))
  }

  /// What answers for the records of one request, with all that they name looked up at once.
  func resolver(for records: [Result<WireRecord, WireRefusal>?]) async -> WireResolver {
    // A record that cannot be read names nothing; why it cannot is told when its turn comes.
    let named = records.flatMap { (try? $0?.get())?.named ?? [] }
    guard !named.isEmpty else { return resolver }
    let known = await withTaskExecutorPreference(disk) { () -> [RecordID: KnownRecord?]? in
      do throws(CheckpointError) { return try checkpoint.known(named) } catch {
        // Each record asks for itself, and tells why there is no answer.
        return nil
      }
    }
    return namingDeleted(
      WireResolver(checkpoint: checkpoint, answers: known ?? [:], isExecuting: true)
    )
  }

  /// The same answers, and of what was deleted the place that it had, where identities are chosen here: what
  /// names it goes on doing so, as the notes of a notebook that was deleted alone.
  ///
  /// What a run deleted the checkpoint tells. Of all else the destination may have said that it is gone, which
  /// `snapshot` tells where something is only compared: what is still to be made may be among it, and no
  /// request names that before it is there.
  func namingDeleted(
    _ known: WireResolver,
    _ snapshot: DestinationSnapshot? = nil
  ) -> WireResolver {
    WireResolver(
      reference: { entity, key throws(WireFault) in
        if let serverID = try known.reference(entity, key) { return serverID }
        guard case .id = destination.traits.replay[entity] else { return nil }
        let record = RecordID(entity: entity, key: key)
        do throws(CheckpointError) {
          if let place = try checkpoint.placeOfDeleted(record) { return place }
          let place = wires.clientID(of: record)
          return try snapshot?.isGone(place, of: entity) == true ? place : nil
        } catch {
          throw .unanswered(reason: error.description)
        }
      },
      media: known.media
    )
  }
}
