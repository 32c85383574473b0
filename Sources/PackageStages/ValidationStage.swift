package import ExportPackage
import Files
import JSONText
import LongTexts
package import Quarantine
package import Records
import Schemas
import SchemaValidation
package import StageSupport

/// What holding a package against its schemas showed.
package struct ValidationReport: Sendable {
  package struct Line: Hashable, Sendable {
    package let entity: EntityName
    package var recordCount = 0
    package var faultyCount = 0
  }

  package var lines: [Line] = []
  /// At most ``findingLimit`` of them, and the first of each rule; ``findingCount`` is whole.
  package var findings: [Finding] = []
  package var findingCount = 0
  /// How many findings each rule has, however many are listed.
  package private(set) var ruleCounts: [Finding.Rule: Int] = [:]
  /// What makes nothing invalid: files in the package's folder that are no part of it.
  package var remarks: [Finding] = []
  /// What was quarantined, where that was asked for and something was.
  package var quarantine: QuarantineFolder?

  package static let findingLimit = 10_000

  package var isValid: Bool { findingCount == 0 }

  package var recordCount: Int { lines.reduce(0) { $0 + $1.recordCount } }
  package var faultyCount: Int { lines.reduce(0) { $0 + $1.faultyCount } }

  /// Whether the package itself is not as it was sealed, whatever its records hold.
  package var isDamaged: Bool { findings.contains(where: \.reportsDamage) }

  mutating func add(_ finding: Finding) {
    findingCount += 1
    let count = ruleCounts[finding.rule, default: 0]
    ruleCounts[finding.rule] = count + 1
    if findings.count < Self.findingLimit || count == 0 { findings.append(finding) }
  }
}

/// Holds every record of a package against its schema, and checks where its references lead.
package struct ValidationStage: Sendable {
  let package: PackageReader
  let marks: ValidationMarks?
  let quarantine: QuarantinePlace?
  let workers: Int
  let progress: ProgressReporter

  /// - Parameters:
  ///   - package: The package to be checked.
  ///   - marks: What an earlier, interrupted validation of the same package had found without
  ///     fault; it is not read again.
  ///   - quarantine: Where records with faults are quarantined; `nil` when they are only reported.
  ///   - workers: How many blocks of records are looked at side by side; what is found, and in
  ///     which order, does not depend on it.
  ///   - progress: What is reported how far it is.
  package init(
    package: PackageReader,
    marks: ValidationMarks? = nil,
    quarantine: QuarantinePlace? = nil,
    workers: Int = 1,
    progress: ProgressReporter
  ) {
    self.package = package
    self.marks = marks
    self.quarantine = quarantine
    self.workers = workers
    self.progress = progress
  }

  /// As many workers as there are processors, up to eight.
  package static var usualWorkers: Int { min(8, processorCount) }

  /// Reports every fault at once.
  package func run(interruption: CancellationToken) async throws -> ValidationReport {
    if quarantine != nil, package.isSealed { throw MigrationError.keptInTheOpen(package.path) }
    let writer = try quarantine?.writer(for: package)
    var report = try await check(keeping: writer, interruption: interruption)
    if !report.isDamaged {
      report.quarantine = try writer?.publish()
    }
    return report
  }

  private func check(
    keeping writer: QuarantineWriter?,
    interruption: CancellationToken
  ) async throws -> ValidationReport {
    progress.report(.stageBegan(.validate))
    var report = ValidationReport()
    let damages = try package.damages()
    for damage in damages { report.add(damage) }
    guard damages.isEmpty else { return report }
    report.remarks = try package.unnamedFiles()
    var passed = try marks?.passed(package) ?? []
    let isPassed = package.manifest.entities.allSatisfy { passed.contains($0.name) }
    if isPassed, !package.manifest.entities.isEmpty {
      report.lines = package.manifest.entities.map {
        ValidationReport.Line(entity: $0.name, recordCount: Int($0.records))
      }
      progress.report(.stageEnded(.validate))
      return report
    }
    let schemas = try package.schemaSet()
    let keys = try KeyIndex(package: package)
    var done = 0
    for entity in package.manifest.entities {
      if passed.contains(entity.name) {
        report.lines.append(
          ValidationReport.Line(entity: entity.name, recordCount: Int(entity.records))
        )
        done += Int(entity.records)
        continue
      }
      let schema: Schema? =
        if let name = entity.schema {
          try schemas.schema(at: PackageReader.schemaAddress(of: name))
        } else { nil }
      let unread = try UnreadTexts(of: entity, in: package)
      let package = package
      var check = EntityCheck(entity: entity, keys: keys, package: package, quarantine: writer)
      let blocks = RecordBlockCheck(
        entity: entity,
        schema: schema,
        duplicates: keys.duplicates
      )
      let texts = LongTexts()
      let stream = try package.standingIn(texts).records(of: entity.name)
      try await inOrder(workers: workers, size: { $0.bytes.count >> 20 }) {
        guard let block = try stream.nextBlock() else { return nil }
        guard let place = block.shortenedLine else { return block }
        let checked = unread.checked(block.bytes, texts)
        return RecordStream.Block(
          bytes: try checked ?? package.line(at: place),
          file: block.file,
          offset: block.offset,
          line: block.line,
          length: checked == nil ? nil : block.length
        )
      } work: {
        blocks.check($0)
      } take: { (answer) in
        if interruption.isCancelled { throw MigrationError.interrupted }
        try check.take(answer, into: &report)
        progress.report(
          .advanced(
            .validate,
            done: done + check.line.recordCount,
            total: package.manifest.recordCount
          )
        )
      }
      done += check.line.recordCount
      report.lines.append(check.line)
      if check.line.faultyCount == 0 {
        passed.insert(entity.name)
        try marks?.save(passed, of: package)
      }
    }
    progress.report(.stageEnded(.validate))
    return report
  }
}

/// The records of one entity, being checked.
private struct EntityCheck {
  let entity: PackageManifest.Entity
  let keys: KeyIndex
  let package: PackageReader
  let quarantine: QuarantineWriter?
  var line: ValidationReport.Line

  init(
    entity: PackageManifest.Entity,
    keys: KeyIndex,
    package: PackageReader,
    quarantine: QuarantineWriter?
  ) {
    self.entity = entity
    self.keys = keys
    self.package = package
    self.quarantine = quarantine
    line = ValidationReport.Line(entity: entity.name)
  }

  /// Reports what was found in a block, the references looked up.
  mutating func take(
    _ answer: RecordBlockCheck.Answer,
    into report: inout ValidationReport
  ) throws {
    line.recordCount += answer.recordCount
    for var outcome in answer.outcomes {
      for target in outcome.targets {
        let reference = entity.references[target.reference]
        guard try !isThere(target.key, reference) else { continue }
        outcome.findings.append(dangling(target, reference, outcome))
      }
      guard !outcome.findings.isEmpty else { continue }
      line.faultyCount += 1
      for finding in outcome.findings { report.add(finding) }
      try keep(outcome, answer.block)
    }
  }

  /// Quarantines a record.
  private func keep(
    _ outcome: ValidationOutcome,
    _ block: RecordStream.Block
  ) throws {
    guard let quarantine else { return }
    let record = QuarantinedRecord(
      entity: entity.name,
      key: outcome.key,
      file: outcome.place.file,
      line: outcome.place.line,
      findings: outcome.findings
    )
    let bytes =
      if let place = block.shortenedLine { try package.line(at: place) } else {
        Array(block.bytes[outcome.line])
      }
    try bytes.withUnsafeBufferPointer { bytes throws(QuarantineError) in
      try quarantine.add(record, bytes: UnsafeRawBufferPointer(bytes))
    }
  }

  private func isThere(
    _ key: String,
    _ reference: PackageManifest.Reference
  ) throws -> Bool {
    for entity in reference.entities {
      if try keys.contains(key, of: entity) { return true }
    }
    return false
  }

  private func dangling(
    _ target: ValidationOutcome.Target,
    _ reference: PackageManifest.Reference,
    _ outcome: ValidationOutcome
  ) -> Finding {
    Finding(
      code: "reference.dangling",
      severity: .error,
      entity: entity.name,
      record: outcome.key,
      pointer: target.pointer,
      file: outcome.place.file,
      line: outcome.place.line,
      cause: "it refers to \(reference.names)/\(target.key), which is not in the package",
      cure: "restore that record in the app, or clear the reference"
    )
  }
}
