import ArgumentParser
import CommandOptions
import CommandOutput
import DocumentChecking
import ExportPackage
import Files
import JSONText
import PackageStages
import Quarantine
import Reporting
import SchemaValidation
import StageSupport

/// `ferry validate`: every schema and reference fault of a package, or of any JSON.
struct ValidateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check a package, or any JSON, against its schemas.",
    discussion: """
      EXAMPLES
        ferry validate heroes.ferry
        ferry validate --schema Hero.v1.schema.json heroes.jsonl

      Every record of a package is held against its schema, and its references are checked. With \
      --schema, any file of JSON or JSON Lines is held against any schema; - is standard input. \
      All faults are reported, each with its place, code, cause and cure. With --format ndjson \
      each document is one line: {"line":N,"valid":true|false,"findings":[...]}; with --output it \
      is one line in a standard form, errors and annotations with their places.

      EXIT STATUS
        0   No fault.
        3   Faults, and the records that have them are quarantined.
        4   At least one fault.
        8   More records are rejected than --max-rejects allows.
        12  The package is damaged or too new, or the schema cannot be used.
      """
  )

  @Argument(
    help: "The package; with --schema, a file of JSON or JSON Lines, or -.",
    completion: .file()
  )
  var package: String

  @Option(help: "The file of a schema to hold the documents against.", completion: .file())
  var schema: String?

  @Option(
    help: "The draft of a schema that names none: 2020-12 unless given, 2019-09, 07, 06 or 04."
  )
  var draft: String = "2020-12"

  @Option(help: "What a format in the schema means: assert unless given, or annotate.")
  var formats: String = "assert"

  @Option(help: "How the file holds its documents: auto unless given, lines or whole.")
  var layout: String = "auto"

  @Option(
    help: ArgumentHelp(
      "A folder that represents the addresses below a base; may be given several times.",
      valueName: "base=folder"
    )
  )
  var registry: [String] = []

  @Option(
    help: ArgumentHelp(
      "With --schema: a line for each document in a form of JSON Schema itself.",
      discussion: "flag, basic or list, with the places of values and keywords.",
      valueName: "form"
    ),
    completion: .list(["flag", "basic", "list"])
  )
  var output: String?

  @Option(
    help: ArgumentHelp(
      "How many blocks of records are looked at side by side; what is found does not depend on it.",
      discussion: "As many as there are processors, up to eight, unless given."
    )
  )
  var workers: Int?

  @OptionGroup(title: "Encryption") var identity: IdentityOptions
  @OptionGroup(title: "Records that are not valid") var validity: ValidityOptions
  @OptionGroup(title: "Reports") var reports: ReportOptions
  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func validate() throws {
    guard SchemaDraft(rawValue: draft) != nil else {
      throw ValidationError("--draft takes \(SchemaDraft.names), not “\(draft)”.")
    }
    guard ["assert", "annotate"].contains(formats) else {
      throw ValidationError("--formats takes assert or annotate, not “\(formats)”.")
    }
    guard DocumentCheck.Layout(rawValue: layout) != nil else {
      throw ValidationError("--layout takes auto, lines or whole, not “\(layout)”.")
    }
    for text in registry where SchemaFolder(parsing: text) == nil {
      throw ValidationError("--registry takes BASE=FOLDER, not “\(text)”.")
    }
    if let workers, !(1...64).contains(workers) {
      throw ValidationError("--workers takes a number from 1 to 64.")
    }
    if let output, StandardOutput(rawValue: output) == nil {
      throw ValidationError("--output takes flag, basic or list, not “\(output)”.")
    }
    guard schema != nil || output == nil else {
      throw ValidationError("--output goes with --schema.")
    }
    guard schema != nil || registry.isEmpty else {
      throw ValidationError("--registry goes with --schema.")
    }
  }

  func run() async throws {
    let context = CommandContext(shared, reports, "validate", of: package)
    let identities = try identity.identities()
    try await context.run {
      try NamedFile.expect(schema == nil ? .package : .text, at: package)
      if let schema {
        return try await check(against: schema, on: context.screen)
      }
      let reader = try PackageReader(package, identities: identities)
      let stage = ValidationStage(
        package: reader,
        quarantine: validity.quarantines
          ? QuarantinePlace(state: context.state, toolVersion: FerryVersion.text) : nil,
        workers: workers ?? ValidationStage.usualWorkers,
        progress: context.screen.reporter
      )
      let report = try await stage.run(interruption: context.signals.interruption)
      context.screen.result(ValidationText.lines(of: report))
      context.screen.result(ValidationText.value(of: report))
      if report.isDamaged { return .mismatch }
      guard !report.isValid else { return .done }
      guard let quarantine = report.quarantine else { return .invalid }
      try context.report(quarantine)
      try validity.rule.check(report.faultyCount, of: report.recordCount)
      context.screen.suggest("ferry quarantine show \(quarantine.shortName) -o FOLDER")
      return .finishedWithRejects
    }
  }

  /// How many invalid documents a report lists; all are counted.
  private static let reportLimit = 1_000

  /// Holds a file of documents against one schema.
  private func check(
    against schema: String,
    on screen: Screen
  ) async throws(DocumentError) -> ExitStatus {
    let check = try DocumentCheck(
      schemaPath: schema,
      draft: SchemaDraft(rawValue: draft) ?? .draft2020,
      formats: formats == "assert" ? .assert : .annotate,
      folders: registry.compactMap(SchemaFolder.init(parsing:))
    )
    let file: InputFile
    do throws(FileError) {
      file = try package == "-" ? InputFile.standardInput() : InputFile(package)
    } catch {
      throw .file(error)
    }
    let form = output.flatMap(StandardOutput.init(rawValue:))
    let isStream = screen.format == .ndjson || form != nil
    let isReportWanted = reports.isWanted
    var lines = DocumentLines(form)
    var verdicts: [JSONValue] = []
    var reported: [JSONValue] = []
    let totals = try await check.run(
      file,
      layout: DocumentCheck.Layout(rawValue: layout) ?? .auto,
      workers: workers ?? ValidationStage.usualWorkers,
      annotates: form == .basic || form == .list
    ) { stretches in
      if isStream { lines.put(stretches, screen.lines) }
      for case .document(let verdict) in stretches where !verdict.isValid {
        let isReported = isReportWanted && reported.count < Self.reportLimit
        if isReported { reported.append(DocumentText.value(of: verdict)) }
        guard !isStream else { continue }
        screen.result(DocumentText.lines(of: verdict, in: package))
        if screen.format == .json { verdicts.append(DocumentText.value(of: verdict)) }
      }
    }
    if !isStream {
      screen.result([DocumentText.line(of: totals)])
      screen.passing(DocumentText.value(of: totals, invalid: verdicts))
    }
    screen.recorder.add(DocumentText.value(of: totals, in: package, invalid: reported))
    return totals.invalidCount == 0 ? .done : .invalid
  }
}
