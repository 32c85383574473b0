import ArgumentParser
import Checkpoint
import JSONText
import Reporting
import StageSupport
import TextCodecs

/// `ferry history`: what every run came to.
struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract:
      "List every run with what it came to: how long, how many settled, refused, conflicted.",
    discussion: """
      EXAMPLES
        ferry history                  every run of every checkpoint
        ferry history RUN              one of them
        ferry history --format ndjson  a run a line

      The oldest run comes first. Nothing is locked or changed. Reports that were written with --report are files of yours; \
      this says what the checkpoints remember.

      EXIT STATUS
        0   Always, unless a checkpoint cannot be read.
        12  A checkpoint is damaged or too new; the runs of the others are
            listed.
        64  No run of this name is known.
      """
  )

  @Argument(help: "Only this run.")
  var run: String?

  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run { () async throws(MigrationError) in
      let (all, unread) = try found(in: context.state)
      let runs = all.filter { run == nil || $0.facts.run.id == run }
      if let run, runs.isEmpty {
        if let first = unread.first { throw .checkpoint(first.error) }
        throw .unknownRun(run)
      }
      context.screen.result(CheckpointText.history(runs, day: Self.day))
      let values = runs.map { CheckpointText.value(of: $0.facts, $0.binding, day: Self.day) }
      if context.screen.format == .ndjson {
        for value in values { context.screen.passing(value) }
      } else {
        context.screen.result(.object(["type": "history", "runs": .array(values)]))
      }
      if run == nil, let first = unread.first { throw .checkpoint(first.error) }
      return .done
    }
  }

  /// The runs, oldest first, and the checkpoints that cannot be read.
  private func found(
    in state: StateFolder
  ) throws(MigrationError) -> (runs: [ReportedRunFacts], unread: [UnreadCheckpoint]) {
    do throws(CheckpointError) {
      let (views, leftOut) = try state.checkpoints.found()
      var found: [ReportedRunFacts] = []
      var unread = leftOut
      for view in views {
        do throws(CheckpointError) {
          let facts = try view.facts()
          found += facts.runs.map { (view.binding, $0) }
        } catch {
          guard error.isOfOneFile else { throw error }
          unread.append(UnreadCheckpoint(path: view.path, error: error))
        }
      }
      found.sort {
        ($0.facts.run.startedAt, $0.facts.run.number)
          < ($1.facts.run.startedAt, $1.facts.run.number)
      }
      return (found, unread)
    } catch {
      throw .checkpoint(error)
    }
  }

  private typealias ReportedRunFacts = (binding: CheckpointBinding, facts: RunFacts)

  /// A moment in UTC.
  static func day(_ seconds: Int64) -> String {
    Timestamp.text(secondsSince1970: seconds)
  }
}
