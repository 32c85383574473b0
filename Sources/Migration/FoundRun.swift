package import AgeEncryption
package import Backends
package import Checkpoint
package import ExportPackage
import Files
import Records

/// A run that some checkpoint of the state folder knows.
package struct FoundRun: Sendable {
  package let run: RunRecord
  package let checkpoint: CheckpointView

  package var binding: CheckpointBinding { checkpoint.binding }

  /// Every run of every checkpoint that can be read, oldest first within its checkpoint, and why the
  /// others cannot.
  package static func all(
    in state: StateFolder
  ) throws(MigrationError) -> (runs: [FoundRun], unread: [UnreadCheckpoint]) {
    try checkpointing { () throws(CheckpointError) in
      let (views, leftOut) = try state.checkpoints.found()
      var found: [FoundRun] = []
      var unread = leftOut
      for checkpoint in views {
        do throws(CheckpointError) {
          found += try checkpoint.runs().map { FoundRun(run: $0, checkpoint: checkpoint) }
        } catch {
          guard error.isOfOneFile else { throw error }
          unread.append(UnreadCheckpoint(path: checkpoint.path, error: error))
        }
      }
      return (found, unread)
    }
  }

  private init(run: RunRecord, checkpoint: CheckpointView) {
    self.run = run
    self.checkpoint = checkpoint
  }

  /// The run of this name.
  ///
  /// - Throws: ``MigrationError/unknownRun(_:)``, or why a checkpoint cannot be read that may know it.
  package init(_ name: String, in state: StateFolder) throws(MigrationError) {
    let (runs, unread) = try Self.all(in: state)
    guard let found = runs.first(where: { $0.run.id == name }) else {
      if let first = unread.first { throw .checkpoint(first.error) }
      throw .unknownRun(name)
    }
    self = found
  }

  /// Refuses another destination than the one that the run went to, before anything is asked of it.
  ///
  /// - Throws: ``MigrationError/runElsewhere(run:destination:named:)``
  package func expect(_ destination: any Destination) throws(MigrationError) {
    let named = destination.traits.origin
    guard named != binding.origin else { return }
    throw .runElsewhere(run: run.id, destination: binding.origin, named: named)
  }

  /// The package the run sent: a rollback needs it to tell what was changed since, and by which
  /// members records hang together.
  ///
  /// - Parameter identities: What opens the package where it is encrypted.
  /// - Returns: The package, which is the one that the run sent.
  /// - Throws: ``MigrationError`` when it is gone, another one, or cannot be opened.
  package func package(
    identities: [AgeIdentity] = []
  ) throws(MigrationError) -> PackageReader {
    guard InputFile.isPresent(run.packagePath) else { throw .noPackage(run.packagePath) }
    do throws(PackageError) {
      let package = try PackageReader(run.packagePath, identities: identities)
      guard run.package.isEmpty || package.digest.description == run.package else {
        throw PackageError.damaged(
          path: run.packagePath,
          reason: "it is not the package that run \(run.id) sent"
        )
      }
      return package
    } catch {
      throw .package(error)
    }
  }
}
