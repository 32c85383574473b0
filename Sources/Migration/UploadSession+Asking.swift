import Checkpoint
import ExportPackage
import Files
import Planning
import Profiles
import Records
import StageSupport
import SyncReading
import UploadPlanning

/// Conflicts that a person decides, at the terminal or in a file.
extension UploadSession {
  /// Asks a person about each conflict that a plan of the package would leave open.
  ///
  /// All conflicts are known before the first question: they are found by a plan that is made in a private copy
  /// of the checkpoint, with a reading of the destination of its own, and dropped.
  ///
  /// - Returns: The answers, by the names of the conflicts; none where there is no one to ask.
  /// - Throws: `MigrationError.interrupted` when the person ends the command at a question.
  func decisions(
    about package: PackageReader,
    _ interruption: CancellationToken
  ) async throws -> [String: AskedConflict.Answer] {
    guard let prompt = options.prompt, AskedConflicts.canArise(in: profile, options.plan) else {
      return [:]
    }
    let folder = try PrivateFolder()
    defer { withExtendedLifetime(folder) {} }
    let copy = "\(folder.path)/checkpoint.sqlite"
    try CheckpointView(checkpoint.path)?.copy(to: copy)
    let trial = try rehearsing(in: CheckpointFile(path: copy, binding: checkpoint.binding))
    let asked = try AskedConflicts(path: decisionsPath, isWritten: false)
    _ = try await trial.draft(.planning, package, asked, reporting: [], interruption)
    return try asked.ask(prompt)
  }

  /// The file of decisions that was named, or the one in the state folder.
  var decisionsPath: String {
    if let path = options.decisionsPath { return path }
    let binding = checkpoint.binding
    let parts = [binding.store, binding.origin, binding.account, binding.profile]
    return "\(state.path)/decisions/\(StateFolder.shortName(of: parts)).json"
  }

  func reportAsked(_ asked: AskedConflicts) throws {
    guard !options.isRehearsal else { return }
    let path = decisionsPath
    let count = try asked.write(to: path)
    guard count > 0 else { return }
    let conflicts = count.counted("conflict")
    progress.report(
      .note("\(path) asks for a decision about \(conflicts); fill it in, and run again")
    )
  }
}
