import ArgumentParser
import CommandOptions
import CommandOutput
import ExportPackage
import JSONText
import PackageStages
import Quarantine
import Reporting
import RunHistory
import StageSupport

/// `ferry quarantine`: records that were quarantined.
struct QuarantineCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quarantine",
    abstract: "List, show and replay records that were quarantined.",
    discussion: """
      EXAMPLES
        ferry quarantine list

      `--on-invalid quarantine` quarantines records that are not valid, with their findings, \
      under the digest of their package.
      """,
    subcommands: [
      QuarantineListCommand.self, QuarantineShowCommand.self, QuarantineReplayCommand.self,
    ]
  )
}

/// `ferry quarantine list`.
struct QuarantineListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the packages that have quarantined records.",
    discussion: """
      EXAMPLES
        ferry quarantine list
      """
  )

  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run {
      let folders = try QuarantineFolder.all(in: context.state.quarantine)
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
    abstract: "Show a package's quarantined records and their findings.",
    discussion: """
      EXAMPLES
        ferry quarantine show 1f0c -o faulty

      The values of the records are not shown; the last lines name the files they lie in, which \
      may be edited. With --output they are written into a folder of yours, to be repaired there: \
      one record a line. With --format ndjson each record is one line.

      EXIT STATUS
        0   Shown.
        64  Nothing is quarantined under this name.
      """
  )

  @Argument(help: "The beginning of the package's digest, as `ferry quarantine list` shows it.")
  var package: String

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("A folder to write the records into.", valueName: "folder"),
    completion: .file()
  )
  var output: String?

  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run {
      let folder = try QuarantineFolder.named(package, in: context.state.quarantine)
      try show(folder, on: context.screen)
      if let output { try folder.copyRecords(to: output) }
      return .done
    }
  }

  private func show(_ folder: QuarantineFolder, on screen: Screen) throws(QuarantineError) {
    let records = try folder.records()
    var values: [JSONValue] = []
    while let record = try records.next() {
      screen.result(QuarantineText.lines(of: record))
      if screen.format == .ndjson { screen.result(QuarantineText.value(of: record)) }
      if screen.format == .json { values.append(QuarantineText.value(of: record)) }
    }
    if screen.format == .json { screen.result(.array(values)) }
    for (entity, _) in folder.counts {
      let path = output.map { "\($0)/\(entity).jsonl" } ?? folder.recordsPath(of: entity)
      screen.say("repair: \(path)".plainForTerminal)
    }
    let words = output.map { " --records \($0.quotedForShell)" } ?? ""
    screen.say(
      "next: ferry quarantine replay \(folder.shortName) --package PKG\(words) -o NEW"
    )
  }
}

/// `ferry quarantine replay`.
struct QuarantineReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Put repaired records back among the others, in a new package.",
    discussion: """
      EXAMPLES
        ferry quarantine replay 1f0c --package p --records quarantined -o new

      A package is sealed, so the repaired records go into a new one, in the places of the old. \
      The records are repaired where `ferry quarantine show` says they lie: a line for each, in \
      the same order. A file in a folder of yours may also hold some of them only; then they are \
      distinguished by their keys. What its schema still refuses is reported and not taken: it stays \
      as it was, in the new package too, and is quarantined again.

      EXIT STATUS
        0   The new package is there, and every record of it is valid.
        3   It is there, and some records are still quarantined, or some
            repairs are of none.
        4   No record was repaired; there is no new package.
        12  The package is not the one that the records are from, or is
            damaged.
        64  Nothing is quarantined under this name, or there is no folder of
            repairs.
      """
  )

  @Argument(help: "The beginning of the package's digest, as `ferry quarantine list` shows it.")
  var name: String

  @Option(
    help: ArgumentHelp("The package that the records are from.", valueName: "package"),
    completion: .file()
  )
  var package: String

  @Option(
    help: ArgumentHelp(
      "A folder with the repaired records, an ENTITY.jsonl for each entity.",
      discussion: "The one in the state folder unless given.",
      valueName: "folder"
    ),
    completion: .directory
  )
  var records: String?

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Where the new package is to be.", valueName: "package"),
    completion: .file()
  )
  var output: String

  @OptionGroup(title: "Encryption") var sealing: SealingOptions
  @OptionGroup(title: "Encryption") var identity: IdentityOptions
  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    let keys = try PackageKeys(sealing, identity)
    try keys.checkReadingBack(to: "validated")
    try await context.run {
      let folder = try QuarantineFolder.named(name, in: context.state.quarantine)
      let stage = ReplayStage(
        package: try PackageReader(package, identities: keys.identities),
        quarantine: folder,
        repairs: records,
        output: output,
        place: QuarantinePlace(state: context.state, toolVersion: FerryVersion.text),
        toolVersion: FerryVersion.text,
        workers: ValidationStage.usualWorkers,
        keys: keys,
        progress: context.screen.reporter
      )
      let result = try await stage.run(interruption: context.signals.interruption)
      context.screen.result(ReplayText.lines(of: result))
      context.screen.result(ReplayText.value(of: result))
      guard result.package != nil else { return .invalid }
      guard let left = result.validation.quarantine else {
        context.screen.suggest("ferry upload \(output.quotedForShell) --profile PROFILE")
        guard result.validation.isValid else { return .mismatch }
        return result.refused.isEmpty ? .done : .finishedWithRejects
      }
      context.screen.say("next: ferry quarantine show \(left.shortName)")
      return .finishedWithRejects
    }
  }
}
