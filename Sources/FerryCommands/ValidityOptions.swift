import ArgumentParser
import ExportPackage
import Files
import Migration
import Quarantine
import Reports
import UploadPlanning

/// What happens to records that break their schemas.
struct ValidityOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What happens to records that are not valid: fail or quarantine.",
      discussion: "In quarantine they are kept aside with their findings, and the rest goes on."
    ),
    completion: .list(["fail", "quarantine"])
  )
  var onInvalid = "fail"

  @Option(
    help: ArgumentHelp(
      "The most records that may be rejected before nothing is sent.",
      valueName: "count|percent%"
    )
  )
  var maxRejects: String?

  var keepsAside: Bool { onInvalid == "quarantine" }
  var budget: RejectBudget? { maxRejects.flatMap(RejectBudget.init) }

  func validate() throws {
    guard ["fail", "quarantine"].contains(onInvalid) else {
      throw ValidationError("--on-invalid takes fail or quarantine, not “\(onInvalid)”.")
    }
    if let maxRejects, RejectBudget(maxRejects) == nil {
      throw ValidationError("--max-rejects takes a number or a percentage, not “\(maxRejects)”.")
    }
  }
}

/// How many records may be rejected.
struct RejectBudget: Hashable, Sendable {
  let text: String
  private let count: Int?
  private let percent: Double?

  /// Reads `25` or `0.5%`; `nil` for anything else.
  init?(_ text: String) {
    self.text = text
    if text.hasSuffix("%") {
      guard let percent = Double(text.dropLast()), (0...100).contains(percent) else { return nil }
      (count, self.percent) = (nil, percent)
    } else {
      guard let count = Int(text), count >= 0 else { return nil }
      (self.count, percent) = (count, nil)
    }
  }

  /// - Throws: ``MigrationError/tooManyRejects(count:total:limit:)`` when it is exceeded.
  func check(_ rejected: Int, of total: Int) throws(MigrationError) {
    let isExceeded =
      if let count { rejected > count } else {
        Double(rejected) * 100 > (percent ?? 0) * Double(total)
      }
    if isExceeded { throw .tooManyRejects(count: rejected, total: total, limit: text) }
  }
}

extension RejectBudget {
  /// Holds the budget against a plan.
  func check(_ summary: RunSummary) throws(MigrationError) {
    try check(
      summary.count(.rejected),
      of: summary.records.reduce(0) { $0 + $1.total }
    )
  }
}

/// A package whose records were checked, with those that are kept aside.
struct CheckedPackage {
  let package: PackageReader
  let quarantine: QuarantineFolder?
  /// Holds what a dry run keeps aside for as long as it lasts.
  private let folder: PrivateFolder?

  /// Holds the package against its schemas before anything is sent.
  ///
  /// - Throws: ``MigrationError/invalid(findings:count:)`` when records are not valid and are not to
  ///   be kept aside, and ``MigrationError/tooManyRejects(count:total:limit:)``.
  init(
    _ package: PackageReader,
    _ options: ValidityOptions,
    in context: CommandContext,
    isRehearsal: Bool
  ) async throws(MigrationError) {
    self.package = package
    var state = context.state
    folder = isRehearsal ? try Self.privateFolder() : nil
    if let folder { state = StateFolder(path: folder.path) }
    let stage = ValidationStage(
      package: package,
      marks: isRehearsal
        ? nil : ValidationMarks(state: state, toolVersion: FerryVersion.text),
      quarantine: options.keepsAside
        ? QuarantinePlace(state: state, toolVersion: FerryVersion.text) : nil,
      workers: ValidationStage.usualWorkers,
      progress: context.screen.reporter
    )
    let report = try await stage.run(interruption: context.signals.interruption)
    context.screen.recorder.add(ValidationText.value(of: report))
    quarantine = report.quarantine
    guard report.isValid || options.keepsAside && !report.isDamaged else {
      throw .invalid(findings: report.findings, count: report.findingCount)
    }
    let rejected = package.manifest.entities.reduce(0) { $0 + Int($1.rejected) }
    try options.budget?.check(
      report.faultyCount + rejected,
      of: report.recordCount + rejected
    )
    for line in ValidationText.lines(of: report) { context.screen.say(line) }
  }

  private static func privateFolder() throws(MigrationError) -> PrivateFolder {
    do throws(FileError) { return try PrivateFolder() } catch { throw .file(error) }
  }
}
