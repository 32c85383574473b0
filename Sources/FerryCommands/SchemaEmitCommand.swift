import ArgumentParser
import CommandOutput
import JSONText
import PackageStages
import Records
import Reporting
import SchemaEmission

/// `ferry schema emit`: what a backend needs to take a store's records.
struct SchemaEmitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "emit",
    abstract: "Describe a store's records in the form that a backend takes.",
    discussion: """
      EXAMPLES
        ferry schema emit --for pocketbase default.store -o collections.json
        ferry schema emit --for postgresql default.store -o tables.sql

      The fields are those that a profile of `ferry init` sends, with types that take every value of \
      the store. Standard error lists what the form does not carry. Nothing is sent.

      EXIT STATUS
        0   The description is there.
        10  The store is missing, unreadable, unsupported or unsteady.
        64  --rls-owner is given for another form than postgresql.
      """
  )

  @Argument(help: "The store.", completion: .file()) var store: String
  @Option(name: .customLong("for"), help: "The form that the backend takes.") var form: SchemaForm
  @Option(name: [.short, .long], help: "The file; else standard output.", completion: .file())
  var output: String?
  @Option(help: "How fields are called: snake_case for postgresql, else as-is, unless given.")
  var names: NameForm?
  @Option(help: "PostgreSQL: a column for each row's user, with row level security.")
  var rlsOwner: String?
  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Source") var secrets: StoreCredentialOptions
  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func validate() throws {
    guard rlsOwner != nil, form != .postgresql || rlsOwner == "" else { return }
    throw ValidationError("--rls-owner takes the name of a column, with --for postgresql alone.")
  }

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run {
      try NamedFile.expect(.store, at: store)
      let options = try await source.options(secrets.credentials, context)
      let choices = SchemaOptions(names: names ?? form.usualNames, owner: rlsOwner)
      let emitted = try SchemaStage.run(store: store, options: options, form: form, choices)
      let value: JSONValue = ["type": "schema", "text": .string(emitted.text)]
      try context.put(emitted.text, value, to: output, isJSON: form.isJSON)
      for note in Self.gathered(emitted.notes) { context.screen.say("note: \(note)") }
      if let output {
        context.screen.say("written: \(output)".plainForTerminal)
        if let use = form.use { context.screen.say("to apply it: \(use)") }
      }
      return .done
    }
  }

  /// Notes in the order of their words, with all fields that the same words are about in one.
  private static func gathered(_ notes: [String]) -> [String] {
    var order: [String] = []
    var fields: [String: [String]] = [:]
    for note in notes {
      let parts = note.split(separator: ": ", maxSplits: 1).map(String.init)
      let words = parts.last ?? note
      if fields[words] == nil { order.append(words) }
      fields[words, default: []] += parts.dropLast()
    }
    return order.map { words in
      let names = fields[words, default: []]
      return names.isEmpty ? words : "\(names.joined(separator: ", ")): \(words)"
    }
  }
}

extension SchemaForm: ExpressibleByArgument {}

extension SchemaForm {
  /// What makes the tables of the file; `nil` for a form that no one command takes.
  fileprivate var use: String? {
    switch self {
    case .postgresql: "psql DATABASE < FILE"
    case .sqlite: "sqlite3 DATABASE < FILE"
    case .pocketbase:
      "PUT /api/collections/import as a superuser; the dashboard takes the list “collections” alone"
    case .cloudkit: "xcrun cktool import-schema"
    case .jsonSchema, .openapi: nil
    }
  }
}
extension NameForm: ExpressibleByArgument {}
