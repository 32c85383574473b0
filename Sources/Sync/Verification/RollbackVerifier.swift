package import Checkpoint
import DestinationModel
import Profiles
import Records
import Retrying
package import StageSupport
package import SyncReading
package import UploadPlanning

/// Reads back what a rollback undid: an answer alone is no proof.
package struct RollbackVerifier: Sendable {
  package let reader: SyncReader
  /// How long after a first look that shows something a second one is taken.
  package let secondLook: Duration

  package init(
    reader: SyncReader,
    secondLook: Duration
  ) {
    self.reader = reader
    self.secondLook = secondLook
  }

  private var profile: Profile { reader.profile }
  private var destination: any Destination { reader.destination }
  private var checkpoint: CheckpointFile { reader.checkpoint }
  private var clock: RunClock { reader.clock }

  /// Reads back what a rollback undid, once all of it was carried out: an answer alone is no proof.
  ///
  /// What is still there, or not as it was, counts as failed, and what is known of it is again. An
  /// entity that the destination does not let be read is reported, with the count of what no one looked at.
  ///
  /// All that the rollback undid is read, whichever of its runs undid it; so one that was interrupted
  /// is read back as well.
  package func readBack(
    _ run: RunRecord,
    interruption: CancellationToken
  ) async throws -> EngineConclusion {
    var reading = ReadingBack(
      run: run,
      reader: reader,
      interruption: interruption,
      secondLook: secondLook,
      clock: clock,
      listed: profile.entities.map(\.name).filter(isReadByList),
      withList: (profile.api?.entities ?? []).filter { $0.list != nil }.map(\.entity),
      snapshot: try reader.snapshot()
    )
    var before = Int64.max
    while true {
      let place = before
      let page = try checkpoint.confirmed(of: run, before: place, limit: ReadingBack.pageSize)
      guard let last = page.last else { break }
      before = last.operation.number
      if let end = try await reading.read(page.map(\.operation)) { return end }
      let failed = reading.takeFailed()
      try checkpoint.refute(failed, now: clock.wallSeconds())
    }
    try checkpoint.add(reading.findings, to: run)
    return .done
  }

  /// Whether records of an entity can be read from the list alone, or are there when it has them.
  private func isReadByList(_ entity: EntityName) -> Bool {
    guard !reader.traits.batchesChanges, let api = profile.api?.entity(entity) else {
      return false
    }
    return api.isReadByList
  }
}
