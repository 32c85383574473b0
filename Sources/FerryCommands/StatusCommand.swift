import ArgumentParser
import Checkpoint
import ExportPackage
import Files
import Foundation
import JSONText
import Migration
import Records
import Reports

/// `ferry status`: which runs there were, and what is unfinished.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "List the runs of all checkpoints, and what is unfinished.",
    discussion: """
      ferry status
      ferry status --format json

      Nothing is locked or changed.

      EXIT STATUS
        0   Always, unless a checkpoint cannot be read.
      """
  )

  @OptionGroup var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run { () async throws(MigrationError) in
      let checkpoints = try FoundRun.all(in: context.state)
      context.screen.result(checkpoints.isEmpty ? ["no run yet"] : text(of: checkpoints))
      context.screen.result(
        .object([
          "type": "status", "runs": .array(checkpoints.map(\.json)),
        ])
      )
      return .done
    }
  }

  private func text(of runs: [FoundRun]) -> [String] {
    var table = TextTable(heading: ["run", "kind", "stage", "began", "account", "destination"])
    for found in runs {
      table.add([
        found.run.id, found.run.kind.rawValue, found.run.stage.rawValue, found.startedAt,
        found.binding.account.plainForTerminal, found.binding.origin.plainForTerminal,
      ])
    }
    return table.lines
  }
}

/// A run that some checkpoint of the state folder knows.
struct FoundRun {
  let run: RunRecord
  let checkpoint: CheckpointView

  var binding: CheckpointBinding { checkpoint.binding }

  /// Every run of every checkpoint, oldest first within its checkpoint.
  static func all(in state: StateFolder) throws(MigrationError) -> [FoundRun] {
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
  init(_ name: String, in state: StateFolder) throws(MigrationError) {
    guard let found = try Self.all(in: state).first(where: { $0.run.id == name }) else {
      throw .unknownRun(name)
    }
    self = found
  }

  /// The package the run sent: a rollback needs it to tell what was changed since, and by which
  /// members records hang together.
  func package() throws(MigrationError) -> PackageReader {
    guard InputFile.isPresent(run.packagePath) else { throw .noPackage(run.packagePath) }
    do throws(PackageError) {
      let package = try PackageReader(run.packagePath)
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

  var startedAt: String {
    Date(timeIntervalSince1970: TimeInterval(run.startedAt)).formatted(.iso8601)
  }

  var json: JSONValue {
    .object([
      "run": .string(run.id), "kind": .string(run.kind.rawValue),
      "stage": .string(run.stage.rawValue), "startedAt": .string(startedAt),
      "account": .string(binding.account), "destination": .string(binding.origin),
      "store": .string(binding.store), "profile": .string(binding.profile),
      "package": .string(run.packagePath),
    ])
  }
}
