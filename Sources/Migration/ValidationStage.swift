package import ExportPackage
import Files
import JSONText
package import Quarantine
package import Records
import Schemas
import SchemaValidation

/// What holding a package against its schemas showed.
package struct ValidationReport: Sendable {
  package struct Line: Hashable, Sendable {
    package let entity: EntityName
    package var recordCount = 0
    package var faultyCount = 0
  }

  package var lines: [Line] = []
  /// At most ``findingLimit`` of them; ``findingCount`` is whole.
  package var findings: [Finding] = []
  package var findingCount = 0
  /// What was kept aside, where that was asked for and something was.
  package var quarantine: QuarantineFolder?

  package static let findingLimit = 10_000

  package var isValid: Bool { findingCount == 0 }

  package var recordCount: Int { lines.reduce(0) { $0 + $1.recordCount } }
  package var faultyCount: Int { lines.reduce(0) { $0 + $1.faultyCount } }

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
  let quarantine: QuarantinePlace?
  let progress: ProgressReporter

  /// - Parameters:
  ///   - package: The package to be checked.
  ///   - marks: What an earlier, interrupted validation of the same package had found without
  ///     fault; it is not read again.
  ///   - quarantine: Where records with faults are kept aside; `nil` when they are only reported.
  ///   - progress: What is told how far it is.
  package init(
    package: PackageReader,
    marks: ValidationMarks? = nil,
    quarantine: QuarantinePlace? = nil,
    progress: ProgressReporter
  ) {
    self.package = package
    self.marks = marks
    self.quarantine = quarantine
    self.progress = progress
  }

  /// Reports every fault at once.
  package func run(interruption: Interruption) throws(MigrationError) -> ValidationReport {
    let writer = try quarantining { () throws(QuarantineError) in
      try quarantine?.writer(for: package)
    }
    var report = try check(keeping: writer, interruption: interruption)
    if !report.isDamaged {
      report.quarantine = try quarantining { () throws(QuarantineError) in try writer?.publish() }
    }
    return report
  }

  private func check(
    keeping writer: QuarantineWriter?,
    interruption: Interruption
  ) throws(MigrationError) -> ValidationReport {
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
        keys: keys,
        quarantine: writer
      )
      try check.run(package, into: &report) { count throws(MigrationError) in
        if interruption.isWished { throw .interrupted }
        progress.report(
          .advanced(.validate, done: done + count, total: package.manifest.recordCount)
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
  let quarantine: QuarantineWriter?
  var line: ValidationReport.Line
  private let document = JSONDocument()
  /// What is the matter with the record at hand.
  private var found: [Finding] = []

  init(
    entity: PackageManifest.Entity,
    validator: SchemaValidator?,
    keys: KeyIndex,
    quarantine: QuarantineWriter?
  ) {
    self.entity = entity
    self.validator = validator
    self.keys = keys
    self.quarantine = quarantine
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
      let key = try check(bytes, place)
      line.recordCount += 1
      if !found.isEmpty { try take(bytes, place, key: key, into: &report) }
      if line.recordCount.isMultiple(of: 1_000) { try progress(line.recordCount) }
    }
    try progress(line.recordCount)
  }

  /// Reports what was found about a record, and keeps it aside.
  private mutating func take(
    _ bytes: UnsafeRawBufferPointer,
    _ place: RecordPlace,
    key: String?,
    into report: inout ValidationReport
  ) throws(MigrationError) {
    line.faultyCount += 1
    for finding in found { report.add(finding) }
    if let quarantine {
      let record = QuarantinedRecord(
        entity: entity.name,
        key: key,
        file: place.file,
        line: place.line,
        findings: found
      )
      try quarantining { () throws(QuarantineError) in try quarantine.add(record, bytes: bytes) }
    }
    found.removeAll(keepingCapacity: true)
  }

  /// Collects what is the matter with a record, and gives its key.
  private mutating func check(
    _ bytes: UnsafeRawBufferPointer,
    _ place: RecordPlace
  ) throws(MigrationError) -> String? {
    do throws(JSONError) {
      try document.parse(bytes)
    } catch {
      found.append(finding(place, key: nil, code: "record.not-json", cause: "\(error)"))
      return nil
    }
    let root = document.root
    let key = document.member(of: root, named: entity.key).map { document.text(ofScalar: $0) }
    if key == nil {
      found.append(
        finding(place, key: nil, code: "record.no-key", cause: "it has no “\(entity.key)”")
      )
    }
    if let key, keys.duplicates.contains(RecordID(entity: entity.name, key: key)) {
      found.append(.duplicateKey(key, of: entity.name, place))
    }
    if let validator, !validator.isValid(document, root) {
      for fault in validator.faults(document, root) {
        found.append(
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
    for reference in entity.references { try check(reference, key, place) }
    return key
  }

  private mutating func check(
    _ reference: PackageManifest.Reference,
    _ key: String?,
    _ place: RecordPlace
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
          place
        )
        index += 1
      }
    default:
      try check(
        document.text(ofScalar: node),
        of: reference,
        at: "/\(reference.member)",
        key,
        place
      )
    }
  }

  private mutating func check(
    _ target: String,
    of reference: PackageManifest.Reference,
    at pointer: String,
    _ key: String?,
    _ place: RecordPlace
  ) throws(MigrationError) {
    for entity in reference.entities {
      if try keys.contains(target, of: entity) { return }
    }
    found.append(
      Finding(
        code: "reference.dangling",
        severity: .error,
        entity: entity.name,
        record: key,
        pointer: pointer,
        file: place.file,
        line: place.line,
        cause: "it refers to \(reference.names)/\(target), which is not in the package",
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

extension Finding {
  fileprivate static func duplicateKey(
    _ key: String,
    of entity: EntityName,
    _ place: RecordPlace
  ) -> Finding {
    Finding(
      code: "record.duplicate-key",
      severity: .error,
      entity: entity,
      record: key,
      file: place.file,
      line: place.line,
      cause: "another record has this key too, so one would take the other's place",
      cure: "choose another identity in the profile, or remove the double in the app"
    )
  }
}
