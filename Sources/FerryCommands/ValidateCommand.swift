import ArgumentParser
import ExportPackage
import Migration
import Reports

/// `ferry validate`: every schema and reference fault of a package.
struct ValidateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Hold every record of a package against its schema, and check its references.",
    discussion: """
      All faults are reported, each with its entity, record, JSON Pointer, code, cause and cure.

      EXIT STATUS
        0   No fault.
        4   At least one fault.
        12  The package is damaged or too new.
      """
  )

  @Argument(help: "The package.")
  var package: String

  @OptionGroup var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run { () async throws(MigrationError) in
      let reader = try context.package(at: package)
      let stage = ValidationStage(package: reader, progress: context.screen.reporter)
      let report = try stage.run(interruption: context.signals.interruption)
      context.screen.result(ValidationText.lines(of: report))
      context.screen.result(ValidationText.value(of: report))
      if report.isDamaged { return .mismatch }
      return report.isValid ? .done : .invalid
    }
  }
}
