package import AgeEncryption
package import Checkpoint
package import DestinationModel
package import ExportPackage
import Files
import Records

/// A run that some checkpoint of the state folder knows.
package struct FoundRun: Sendable {
  package let run: RunRecord
  package let checkpoint: CheckpointView
  /// Where the checkpoint lies, and the package beside it.
  package let state: StateFolder

  package var binding: CheckpointBinding { checkpoint.binding }

  /// Every run of every checkpoint that can be read, oldest first within its checkpoint, and why the
  /// others cannot.
  package static func all(
    in state: StateFolder
  ) throws -> (runs: [FoundRun], unread: [UnreadCheckpoint]) {
    try all(in: [state], where: nil)
  }

  private static func all(
    in states: [StateFolder],
    where isOfConcern: ((CheckpointBinding) -> Bool)?
  ) throws -> (runs: [FoundRun], unread: [UnreadCheckpoint]) {
    var found: [FoundRun] = []
    var unread: [UnreadCheckpoint] = []
    for state in states {
      let (views, leftOut) = try state.checkpoints.found(where: isOfConcern)
      unread += leftOut
      for checkpoint in views {
        do throws(CheckpointError) {
          found += try checkpoint.runs().map {
            FoundRun(run: $0, checkpoint: checkpoint, state: state)
          }
        } catch {
          guard error.isOfOneFile else { throw error }
          unread.append(UnreadCheckpoint(path: checkpoint.path, error: error))
        }
      }
    }
    return (found, unread)
  }

  private init(run: RunRecord, checkpoint: CheckpointView, state: StateFolder) {
    self.run = run
    self.checkpoint = checkpoint
    self.state = state
  }

  /// The run of this name in the state folder, or else in that of a store of a fleet.
  ///
  /// - Throws: The same as for one state folder.
  package init(_ name: String, inOrBelow state: StateFolder) throws {
    do {
      self = try FoundRun(name, in: state)
    } catch MigrationError.unknownRun {
      self = try FoundRun(name, in: state.ofFleet())
    }
  }

  /// The run of this name, or the only one whose name begins with it.
  ///
  /// What ends with a number is a whole name: `2735d6-1` never means `2735d6-10`.
  ///
  /// - Throws: `MigrationError.unknownRun`, `MigrationError.ambiguousRun`, or why a checkpoint cannot be
  ///   read that may know it.
  package init(_ name: String, in state: StateFolder) throws {
    try self.init(name, in: [state])
  }

  private init(_ name: String, in states: [StateFolder]) throws {
    // To open a checkpoint takes a copy of it: those of other names are left alone first.
    let likely = try Self.all(in: states) { binding in
      let start = StateFolder.runName(of: binding)
      return start.hasPrefix(name) || name.hasPrefix(start)
    }
    if let found = try Self.chosen(name, from: likely.runs), likely.unread.isEmpty {
      self = found
      return
    }
    let (runs, unread) = try Self.all(in: states, where: nil)
    if let exact = try Self.exact(name, from: runs) {
      self = exact
      return
    }
    if let first = unread.first { throw first.error }
    guard let found = try Self.chosen(name, from: runs) else {
      throw MigrationError.unknownRun(name)
    }
    self = found
  }

  private static func chosen(
    _ name: String,
    from runs: [FoundRun]
  ) throws -> FoundRun? {
    if let exact = try exact(name, from: runs) { return exact }
    let isWhole = name.contains("-") && name.last?.isNumber == true
    let found = isWhole || name.isEmpty ? [] : runs.filter { $0.run.id.hasPrefix(name) }
    guard found.count < 2 else { throw MigrationError.ambiguousRun(name, found.map(\.run.id)) }
    return found.first
  }

  /// The run that has the whole name.
  ///
  /// - Throws: `MigrationError.ambiguousRun` for two lines of a fleet about the same store and account.
  private static func exact(_ name: String, from runs: [FoundRun]) throws -> FoundRun? {
    let found = runs.filter { $0.run.id == name }
    guard found.count < 2 else {
      let places = found.map { "\($0.run.id) in \($0.state.path)" }
      throw MigrationError.ambiguousRun(name, places)
    }
    return found.first
  }

  /// The flags of the command that began it; none where another user may have written them.
  package func flags() throws -> [RunFlag] {
    guard FoundFile.distrust(of: checkpoint.path) == nil else { return [] }
    return try checkpoint.flags(of: run)
  }

  /// Whether it was begun, or last gone on with, by a migration, which reads back what it sent.
  package func isMigration() throws -> Bool {
    try flags().contains { $0.name == RunFlag.store }
  }

  /// Whether it is a migration that sent everything and ended before that was read back.
  package func isUnread() throws -> Bool {
    try checkpoint.unreadRun()?.id == run.id
  }

  /// The run that an unfinished rollback reverses: this run, or that which this rollback is of; `nil` where
  /// no rollback of it is unfinished.
  package func runBeingRolledBack() throws -> String? {
    let open = try checkpoint.runs().last { other in
      other.kind == .rollback && [.planning, .executing].contains(other.stage)
        && [other.id, other.undoes].contains(run.id)
    }
    return open?.undoes
  }

  /// Refuses another destination than the one that the run went to, before anything is asked of it.
  ///
  /// - Throws: `MigrationError.runElsewhere`
  package func expect(_ destination: any Destination) throws {
    let named = destination.traits.origin
    guard named != binding.origin else { return }
    throw MigrationError.runElsewhere(run: run.id, destination: binding.origin, named: named)
  }

  /// Where the package lies: where the run had it, or else in the state folder, which may have been moved
  /// with all that is in it.
  package var packagePath: String {
    guard !InputFile.isPresent(run.packagePath), let moved, InputFile.isPresent(moved) else {
      return run.packagePath
    }
    return moved
  }

  /// The other place where the package is looked for.
  private var moved: String? {
    let path = run.packagePath.split(separator: "/").last.map { "\(state.packages)/\($0)" }
    return path == run.packagePath ? nil : path
  }

  /// The package the run sent: a rollback needs it to say what was changed since, and by which
  /// members records hang together.
  ///
  /// - Parameter identities: What opens the package where it is encrypted.
  /// - Returns: The package, which is the one that the run sent.
  /// - Throws: An error when it is gone, another one, or cannot be opened.
  package func package(
    identities: [AgeIdentity] = []
  ) throws -> PackageReader {
    let path = packagePath
    guard InputFile.isPresent(path) else { throw MigrationError.noPackage(path, orAt: moved) }
    let package = try PackageReader(path, identities: identities)
    guard run.package.isEmpty || package.digest.description == run.package else {
      throw PackageError.damaged(
        path: path,
        reason: "it is not the package that run \(run.id) sent"
      )
    }
    return package
  }
}
