package import ExportPackage
import Files
import JSONText
package import Records
import Schemas
import SchemaValidation

/// What holding a package against its schemas showed.
package struct ValidationReport: Hashable, Sendable {
  package struct Line: Hashable, Sendable {
    package let entity: EntityName
    package var recordCount = 0
    package var faultyCount = 0
  }

  package var lines: [Line] = []
  /// At most ``findingLimit`` of them; ``findingCount`` is whole.
  package var findings: [Finding] = []
  package var findingCount = 0

  package static let findingLimit = 10_000

  package var isValid: Bool { findingCount == 0 }

  /// Whether the package itself is not as it was sealed, whatever its records hold.
  package var isDamaged: Bool { findings.contains(where: \.tellsOfDamage) }

  mutating func add(_ finding: Finding) {
    findingCount += 1
    if findings.count < Self.findingLimit { findings.append(finding) }
  }
}

/// Holds every record of a package against its schema, and checks where its references lead.
package struct ValidationStage: Sendable {
  let package: PackageReader
  let marks: ValidationMarks?
  let progress: ProgressReporter

  /// The marks tell what an earlier, interrupted validation of the same package had found without
  /// fault; it is not read again.
  package init(
    package: PackageReader,
    marks: ValidationMarks? = nil,
    progress: ProgressReporter
  ) {
    self.package = package
    self.marks = marks
    self.progress = progress
  }

  /// Reports every fault at once.
  package func run(interruption: Interruption) throws(MigrationError) -> ValidationReport {
    progress.report(.stageBegan(.validate))
    var report = ValidationReport()
    let damages = try packaging { () throws(PackageError) in try package.damages() }
    for damage in damages { report.add(damage) }
    guard damages.isEmpty else { return report }
    var passed = try marks?.passed(package) ?? []
    let isPassed = package.manifest.entities.allSatisfy { passed.contains($0.name) }
    if isPassed, !package.manifest.entities.isEmpty {
      report.lines = package.manifest.entities.map {
        ValidationReport.Line(entity: $0.name, recordCount: Int($0.records))
      }
      progress.report(.stageEnded(.validate))
      return report
    }
    let schemas = try schemaSet()
    let keys = try KeyIndex(package: package)
    for duplicate in keys.duplicates { report.add(duplicate) }
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
          try checkingSchemas { () throws(SchemaError) in
            try schemas.schema(at: Self.address(of: name))
          }
        } else { nil }
      var check = EntityCheck(
        entity: entity,
        validator: schema.map(SchemaValidator.init),
        keys: keys
      )
      try check.run(package, into: &report) { count throws(MigrationError) in
        if interruption.isWished { throw .interrupted }
        progress.report(
          .advanced(.validate, done: done + count, total: package.manifest.recordCount)
        )
      }
      done += check.line.recordCount
      report.lines.append(check.line)
      if check.line.faultyCount == 0, keys.duplicates.isEmpty {
        passed.insert(entity.name)
        try marks?.save(passed, of: package)
      }
    }
    progress.report(.stageEnded(.validate))
    return report
  }

  /// The schemas that travel in the package: it is held against what it was written with.
  private func schemaSet() throws(MigrationError) -> SchemaSet {
    var schemas: [(address: String, bytes: [UInt8])] = []
    for file in package.manifest.files where file.path.hasPrefix("schemas/") {
      let bytes = try filing { () throws(FileError) in
        try InputFile.contents(of: "\(package.path)/\(file.path)", limit: 16 << 20)
      }
      schemas.append((Self.address(of: Folder.lastName(of: file.path)), bytes))
    }
    let all = schemas
    return try checkingSchemas { () throws(SchemaError) in
      try SchemaSet(schemas: all, formats: .assert, unknownKeywords: .refuse)
    }
  }

  private static func address(of name: String) -> String { "package:///schemas/\(name)" }
}

/// The records of one entity, being checked.
private struct EntityCheck {
  let entity: PackageManifest.Entity
  let validator: SchemaValidator?
  let keys: KeyIndex
  var line: ValidationReport.Line
  private let document = JSONDocument()

  init(entity: PackageManifest.Entity, validator: SchemaValidator?, keys: KeyIndex) {
    self.entity = entity
    self.validator = validator
    self.keys = keys
    line = ValidationReport.Line(entity: entity.name)
  }

  mutating func run(
    _ package: PackageReader,
    into report: inout ValidationReport,
    _ progress: (Int) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    let stream = try packaging { () throws(PackageError) in
      try package.records(of: entity.name)
    }
    while let (bytes, place) = try packaging({ () throws(PackageError) in try stream.next() }) {
      let before = report.findingCount
      try check(bytes, place, into: &report)
      line.recordCount += 1
      if report.findingCount > before { line.faultyCount += 1 }
      if line.recordCount.isMultiple(of: 1_000) { try progress(line.recordCount) }
    }
    try progress(line.recordCount)
  }

  private func check(
    _ bytes: UnsafeRawBufferPointer,
    _ place: RecordPlace,
    into report: inout ValidationReport
  ) throws(MigrationError) {
    do throws(JSONError) {
      try document.parse(bytes)
    } catch {
      report.add(finding(place, key: nil, code: "record.not-json", cause: "\(error)"))
      return
    }
    let root = document.root
    let key = document.member(of: root, named: entity.key).map { document.text(ofScalar: $0) }
    if key == nil {
      report.add(
        finding(place, key: nil, code: "record.no-key", cause: "it has no “\(entity.key)”")
      )
    }
    if let validator, !validator.isValid(document, root) {
      for fault in validator.faults(document, root) {
        report.add(
          Finding(
            code: fault.code,
            severity: .error,
            entity: entity.name,
            record: key,
            pointer: fault.instanceLocation,
            file: place.file,
            line: place.line,
            cause: "expected \(fault.expected), found \(fault.found)",
            cure: fault.cure
          )
        )
      }
    }
    for reference in entity.references { try check(reference, key, place, into: &report) }
  }

  private func check(
    _ reference: PackageManifest.Reference,
    _ key: String?,
    _ place: RecordPlace,
    into report: inout ValidationReport
  ) throws(MigrationError) {
    guard let node = document.member(of: document.root, named: reference.member) else { return }
    switch document.kind(of: node) {
    case .null: return
    case .array:
      var index = 0
      try document.forEachElement(of: node) { element throws(MigrationError) in
        try check(
          document.text(ofScalar: element),
          of: reference,
          at: "/\(reference.member)/\(index)",
          key,
          place,
          into: &report
        )
        index += 1
      }
    default:
      try check(
        document.text(ofScalar: node),
        of: reference,
        at: "/\(reference.member)",
        key,
        place,
        into: &report
      )
    }
  }

  private func check(
    _ target: String,
    of reference: PackageManifest.Reference,
    at pointer: String,
    _ key: String?,
    _ place: RecordPlace,
    into report: inout ValidationReport
  ) throws(MigrationError) {
    guard try !keys.contains(target, of: reference.entity) else { return }
    report.add(
      Finding(
        code: "reference.dangling",
        severity: .error,
        entity: entity.name,
        record: key,
        pointer: pointer,
        file: place.file,
        line: place.line,
        cause: "it refers to \(reference.entity)/\(target), which is not in the package",
        cure: "restore that record in the app, or clear the reference"
      )
    )
  }

  private func finding(
    _ place: RecordPlace,
    key: String?,
    code: String,
    cause: String
  ) -> Finding {
    Finding(
      code: code,
      severity: .error,
      entity: entity.name,
      record: key,
      file: place.file,
      line: place.line,
      cause: cause,
      cure: "export the store again"
    )
  }
}
