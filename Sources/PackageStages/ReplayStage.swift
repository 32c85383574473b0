import Crypto
package import ExportPackage
import Files
import JSONText
package import Quarantine
package import Records
import SchemaValidation
package import StageSupport

/// What a replay came to.
package struct ReplayResult: Sendable {
  /// The new package; `nil` when no record was repaired.
  package var package: PackageReader?
  package var lines: [Line] = []
  /// What is still the matter with records that were edited, and what was written for none of them; at
  /// most ``ValidationReport/findingLimit``.
  package var refused: [Finding] = []
  /// What holding the new package against its schemas showed.
  package var validation = ValidationReport()

  /// What became of an entity's records that were quarantined.
  package struct Line: Hashable, Sendable {
    package let entity: EntityName
    package var repairedCount = 0
    package var refusedCount = 0
    package var untouchedCount = 0
  }

  mutating func refuse(_ findings: [Finding]) {
    refused += findings.prefix(max(0, ValidationReport.findingLimit - refused.count))
  }

  package var repairedCount: Int { lines.reduce(0) { $0 + $1.repairedCount } }
  package var refusedCount: Int { lines.reduce(0) { $0 + $1.refusedCount } }
  package var untouchedCount: Int { lines.reduce(0) { $0 + $1.untouchedCount } }
}

/// Puts repaired records in the place of those that were quarantined, in a new package.
///
/// A package is sealed, so the old one stays as it is, and so does what was quarantined. A repaired
/// record that its schema still refuses is informed of and not taken; the new package then has the
/// record as it was, to be quarantined again.
package struct ReplayStage: Sendable {
  let old: PackageReader
  let quarantine: QuarantineFolder
  /// The folder that holds the repaired records, an `ENTITY.jsonl` for each.
  let repairs: String
  let output: String
  let place: QuarantinePlace
  let toolVersion: String
  let workers: Int
  let keys: PackageKeys
  let progress: ProgressReporter

  /// - Parameters:
  ///   - package: The package that the records are from.
  ///   - quarantine: What was quarantined of it.
  ///   - repairs: The folder with the repaired records; the one of the quarantine unless given.
  ///   - output: Where the new package is to be.
  ///   - place: Where records of the new package are quarantined.
  ///   - toolVersion: The version of this program, for the new package.
  ///   - workers: How many blocks of the new package's records are looked at side by side.
  ///   - keys: Whom the new package is encrypted to, and what opens it again to be checked.
  ///   - progress: What is reported how far it is.
  package init(
    package: PackageReader,
    quarantine: QuarantineFolder,
    repairs: String?,
    output: String,
    place: QuarantinePlace,
    toolVersion: String,
    workers: Int,
    keys: PackageKeys = .none,
    progress: ProgressReporter
  ) {
    old = package
    self.quarantine = quarantine
    self.repairs = repairs ?? quarantine.recordsFolder
    self.output = output
    self.place = place
    self.toolVersion = toolVersion
    self.workers = workers
    self.keys = keys
    self.progress = progress
  }

  package func run(interruption: CancellationToken) async throws -> ReplayResult {
    guard old.digest == quarantine.package else {
      throw QuarantineError.foreign(package: old.path, of: old.digest, path: quarantine.path)
    }
    let damages = try old.damages()
    guard damages.isEmpty else {
      throw PackageError.damaged(path: old.path, reason: damages[0].cause)
    }
    let schemas = try old.schemaSet()
    guard Folder.exists(repairs) else {
      throw MigrationError.badChoice(
        reason: "there is no folder \(repairs)",
        cure: "name the one that `ferry quarantine show -o` wrote the records into"
      )
    }
    // Looked at once before anything is written: nothing repaired, no new package.
    var result = ReplayResult()
    result.refused = try unrecordedFiles()
    for entity in old.manifest.entities where isQuarantined(entity.name) {
      var line = ReplayResult.Line(entity: entity.name)
      let unusedRepairs = try forEachRecord(of: entity, schemas) { _, verdict in
        if interruption.isCancelled { throw MigrationError.interrupted }
        switch verdict {
        case nil: break
        case .untouched: line.untouchedCount += 1
        case .repaired: line.repairedCount += 1
        case .refused(let findings):
          line.refusedCount += 1
          result.refuse(findings)
        }
      }
      result.refuse(unusedRepairs)
      result.lines.append(line)
    }
    guard result.repairedCount > 0 else { return result }
    result.package = try write(schemas, result, interruption)
    if let package = result.package {
      let stage = ValidationStage(
        package: package,
        quarantine: package.isSealed ? nil : place,
        workers: workers,
        progress: progress
      )
      result.validation = try await stage.run(interruption: interruption)
    }
    return result
  }

  private func isQuarantined(_ entity: EntityName) -> Bool {
    quarantine.counts.contains { $0.entity == entity }
  }

  /// The files of a folder of repairs that are for no entity of which records were quarantined.
  private func unrecordedFiles() throws -> [Finding] {
    let names = try Folder.names(in: repairs)
    let known = quarantine.counts.map { "\($0.entity).jsonl" }
    return names.filter { $0.hasSuffix(".jsonl") && !known.contains($0) }.sorted().map { name in
      Finding(
        code: "replay.unknown",
        severity: .error,
        file: "\(repairs)/\(name)",
        cause: "no record of an entity of this name was quarantined, so the file is not taken",
        cure: "name it as `ferry quarantine show -o` does: \(known.joined(separator: ", "))"
      )
    }
  }

  // MARK: Writing

  private func write(
    _ schemas: SchemaSet,
    _ result: ReplayResult,
    _ interruption: CancellationToken
  ) throws -> PackageReader {
    let binding = PackageBinding(
      source: try repairsDigest(),
      profile: old.manifest.profile.digest,
      tool: toolVersion
    )
    let writer = try PackageWriter.begin(output, binding, keys)
    for entity in old.manifest.entities {
      var pass = UpgradePass(entity: entity.name, way: [], writer: writer, old: old)
      try forEachRecord(of: entity, schemas) { line, verdict in
        if interruption.isCancelled { throw MigrationError.interrupted }
        if case .repaired(let bytes) = verdict {
          try pass.take(bytes)
        } else {
          try pass.take(line)
        }
      }
      try pass.takeRejects()
      guard pass.total == entity.records + entity.rejected else {
        throw MigrationError.rowsLost(
          path: old.path,
          read: Int(entity.records + entity.rejected),
          kept: Int(pass.total)
        )
      }
    }
    for (name, bytes) in try old.schemas() { try writer.addSchema(name, bytes) }
    var manifest = old.manifest
    manifest.format = .current
    manifest.tool = PackageManifest.Tool(version: toolVersion)
    let earlier = manifest.unknown["replays"]?.array ?? []
    manifest.unknown["replays"] = .array(earlier + [json(of: result)])
    let complete = manifest
    return try writer.finish(complete)
  }

  /// Lends each record of an entity, with what is to be done with it where it was quarantined.
  ///
  /// - Returns: What is to be said of repairs that are of none of them.
  @discardableResult
  private func forEachRecord(
    of entity: PackageManifest.Entity,
    _ schemas: SchemaSet,
    _ body: ([UInt8], RepairJudge.Verdict?) throws -> Void
  ) throws -> [Finding] {
    let judge = try RepairJudge(entity, schemas)
    let repairs =
      isQuarantined(entity.name) ? try Repairs(of: entity, in: quarantine, repairs) : nil
    var repair = try repairs?.next()
    let stream = try old.records(of: entity.name)
    while let (line, place) = try stream.take() {
      guard let found = repair, found.record.file == place.file, found.record.line == place.line
      else {
        try body(line, nil)
        continue
      }
      try body(line, judge.verdict(on: found, of: line))
      repair = try repairs?.next()
    }
    if let repair {
      let record = repair.record
      throw QuarantineError.damaged(
        path: quarantine.path,
        reason: "the package has no line \(record.line) in \(record.file), or not in this order"
      )
    }
    return repairs?.unusedRepairs ?? []
  }

  /// What the new package is made of, so that an interrupted replay goes on only over the same.
  private func repairsDigest() throws -> Records.Digest {
    var text = old.digest.description
    for (entity, _) in quarantine.counts {
      let path = Repairs.path(of: entity, in: repairs)
      guard InputFile.isPresent(path) else { continue }
      let found = try InputFile.sha256(of: path).digest
      text += "\n\(entity) \(Records.Digest(bytes: found).map(\.description) ?? "")"
    }
    guard let digest = Records.Digest(bytes: SHA256.hash(data: Array(text.utf8))) else {
      preconditionFailure("a SHA-256 has 32 bytes")
    }
    return digest
  }

  private func json(of result: ReplayResult) -> JSONValue {
    .object([
      "from": .string(old.digest.description),
      "entities": .array(
        result.lines.filter { $0.repairedCount > 0 }.map { line in
          .object([
            "entity": .string(line.entity.text),
            "repaired": .number(JSONNumber(Int64(line.repairedCount))),
          ])
        }
      ),
    ])
  }
}

extension PackageReader {
  /// The schemas that travel in the package: it is held against what it was written with.
  func schemaSet() throws -> SchemaSet {
    try Self.schemaSet(of: schemas().map { ($0.name, $0.bytes) })
  }

  /// Schemas made ready, as those of a package are.
  static func schemaSet(of all: [(name: String, bytes: [UInt8])]) throws -> SchemaSet {
    try SchemaSet(
      schemas: all.map { (address: schemaAddress(of: $0.name), bytes: $0.bytes) },
      formats: .assert,
      unknownKeywords: .refuse
    )
  }

  static func schemaAddress(of name: String) -> String {
    "package:///schemas/\(SchemaSet.addressPart(name))"
  }
}

extension PackageWriter {
  /// Begins a package, or goes on with one that was begun over the same.
  static func begin(
    _ output: String,
    _ binding: PackageBinding,
    _ keys: PackageKeys
  ) throws -> PackageWriter {
    let opening = try PackageWriter.open(output, binding: binding, keys: keys)
    guard case .writing(let writer) = opening else { throw MigrationError.packageInTheWay(output) }
    return writer
  }
}
