import ArgumentParser
import Checkpoint
import CommandOutput
import JSONText
import Reporting
import RunHistory

/// `ferry status`: what is unfinished, what was last, and how much lies in the state folder.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract:
      "Show the last run of each store and what is unfinished, with the commands to type next.",
    discussion: """
      EXAMPLES
        ferry status
        ferry status --format json

      A run whose process has ended before its time is interrupted; a run whose process lives is at \
      work. The bytes of packages and checkpoints are counted. Nothing is locked or changed.

      EXIT STATUS
        0   Always, unless a checkpoint cannot be read.
        12  A checkpoint is damaged, or of another format; the runs of the
            others are listed.
      """
  )

  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run {
      let (runs, unread) = try ListedRun.all(inAndBelow: context.state)
      let sizes = try StateSizes(of: context.state)
      let text = context.runList
      let overview = runs.isEmpty && !unread.isEmpty ? [] : text.overview(runs)
      context.screen.result(overview + sizes.lines)
      context.screen.result(
        .object([
          "type": "status", "runs": .array(runs.map { text.value($0) }), "state": sizes.value,
        ])
      )
      if let first = unread.first { throw first.error }
      return .done
    }
  }
}
