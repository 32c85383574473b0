import ArgumentParser
import JSONText
import Migration
import Quarantine
import Reports

/// `ferry quarantine`: records that were kept aside.
struct QuarantineCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quarantine",
    abstract: "List, show and replay records that were kept aside.",
    discussion: """
      “--on-invalid quarantine” keeps records that are not valid aside, with their findings, under
      the digest of their package.
      """,
    subcommands: [QuarantineListCommand.self, QuarantineShowCommand.self]
  )
}

/// `ferry quarantine list`.
struct QuarantineListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the packages of which records are kept aside."
  )

  @OptionGroup var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run { () async throws(MigrationError) in
      let folders = try quarantining { () throws(QuarantineError) in
        try QuarantineFolder.all(in: context.state.quarantine)
      }
      context.screen.result(QuarantineText.lines(of: folders))
      context.screen.result(
        ["type": "quarantine", "packages": .array(folders.map(QuarantineText.value))] as JSONValue
      )
      return .done
    }
  }
}

/// `ferry quarantine show`.
struct QuarantineShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show the records that are kept aside of a package, and what is the matter.",
    discussion: """
      The values of the records are not shown; the last lines name the files they lie in, which may
      be edited. With --format ndjson each record is one line.

      EXIT STATUS
        0   Shown.
        64  Nothing is kept aside under this name.
      """
  )

  @Argument(help: "The beginning of the package's digest, as “ferry quarantine list” shows it.")
  var package: String

  @OptionGroup var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run { () async throws(MigrationError) in
      try quarantining { () throws(QuarantineError) in
        let folder = try QuarantineFolder.named(package, in: context.state.quarantine)
        try show(folder, on: context.screen)
      }
      return .done
    }
  }

  private func show(_ folder: QuarantineFolder, on screen: Screen) throws(QuarantineError) {
    let records = try folder.records()
    var values: [JSONValue] = []
    while let record = try records.next() {
      screen.result(QuarantineText.lines(of: record))
      if screen.format == .ndjson { screen.result(record.json) }
      if screen.format == .json { values.append(record.json) }
    }
    if screen.format == .json { screen.result(.array(values)) }
    for (entity, _) in folder.counts {
      screen.say("repair: \(folder.recordsPath(of: entity))".plainForTerminal)
    }
  }
}

/// Runs `body` and wraps what the quarantine throws.
private func quarantining<Value>(
  _ body: () throws(QuarantineError) -> Value
) throws(MigrationError) -> Value {
  do throws(QuarantineError) { return try body() } catch { throw .quarantine(error) }
}
