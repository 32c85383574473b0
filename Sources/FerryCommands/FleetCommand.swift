import ArgumentParser
import CommandOptions
import CommandOutput
import Files
import Fleet
import Foundation
import JSONText
import PackageStages
import Reporting
import StageSupport

/// `ferry fleet`: many stores, each for itself.
struct FleetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet",
    abstract: "Migrate many stores, each with its own checkpoint; one report of all.",
    discussion: """
      EXAMPLES
        ferry fleet stores.txt --jobs 4 --profile profile.yaml --to production
        ferry fleet stores.jsonl --report all.json -- --on-invalid quarantine
        ferry fleet stores.txt --shard auto/8 --profile p.yaml --to production
        ferry fleet stores.txt --collect --report fleet.html

      LIST has a store a line: its path, or an object such as {"store": "a.store", "name": "a", \
      "profile": "p.yaml", "to": "production", "credentials": {"token": "env:TOKEN_A"}, \
      "set": {"tenant": "north"}, "account": "a@example.com"}. Paths are seen from the list's folder; \
      - is standard input. The words after -- go to `ferry migrate` as they are.

      One store that fails does not stop the others. The same command again leaves out what is done \
      and goes on with the rest. A store whose run was rolled back is not done. --shard K/N takes the \
      K-th of N parts, by a hash of the stores' names; auto/N asks the scheduler for K: \
      JOB_COMPLETION_INDEX and AWS_BATCH_JOB_ARRAY_INDEX count from 0, SLURM_ARRAY_TASK_ID from \
      --first-index.

      EXIT STATUS
        0  Every store is done.
        The worst of the stores' statuses; see `ferry migrate`. 5 as well
        where --collect finds stores that no run has begun, or whose run
        was rolled back.
      """
  )

  @Argument(help: "The list of stores, a text or JSON Lines; - is standard input.")
  var list: String

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("Flags for each `ferry migrate`.", valueName: "flags of migrate")
  )
  var passed: [String] = []

  @Option(help: "How many stores at once; as many as there are processors unless given.")
  var jobs: Int?

  @Option(
    help: ArgumentHelp("The part of the stores that is this worker's.", valueName: "K/N|auto/N")
  )
  var shard: String?

  @Option(help: "What the indexes of the Slurm array begin with; 0 unless given.")
  var firstIndex = 0

  @Option(help: "How often a store is tried that a passing fault stops; 3 unless given.")
  var attempts = 3

  @Flag(help: "Run also what was done by an earlier call.")
  var again = false

  @Flag(
    help: "Run nothing; report what every store came to, of all workers with this state folder."
  )
  var collect = false

  @Option(help: ArgumentHelp("The profile of stores that name none.", valueName: "file"))
  var profile: String?

  @Option(help: ArgumentHelp("The destination of stores that name none.", valueName: "destination"))
  var to: String?

  @Option(
    name: .customLong("credential"),
    help: ArgumentHelp(
      "A credential for every store that names no other; may be given several times.",
      valueName: "name=file:path|env:var|command:cmd"
    )
  )
  var credentials: [String] = []

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "A value for {NAME} in the profile of every store that gives no other.",
      discussion: "May be given several times.",
      valueName: "name=value"
    )
  )
  var values: [String] = []

  @Option(
    help: ArgumentHelp(
      "Write a report as well; may be given several times.",
      discussion: """
        The name's ending sets the format: .json, .ndjson, .md, .html, .xml (JUnit), .sarif; \
        markdown=FILE names it. - is standard output, as JSON.
        """,
      valueName: "file"
    ),
    completion: .file()
  )
  var report: [String] = []

  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func validate() throws {
    if let jobs, jobs < 1 { throw ValidationError("--jobs takes a number from 1.") }
    guard attempts >= 1 else { throw ValidationError("--attempts takes a number from 1.") }
    guard (0...1).contains(firstIndex) else {
      throw ValidationError("--first-index takes 0 or 1.")
    }
    try ReportOptions.check(report.map { $0 == "-" ? "json=-" : $0 })
    let migrate = try parsedFlags()
    let remote = migrate.sending.remote
    guard migrate.output == nil, remote.shared.stateDir == nil, remote.reports.report.isEmpty
    else {
      throw ValidationError(
        "behind -- there can be no --output, --state-dir or --report: every store has its own."
      )
    }
  }

  /// Where the reports go.
  private var targets: [ReportTarget] {
    report.compactMap { ReportTarget(parsing: $0 == "-" ? "json=-" : $0) }
  }

  /// The flags behind `--`, as `ferry migrate` understands them.
  private func parsedFlags() throws -> MigrateCommand {
    do {
      return try MigrateCommand.parse(["a.store"] + passed)
    } catch {
      throw ValidationError("behind --: \(MigrateCommand.message(for: error))")
    }
  }

  func run() async throws {
    let context = CommandContext(shared)
    let (start, began) = (ContinuousClock.now, Date().formatted(.iso8601))
    let isRehearsal = try parsedFlags().isDryRun
    try await context.run {
      let (entries, part) = try chosen()
      // A dry run leaves nothing behind: its reports lie in a folder that goes with it.
      let temporaryState = isRehearsal ? try PrivateFolder() : nil
      defer { withExtendedLifetime(temporaryState) {} }
      let runner = runner(
        in: temporaryState.map { StateFolder(path: $0.path) } ?? context.state,
        states: context.state,
        isRehearsal: isRehearsal,
        interruption: context.signals.interruption
      )
      let results =
        collect
        ? entries.map { runner.folder.result(of: $0) ?? .waiting($0) }
        : await runner.run(entries, jobs: jobs ?? processorCount) { show($0, $1, on: context) }
      let status = status(of: results, isInterrupted: context.signals.interruption.isCancelled)
      let report = FleetReport(
        tool: FerryVersion.text,
        list: list,
        shard: part,
        results: results,
        seconds: (ContinuousClock.now - start) / .seconds(1),
        status: status.rawValue,
        statusName: status.name
      )
      try notify(report, began: began, on: context)
      return status
    }
  }

  private func runner(
    in folder: StateFolder,
    states: StateFolder,
    isRehearsal: Bool,
    interruption: CancellationToken
  ) -> FleetRunner {
    FleetRunner(
      folder: FleetFolder(state: folder),
      states: FleetFolder(state: states),
      flags: migrateFlags,
      profile: profile,
      destination: to,
      credentials: credentials,
      values: values,
      attempts: attempts,
      runsAgain: again,
      isRehearsal: isRehearsal,
      interruption: interruption
    )
  }

  /// The stores of this worker.
  private func chosen() throws -> ([FleetEntry], FleetShard?) {
    try NamedFile.expect(.text, at: list)
    let entries = try FleetList(list).entries
    guard let shard else { return (entries, nil) }
    let part = try FleetShard(
      shard,
      firstIndex: firstIndex,
      environment: ProcessInfo.processInfo.environment
    )
    return (entries.filter(part.contains), part)
  }

  /// What every migration is reported beside its store.
  private var migrateFlags: [String] {
    ["--no-input", "--progress", "none", "--annotations", "none"] + passed
  }

  /// The worst status; a store that was not begun keeps the whole from being done.
  private func status(of results: [FleetResult], isInterrupted: Bool) -> ExitStatus {
    if isInterrupted { return .interrupted }
    return .strongest(
      results.map { result in
        guard let status = result.status else { return .passingFault }
        return ExitStatus(rawValue: status) ?? .failure
      }
    )
  }

  private func show(_ result: FleetResult, _ place: String, on context: CommandContext) {
    if context.screen.format == .ndjson { context.screen.line(result.value) }
    let created = result.records["created"].map { ", \($0) created" } ?? ""
    let reason = result.reason.map { ": \($0)" } ?? ""
    let text = "  \(place) \(result.name): \(result.statusName)\(created)\(reason)"
    result.status == 0
      ? context.screen.say(text.plainForTerminal) : context.screen.warn(text.plainForTerminal)
  }

  private func notify(
    _ report: FleetReport,
    began: String,
    on context: CommandContext
  ) throws {
    var table = TextTable(
      heading: ["", "status", "records", "created", "updated", "completed", "unchanged"]
    )
    for row in report.rows { table.add(row.map(\.plainForTerminal)) }
    context.screen.result((table.isEmpty ? [] : table.lines) + [report.total])
    // Those that were run were shown one by one.
    if collect, context.screen.format == .ndjson {
      for result in report.results { context.screen.line(result.value) }
    }
    context.screen.passing(report.value(withStores: context.screen.format != .ndjson))
    for target in targets {
      let text = target.form.text(of: report, began: began)
      guard target.path != "-" else {
        context.screen.output(text)
        continue
      }
      try WholeFile.replace(target.path, with: Array(text.utf8))
    }
  }
}
