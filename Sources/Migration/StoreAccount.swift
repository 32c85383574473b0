package import Checkpoint
import Files
package import StageSupport
import SyncReading

/// A store and the account that its records go to, held against what the other checkpoints say of both.
package struct StoreAccount: Sendable {
  package let binding: CheckpointBinding

  /// Reads the other checkpoints; sends nothing, and needs no package.
  ///
  /// - Parameters:
  ///   - binding: The store, the account and the app.
  ///   - state: The folder of the checkpoints.
  ///   - acceptsChange: Whether the store may go to another account than before.
  ///   - isRehearsal: Whether it is about a dry run, which works on a copy of the checkpoint.
  /// - Throws: `MigrationError.otherAccount` when this store was moved to another account of the same
  ///   destination before, and `CheckpointError` when a checkpoint that may state it cannot be read, or another
  ///   run holds the store's own.
  package init(
    _ binding: CheckpointBinding,
    in state: StateFolder,
    acceptsChange: Bool,
    isRehearsal: Bool
  ) throws {
    if !isRehearsal { try state.checkpoints.expectFree(binding) }
    try self.init(
      binding,
      beside: Neighbours(of: binding, in: state.checkpoints),
      in: state,
      acceptsChange: acceptsChange
    )
  }

  /// The same, with the other checkpoints as they were just read.
  init(
    _ binding: CheckpointBinding,
    beside neighbours: Neighbours,
    in state: StateFolder,
    acceptsChange: Bool
  ) throws {
    self.binding = binding
    guard !acceptsChange else { return }
    if let other = neighbours.others.first {
      throw MigrationError.otherAccount(
        recorded: other.binding.account,
        now: binding.account,
        checkpoint: other.path
      )
    }
    if let error = neighbours.doubt(about: binding.profile, in: state.checkpoints),
      !InputFile.isPresent(state.checkpoints.file(for: binding))
    {
      throw error
    }
  }
}
