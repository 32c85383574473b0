import DestinationModel
import Checkpoint
import ExportPackage
import Profiles
import Retrying
import StageSupport

/// Reads the copies of a record: what the package says, what both sides last agreed on, and what the
/// destination has.
///
/// Planning, execution and verification read through it. It changes nothing at the destination.
struct SyncReader: Sendable {
  let profile: Profile
  let destination: any Destination
  let checkpoint: CheckpointFile
  let wires: WireForms
  /// The package that is being sent; a rollback can do without.
  let package: PackageReader?
  /// What other checkpoints say of the same account.
  let neighbours: Neighbours
  let readPatience: ReadPatience
  /// The most requests that may be in flight.
  let concurrency: Int
  /// What lets no more than that through to the destination, and fewer where it has trouble.
  let gate: RequestGate

  var clock: RunClock { readPatience.clock }

  /// Other checkpoints of the same account, whose records must not be taken away.
  var siblings: [CheckpointView] { neighbours.siblings }

  /// An empty place for what is read of the destination.
  func snapshot() throws(MigrationError) -> DestinationSnapshot {
    let path = DestinationSnapshot.path(beside: checkpoint.path)
    return try checkpointing { () throws(CheckpointError) in
      try DestinationSnapshot(path: path, isSealed: package?.isSealed == true)
    }
  }
}
