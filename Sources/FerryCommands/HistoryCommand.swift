import ArgumentParser
import Checkpoint
import CommandOutput
import JSONText
import Reporting
import RunHistory
import StageSupport

/// `ferry history`: what every run came to.
struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract:
      "List every run with what it came to, and the commands that resume it or roll it back.",
    discussion: """
      EXAMPLES
        ferry history                  every run of every checkpoint
        ferry history RUN              one of them, and what it left behind
        ferry history --format ndjson  a run a line

      The oldest run comes first. The list is what the checkpoints remember; reports that were \
      written with --report are not read. Nothing is locked or changed.

      EXIT STATUS
        0   Always, unless a checkpoint cannot be read.
        12  A checkpoint is damaged, or of another format; the runs of the
            others are listed.
        64  No run of this name is known.
      """
  )

  @Argument(help: "Only this run, by its name or by what it alone begins with.")
  var run: String?

  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run {
      let text = context.runList
      if let run { return try show(FoundRun(run, inOrBelow: context.state), text, context.screen) }
      let (runs, unread) = try ListedRun.all(inAndBelow: context.state)
      context.screen.result(text.table(runs))
      let values = runs.map { text.value($0) }
      if context.screen.format == .ndjson {
        for value in values { context.screen.passing(value) }
      } else {
        context.screen.result(.object(["type": "history", "runs": .array(values)]))
      }
      if let first = unread.first { throw first.error }
      return .done
    }
  }

  /// Shows one run, and by name what it left behind.
  private func show(
    _ found: FoundRun,
    _ text: RunListText,
    _ screen: Screen
  ) throws -> ExitStatus {
    let (listed, findings) = (
      try ListedRun.runs(in: found.checkpoint, of: found.state).filter {
        $0.run.id == found.run.id
      },
      try found.checkpoint.findings(of: found.run, limit: Self.mostFindings)
    )
    screen.result(listed.flatMap(text.lines) + SummaryText.list(findings))
    let values = listed.map { text.value($0, findings) }
    if screen.format == .ndjson {
      for value in values { screen.passing(value) }
    } else {
      screen.result(.object(["type": "history", "runs": .array(values)]))
    }
    return .done
  }

  private static let mostFindings = 10_000
}
