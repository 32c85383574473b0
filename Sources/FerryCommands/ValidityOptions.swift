import ArgumentParser
import CommandOutput
import ExportPackage
import PackageStages
import Reporting
import StageSupport

/// What happens to records that break their schemas.
struct ValidityOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What happens to records that are not valid: fail unless given, or quarantine.",
      discussion: "With quarantine they are set apart with their findings, and the rest goes on."
    ),
    completion: .list(["fail", "quarantine"])
  )
  var onInvalid = "fail"

  @Option(
    help: ArgumentHelp(
      "The most records that may be rejected before nothing is sent; no limit unless given.",
      valueName: "count|percent%"
    )
  )
  var maxRejects: String?

  var quarantines: Bool { onInvalid == "quarantine" }
  var budget: RecordLimit? { maxRejects.flatMap(RecordLimit.init) }

  func validate() throws {
    guard ["fail", "quarantine"].contains(onInvalid) else {
      throw ValidationError("--on-invalid takes fail or quarantine, not “\(onInvalid)”.")
    }
    if let maxRejects, RecordLimit(maxRejects) == nil {
      throw ValidationError("--max-rejects takes a number or a percentage, not “\(maxRejects)”.")
    }
  }
}

extension ValidityOptions {
  /// The same, as a value.
  var rule: ValidityRule { ValidityRule(quarantines: quarantines, budget: budget) }
}

extension CheckedPackage {
  /// Holds the package against its schemas, and says what was found.
  init(
    _ package: PackageReader,
    _ options: ValidityOptions,
    in context: CommandContext,
    isRehearsal: Bool
  ) async throws {
    try await self.init(
      package,
      rule: options.rule,
      state: context.state,
      isRehearsal: isRehearsal,
      progress: context.screen.reporter,
      interruption: context.signals.interruption
    ) { context.screen.recorder.add(ValidationText.value(of: $0)) }
    for line in ValidationText.lines(of: report, isRehearsal: isRehearsal) {
      context.screen.say(line)
    }
    if let quarantine { try context.report(quarantine) }
  }
}
