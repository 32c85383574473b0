package import Checkpoint
package import DestinationModel
package import ExportPackage
package import LongTexts
package import Profiles
package import Records
package import RequestMapping
package import Retrying
package import StageSupport
package import ScratchFiles

/// Reads the copies of a record: what the package says, what both sides last agreed on, and what the
/// destination has.
///
/// Planning, execution and verification read through it. It changes nothing at the destination.
package struct SyncReader: Sendable {
  package let profile: Profile
  package let destination: any Destination
  /// What the destination can do, which is asked about for each record.
  package let traits: DestinationTraits
  package let checkpoint: CheckpointFile
  package let mappings: RequestMappings
  /// The package that is being sent; a rollback can do without.
  package let package: PackageReader?
  /// Where the long texts lie that records have stand-ins for, here and at the destination.
  package let texts: LongTexts
  /// What other checkpoints say of the same account.
  package let neighbours: Neighbours
  package private(set) var readPatience: ReadPatience
  /// The most requests that may be in flight.
  package let concurrency: Int
  /// What lets no more than that through to the destination, and fewer where it has trouble.
  package let gate: ConcurrencyLimiter

  package init(
    profile: Profile,
    destination: any Destination,
    checkpoint: CheckpointFile,
    mappings: RequestMappings,
    package: PackageReader?,
    texts: LongTexts,
    neighbours: Neighbours,
    readPatience: ReadPatience,
    concurrency: Int,
    gate: ConcurrencyLimiter
  ) {
    self.profile = profile
    self.destination = destination
    traits = destination.traits
    self.checkpoint = checkpoint
    self.mappings = mappings
    self.package = package
    self.texts = texts
    self.neighbours = neighbours
    self.readPatience = readPatience
    self.concurrency = concurrency
    self.gate = gate
  }

  /// The same for a run, which tries a reading again by itself.
  package var withinRun: SyncReader {
    var reader = self
    reader.readPatience = readPatience.withinRun
    return reader
  }

  package var clock: RunClock { readPatience.clock }

  /// Other checkpoints of the same account, whose records must not be removed.
  package var siblings: [CheckpointView] { neighbours.siblings }

  /// Whether a package, a queued change or an earlier run has anything to do with an entity.
  ///
  /// What the destination holds of any other entity decides nothing, and is not read.
  package func concerns(
    _ entity: EntityName,
    in package: PackageReader
  ) throws -> Bool {
    if package.manifest.recordCount(of: entity) > 0 { return true }
    if mappings.queue.changes.keys.contains(where: { $0.entity == entity }) { return true }
    return try checkpoint.hasRecords(of: entity)
  }

  /// An empty place for what is read of the destination.
  package func snapshot() throws -> DestinationSnapshot {
    let path = CheckpointFile.snapshotPath(beside: checkpoint.path)
    return try DestinationSnapshot(path: path, isSealed: package?.isSealed == true)
  }
}
