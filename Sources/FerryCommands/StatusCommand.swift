import ArgumentParser
import Checkpoint
import JSONText
import Records
import Reporting
import StageSupport
import TextCodecs

/// `ferry status`: which runs there were, and what is unfinished.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "List the runs of all checkpoints, and what is unfinished.",
    discussion: """
      EXAMPLES
        ferry status
        ferry status --format json

      Nothing is locked or changed.

      EXIT STATUS
        0   Always, unless a checkpoint cannot be read.
        12  A checkpoint is damaged or too new; the runs of the others are
            listed.
      """
  )

  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run { () async throws(MigrationError) in
      let (checkpoints, unread) = try FoundRun.all(in: context.state)
      let none = unread.isEmpty ? ["no run yet"] : []
      context.screen.result(checkpoints.isEmpty ? none : text(of: checkpoints))
      context.screen.result(
        .object([
          "type": "status", "runs": .array(checkpoints.map(\.json)),
        ])
      )
      if let first = unread.first { throw .checkpoint(first.error) }
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

extension FoundRun {
  var startedAt: String {
    Timestamp.text(secondsSince1970: run.startedAt)
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
