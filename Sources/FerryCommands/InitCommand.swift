import ArgumentParser
import CommandOptions
import CommandOutput
import DestinationModel
import Files
import JSONText
import PackageStages
import ProfileDrafting
import Profiles
import Reporting
import RunHistory
import StageSupport

/// `ferry init`: a profile and schemas, drafted from a store.
struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Draft a profile and schemas from a store's own model and data.",
    discussion: """
      EXAMPLES
        ferry init default.store -o draft
        ferry init default.store --preset pocketbase -o draft
        ferry init default.store --preset pocketbase --to URL -o draft
        ferry init default.store --to ./openapi.yaml -o draft

      An export with the draft loses nothing, and what it exports obeys the drafted schemas. To \
      send records, name the backend with --preset (`ferry preset list`), or add an "api" section \
      to the profile. With --preset, collections and fields are drafted by convention, so compare \
      each of them with the server's. With --to, and the credential that may read the server's \
      schema, they are matched with that, and what has no match is named. Nothing is sent. --to \
      takes a file in OpenAPI 3 as well, in JSON or YAML. Without --preset, the draft then has a \
      skeleton of requests in rest.yaml, which says what is to be filled in. A \
      preset's file of yours is copied into the draft's folder, where the profile finds it.

      A column whose values are all identities of another entity, and that is called like it or holds \
      UUIDs, becomes a reference. A column that names files beside the store takes them along, where \
      the backend takes files. The draft says which, and why. Editors complete its keys by the schema \
      beside it.

      Where rows have few texts again and again, or names that no model has, the schemas list \
      them under "x-seen". Look there before you give a draft to another person; a package that is \
      exported with --redact has none of it.

      EXIT STATUS
        0   The draft is there.
        5   The backend could not be reached, or asks to wait.
        7   The backend refuses the credential.
        10  The store is missing, unreadable, unsupported or unsteady.
        12  The preset's file has faults.
        64  The folder is not empty.
      """
  )

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Option(
    name: [.short, .long],
    help: "The folder for the draft; empty, or not there yet.",
    completion: .file()
  )
  var output: String

  @Option(help: "A short name for the app: lower-case letters, digits and hyphens.")
  var name: String?

  @Option(help: "The backend that records go to: a name of `ferry preset list`, or ./FILE.yaml.")
  var preset: String?

  @Option(
    help: "The backend's address, or its description in OpenAPI 3: ./FILE.",
    completion: .file()
  )
  var to: String?

  @OptionGroup var variables: VariableOptions
  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Source") var secrets: DraftCredentialOptions
  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    let profile = "\(output)/\(DraftStage.profileName)"
    try await context.run {
      try NamedFile.expect(.store, at: store)
      let destination = try await destination(context)
      let outcome = try DraftStage.run(
        store: store,
        app: name,
        options: try await source.options(secrets.credentials, context),
        to: destination,
        into: output
      )
      context.screen.result(outcome.files.map { "\(output)/\($0)" })
      context.screen.result(
        ["type": "draft", "files": .array(outcome.files.map { .string($0) })] as JSONValue
      )
      for line in SummaryText.findings(outcome.findings) { context.screen.warn(line) }
      if let word = outcome.seenWord {
        context.screen.say(
          "note: the schemas list texts or names of the rows, under “\(word)”; look there before you "
            + "give the draft to another person"
        )
      }
      context.screen.suggest(commands(for: profile.quotedForShell, destination))
      return .done
    }
  }

  /// What to type next, one after the other; a credential that is not given yet is asked for.
  private func commands(for profile: String, _ destination: DraftedDestination?) -> [String] {
    let store = ([store] + source.words).map(\.quotedForShell).joined(separator: " ")
    guard let destination else {
      return [
        "ferry profile check \(profile)", "ferry export \(store) --profile \(profile) -o PKG",
        "ferry validate PKG", "ferry preset list",
      ]
    }
    let given = secrets.credentials
    let needed = destination.preset.api.neededCredentials.map { name in
      given.first { $0.hasPrefix("\(name)=") } ?? "\(name)=ask"
    }
    func place(_ credentials: [String]) -> String {
      "--profile \(profile)\(destination.url == nil ? " --to URL" : "")"
        + credentials.map { " --credential \($0.quotedForShell)" }.joined()
    }
    let others = given.filter { !needed.contains($0) }
    return [
      "ferry profile check \(profile)", "ferry preflight \(place(needed + others))",
      "ferry migrate \(store) \(place(needed)) -n", "ferry migrate \(store) \(place(needed))",
    ]
  }

  /// Where records are to go, as a person named it, with the server's own schema where it may be read.
  private func destination(
    _ context: CommandContext
  ) async throws -> DraftedDestination? {
    if let to, OpenAPIFile.isNamed(by: to) { return try described(by: to, context) }
    guard let preset else {
      guard to == nil, variables.values.isEmpty else {
        throw MigrationError.badChoice(
          reason: "--to and --set say where records go, and no --preset how",
          cure: "add --preset NAME, of `ferry preset list`, or give --to ./FILE in OpenAPI 3"
        )
      }
      return nil
    }
    let summary = try PresetCommand.summary(of: preset, given: variables.given)
    let schema = try await schema(of: summary, context)
    return DraftedDestination(preset: summary, url: to, schema: schema)
  }

  /// The destination that a file in OpenAPI 3 describes; no server is asked.
  private func described(by path: String, _ context: CommandContext) throws -> DraftedDestination {
    let file = try description(at: path)
    let summary =
      if let preset {
        try PresetCommand.summary(of: preset, given: variables.given)
      } else {
        try file.skeleton(given: variables.given)
      }
    context.screen.say(
      file.server.map { "note: the address \($0) is that of “servers” in \(path); check it" }
        ?? "note: \(path) names no whole address; add “destinations” to the profile, or give --to URL"
    )
    return DraftedDestination(preset: summary, url: file.server, schema: file.schema)
  }

  /// Reads a file in OpenAPI 3, or says what to name in its place.
  private func description(at path: String) throws -> OpenAPIFile {
    let words = [store, "--preset", "NAME", "-o", output].map(\.quotedForShell)
    let cure =
      "name a file in OpenAPI 3 by its path, or a backend: `ferry init \(words.joined(separator: " "))`"
    do {
      let limit = SchemaRoute.AnswerForm.largestAnswer
      let bytes = try InputFile.contents(of: path, limit: limit)
      return try OpenAPIFile(bytes, named: Folder.lastName(of: path))
    } catch let fault as SchemaFault {
      throw MigrationError.badChoice(
        reason: "\(path) cannot be drafted from: \(fault.reason)",
        cure: cure
      )
    } catch let error as FileError where !error.isOfTheSystem {
      throw MigrationError.badChoice(reason: error.description, cure: error.cure ?? cure)
    }
  }

  /// What the server says of its collections; `nil` where it was not asked.
  private func schema(
    of summary: PresetSummary,
    _ context: CommandContext
  ) async throws -> RemoteSchema? {
    guard let to, summary.schemaRoute != nil else { return nil }
    guard summary.schemaNeeds.isEmpty else {
      let flags = summary.schemaNeeds.map { "--set \($0)=…" }.joined(separator: " ")
      context.screen.say("note: no field was compared with the server's; \(flags) does that")
      return nil
    }
    let answer = try await context.remoteSchema(
      of: summary.api,
      at: to,
      credentials: secrets.credentials
    )
    switch answer {
    case .described(let schema): return schema
    case .undescribed: return nil
    case .withheld(let reason):
      context.screen.say(
        "note: no field was compared with the server's, which gave nothing to read: \(reason)"
      )
      return nil
    case .withoutCredential(let name):
      context.screen.say(
        "note: no field was compared with the server's; --credential \(name)=env:VAR does that"
      )
      return nil
    }
  }
}
