package import AgeEncryption
package import Checkpoint
package import ExportPackage
import Files
import Records

/// A run that some checkpoint of the state folder knows.
package struct FoundRun: Sendable {
  package let run: RunRecord
  package let checkpoint: CheckpointView

  package var binding: CheckpointBinding { checkpoint.binding }

  /// Every run of every checkpoint, oldest first within its checkpoint.
  package static func all(in state: StateFolder) throws(MigrationError) -> [FoundRun] {
    do throws(CheckpointError) {
      var found: [FoundRun] = []
      for checkpoint in try state.checkpoints.views() {
        for run in try checkpoint.runs() {
          found.append(FoundRun(run: run, checkpoint: checkpoint))
        }
      }
      return found
    } catch {
      throw .checkpoint(error)
    }
  }

  private init(run: RunRecord, checkpoint: CheckpointView) {
    self.run = run
    self.checkpoint = checkpoint
  }

  /// The run of this name.
  package init(_ name: String, in state: StateFolder) throws(MigrationError) {
    guard let found = try Self.all(in: state).first(where: { $0.run.id == name }) else {
      throw .unknownRun(name)
    }
    self = found
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
