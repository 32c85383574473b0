import ArgumentParser
import Migration
import Reports

/// `ferry inspect`: what a store is and what is in it.
struct InspectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Say what a store is: kind, identity, model, entities, counts, write-ahead log.",
    discussion: """
      The store is read through a private copy and never written. Values of records and the app's
      own metadata are not shown.

      EXIT STATUS
        0   The store can be read.
        10  It is missing, unreadable, unsupported or unsteady.
      """
  )

  @Argument(help: "The store's file.")
  var store: String

  @OptionGroup var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run { () async throws(MigrationError) in
      let inspection = try StoreInspection(of: store)
      context.screen.result(InspectionText.lines(of: inspection))
      context.screen.result(InspectionText.value(of: inspection))
      return .done
    }
  }
}
