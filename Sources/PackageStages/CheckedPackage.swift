package import ExportPackage
import Files
package import Quarantine
package import StageSupport

/// A package whose records were checked, with those that are quarantined.
package struct CheckedPackage: Sendable {
  package let package: PackageReader
  package let report: ValidationReport
  /// Holds what a dry run quarantines for as long as it lasts.
  private let folder: PrivateFolder?

  package var quarantine: QuarantineFolder? { report.quarantine }

  /// Holds the package against its schemas before anything is sent.
  ///
  /// - Parameters:
  ///   - package: The package.
  ///   - rule: What happens to records that break their schemas.
  ///   - state: Where is remembered what was found without fault, and what is quarantined.
  ///   - isRehearsal: Whether nothing of that may stay behind.
  ///   - toolVersion: The version that marks are good for.
  ///   - progress: What is reported how far it is.
  ///   - interruption: A cancellation request.
  ///   - notify: Is given what was found, before anything is thrown because of it.
  /// - Throws: `MigrationError.redacted`, `MigrationError.fromDestination`,
  ///   `MigrationError.invalid` when records are not valid and are not to be quarantined, and
  ///   `MigrationError.tooManyRejects`.
  package init(
    _ package: PackageReader,
    rule: ValidityRule,
    state: StateFolder,
    isRehearsal: Bool,
    toolVersion: String = FerryVersion.text,
    progress: ProgressReporter,
    interruption: CancellationToken,
    notify: (ValidationReport) -> Void = { _ in }
  ) async throws {
    try package.refuseUnsendable()
    self.package = package
    var state = state
    folder = isRehearsal ? try PrivateFolder() : nil
    if let folder { state = StateFolder(path: folder.path) }
    let stage = ValidationStage(
      package: package,
      marks: isRehearsal ? nil : ValidationMarks(state: state, toolVersion: toolVersion),
      quarantine: rule.quarantines
        ? QuarantinePlace(state: state, toolVersion: toolVersion) : nil,
      workers: ValidationStage.usualWorkers,
      progress: progress
    )
    report = try await stage.run(interruption: interruption)
    notify(report)
    guard report.isValid || rule.quarantines && !report.isDamaged else {
      throw MigrationError.invalid(findings: report.findings, count: report.findingCount)
    }
    let rejected = package.manifest.entities.reduce(0) { $0 + Int($1.rejected) }
    try rule.check(
      report.faultyCount + rejected,
      of: report.recordCount + rejected
    )
  }
}

extension PackageReader {
  /// Refuses a package whose records are not that a profile takes from a store.
  ///
  /// A rollback asks for nothing of the kind: it rolls back whatever was sent.
  ///
  /// - Throws: `MigrationError.redacted` and `MigrationError.fromDestination`.
  package func refuseUnsendable() throws {
    if manifest.isRedacted { throw MigrationError.redacted(path) }
    if manifest.isOfDestination { throw MigrationError.fromDestination(path) }
  }
}
