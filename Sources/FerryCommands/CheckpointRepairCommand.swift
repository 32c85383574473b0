import ArgumentParser
import CheckpointMending
import CommandOutput
import JSONText
import Records
import Reporting
import StageSupport

/// `ferry checkpoint repair`.
struct CheckpointRepairCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Repair a damaged checkpoint as far as possible without guessing.",
    discussion: """
      EXAMPLES
        ferry checkpoint check
        ferry checkpoint repair infinite

      Indexes are made anew from their tables, and rows that a crash of the machine left behind \
      are put in order: plans of which nothing was sent are dropped, requests without an \
      answer are looked up by the next run. All of it happens in a copy, which is checked and \
      then put in place in one step; the old file is kept beside it. What only a guess could correct \
      is refused, and nothing is changed.

      EXIT STATUS
        0   It is sound, or sound again.
        11  A run holds the checkpoint.
        12  It cannot be repaired; the message has the cure.
        64  Not exactly one checkpoint of this name is there.
      """
  )

  @OptionGroup var choice: CheckpointChoice
  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run {
      let files = try choice.files(in: context.state)
      guard let file = files.first, files.count == 1 else {
        throw MigrationError.unknownCheckpoint(
          choice.name ?? "(name one: there are \(files.count))"
        )
      }
      let outcome = try CheckpointRepair.run(file)
      context.screen.result(CheckpointText.lines(of: outcome, file: file))
      context.screen.result(CheckpointText.value(of: outcome, file: file))
      if case .refused = outcome { return .mismatch }
      return .done
    }
  }
}
