import ArgumentParser
import Checkpoint
import CheckpointMending
import CommandOptions
import CommandOutput
import Files
import JSONText
import PackageStages
import Records
import Reporting
import StageSupport

/// `ferry checkpoint`: what Ferry remembers; only `repair` changes anything.
struct CheckpointCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "checkpoint",
    abstract: "Show, check, export and repair checkpoints.",
    discussion: """
      EXAMPLES
        ferry checkpoint show
        ferry checkpoint check
      """,
    subcommands: [
      CheckpointShowCommand.self, CheckpointCheckCommand.self, CheckpointExportCommand.self,
      CheckpointRepairCommand.self,
    ]
  )
}

/// Which checkpoints are meant.
struct CheckpointChoice: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "A checkpoint: its file, or the beginning of its name; all of the state folder unless given.",
      valueName: "checkpoint"
    )
  )
  var name: String?

  /// The files, by name.
  func files(in state: StateFolder) throws -> [String] {
    if let name, name.hasSuffix(".sqlite") {
      guard InputFile.isPresent(name) else { throw MigrationError.unknownCheckpoint(name) }
      try NamedFile.expect(.checkpoint, at: name)
      return [name]
    }
    let all = try state.checkpoints.files()
    guard let name else { return all }
    let matching = all.filter { Folder.lastName(of: $0).hasPrefix(name) }
    guard !matching.isEmpty else { throw MigrationError.unknownCheckpoint(name) }
    return matching
  }

  /// The checkpoints; one that holds nothing yet is not one.
  func views(in state: StateFolder) throws -> [CheckpointView] {
    var views: [CheckpointView] = []
    for file in try files(in: state) {
      if let view = try CheckpointView(file) { views.append(view) }
    }
    return views
  }
}

/// `ferry checkpoint show`.
struct CheckpointShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show what checkpoints belong to and what they hold.",
    discussion: """
      EXAMPLES
        ferry checkpoint show
        ferry checkpoint show infinite --format json

      EXIT STATUS
        0   Shown.
        12  A checkpoint is damaged, or of another format.
        64  No checkpoint of this name is there.
      """
  )

  @OptionGroup var choice: CheckpointChoice
  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run {
      var values: [JSONValue] = []
      let views = try choice.views(in: context.state)
      if views.isEmpty { context.screen.result(["no checkpoint yet"]) }
      for view in views {
        let facts = try view.facts()
        context.screen.result(CheckpointText.lines(of: view, facts))
        values.append(CheckpointText.value(of: view, facts))
      }
      context.screen.result(.object(["type": "checkpoints", "checkpoints": .array(values)]))
      return .done
    }
  }
}

/// `ferry checkpoint check`.
struct CheckpointCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Look whether checkpoints are sound: SQLite's pages, and Ferry's own rules.",
    discussion: """
      EXAMPLES
        ferry checkpoint check

      Every checkpoint is looked at, also after one that is damaged.

      EXIT STATUS
        0   All are sound.
        1   One cannot be read.
        12  One is damaged, of another format, or breaks a rule.
        64  No checkpoint of this name is there.
      """
  )

  @OptionGroup var choice: CheckpointChoice
  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run {
      var values: [JSONValue] = []
      var statuses: [ExitStatus] = []
      let files = try choice.files(in: context.state)
      if files.isEmpty { context.screen.result(["no checkpoint yet"]) }
      for file in files {
        let (findings, status) = Self.check(file)
        statuses.append(status)
        let word =
          status == .done ? "sound" : status == .failure ? "it cannot be determined" : "not sound"
        context.screen.result(
          ["\(file): \(word)".plainForTerminal] + SummaryText.findings(findings)
        )
        values.append(
          .object([
            "path": .string(file), "sound": .boolean(findings.isEmpty),
            "findings": .array(findings.map(\.published)),
          ])
        )
      }
      context.screen.result(.object(["type": "checkpoint-check", "checkpoints": .array(values)]))
      return .strongest(statuses)
    }
  }

  /// What is not sound, and what that comes to; a file that cannot be opened at all is one finding.
  private static func check(_ file: String) -> ([Finding], ExitStatus) {
    do throws(CheckpointError) {
      let faults = try CheckpointView(file)?.faults() ?? []
      return (faults, faults.isEmpty ? .done : .mismatch)
    } catch {
      let finding = Finding(
        code: "checkpoint.unreadable",
        severity: .error,
        cause: error.description,
        cure: Failure(error).cure ?? ""
      )
      return ([finding], ExitStatus(error))
    }
  }
}

/// `ferry checkpoint export`.
struct CheckpointExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write every row of a checkpoint as JSON Lines, without values of records.",
    discussion: """
      EXAMPLES
        ferry checkpoint export infinite -o checkpoint.jsonl

      Keys of records, identities at the destination and the account are in it. Of the content \
      that the destination had before an operation, only the size is given.

      EXIT STATUS
        0   Written.
        12  The checkpoint is damaged, or of another format.
        64  Not exactly one checkpoint of this name is there.
      """
  )

  @OptionGroup var choice: CheckpointChoice

  @Option(
    name: [.short, .long],
    help: "The file to be written; standard output unless given.",
    completion: .file()
  )
  var output: String?

  func validate() throws { try OutputForm.json.check(output, of: "--output") }

  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run {
      let views = try choice.views(in: context.state)
      guard let view = views.first, views.count == 1 else {
        throw MigrationError.unknownCheckpoint(
          choice.name ?? "(name one: there are \(views.count))"
        )
      }
      if let output { return try write(view, to: output) }
      try view.forEachLine { context.screen.line(CheckpointText.value(of: $0)) }
      return .done
    }
  }

  private func write(
    _ view: CheckpointView,
    to output: String
  ) throws -> ExitStatus {
    var file = try WholeFileDraft(for: output)
    var failure: FileError?
    try view.forEachLine { line in
      guard failure == nil else { return }
      let bytes = CheckpointText.value(of: line).canonicalBytes + [UInt8(ascii: "\n")]
      do throws(FileError) { try file.write(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
    try file.publish()
    return .done
  }
}
