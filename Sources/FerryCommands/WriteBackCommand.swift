import ArgumentParser
import Checkpoint
import CommandOutput
import Execution
import JSONText
import Reporting
import StageSupport

/// `ferry write-back`: what the app has to write into its own store.
struct WriteBackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "write-back",
    abstract: "Write what the app has to put into its own store after a run.",
    discussion: """
      EXAMPLES
        ferry write-back 2735d6-1 -o write-back.json

      For each record: entity, local identity, server identity, server version, when it was \
      synced, status. One whose last change did not get there is rejected or conflicted, with its \
      server identity and the reason: the app keeps it as not synced. After a rollback, the \
      withdrawal of the same. The file obeys the schema ferry.write-back.v1.

      EXIT STATUS
        0   The file is written.
        64  No run of this name is known.
      """
  )

  @Argument(help: "The run.")
  var run: String

  @Option(name: [.short, .long], help: "The file to write.", completion: .file())
  var output: String

  func validate() throws { try OutputForm.json.check(output, of: "--output") }

  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run { () async throws(MigrationError) in
      let found = try FoundRun(run, in: context.state)
      let writeBack = WriteBack(run: found.run, checkpoint: found.checkpoint)
      let count = try writeBack.write(to: output)
      context.screen.result(["\(count) records written to \(output)"])
      context.screen.result(
        .object([
          "type": "write-back", "run": .string(found.run.id), "file": .string(output),
          "records": .number(JSONNumber(Int64(count))),
        ])
      )
      return .done
    }
  }
}
