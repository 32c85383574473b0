import ArgumentParser
import Files
import JSONText
import PackageStages
import Profiles
import SchemaEmission
import StageSupport

/// `ferry schema emit`: what a backend needs to take a store's records.
struct SchemaEmitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "emit",
    abstract: "Describe a store's records in the form that a backend takes.",
    discussion: """
      EXAMPLES
        ferry schema emit --for pocketbase default.store -o collections.json
        ferry schema emit --for postgresql --rls-owner owner default.store -o tables.sql

      The fields are those that a profile of `ferry init` sends, with types that take every value of \
      the store. Standard error lists what the form does not carry. Nothing is sent.

      EXIT STATUS
        0   The description is there.
        10  The store is missing, unreadable, unsupported or unsteady.
      """
  )

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Option(name: .customLong("for"), help: "The form that the backend takes.")
  var form: SchemaForm

  @Option(
    name: [.short, .long],
    help: "The file; standard output unless given.",
    completion: .file()
  )
  var output: String?

  @Option(help: "How fields are called: as-is unless given, or snake_case.")
  var names: NameForm = .asIs

  @Option(help: "PostgreSQL: a column for each row's user, and row level security by it.")
  var rlsOwner: String?

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Source") var secrets: StoreCredentialOptions
  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func validate() throws {
    guard let rlsOwner else { return }
    guard form == .postgresql, !rlsOwner.isEmpty else {
      throw ValidationError("--rls-owner takes the name of a column, with --for postgresql alone.")
    }
  }

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run { () async throws(MigrationError) in
      try NamedFile.expect(.store, at: store)
      let emitted = try SchemaStage.run(
        store: store,
        options: try await source.options(secrets.credentials, context),
        form: form,
        SchemaOptions(names: names, owner: rlsOwner)
      )
      if let output {
        try filing(WholeFile.replace(output, with: Array(emitted.text.utf8)))
      } else {
        let text = form.isJSON ? emitted.text.escapedForDisplay : emitted.text
        context.screen.result(
          text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        )
      }
      context.screen.result(
        [
          "type": "schema", "form": .string(form.rawValue), "text": .string(emitted.text),
          "notes": .array(emitted.notes.map { .string($0) }),
        ] as JSONValue
      )
      for note in emitted.notes { context.screen.say("note: \(note)") }
      return .done
    }
  }
}

extension SchemaForm: ExpressibleByArgument {}
extension NameForm: ExpressibleByArgument {}
