import DocumentChecking
import ExportPackage
import Files
import JSONText
import LongTexts
import Quarantine
import Records
import SchemaValidation
import StageSupport

/// A record that was quarantined, and what another device made of it.
struct Repair {
  let record: QuarantinedRecord
  /// The line as it is now; `nil` if it does not exist.
  let edited: [UInt8]?
  /// The file that it was edited in, and the line there.
  let file: String
  let line: Int
}

/// The repairs of one entity, in the order of the records.
///
/// A file with a line for each record that was quarantined is taken line by line: an empty line
/// leaves the record as it is. A file with fewer or more lines is taken by the records' keys.
final class Repairs {
  private let entity: PackageManifest.Entity
  private let records: QuarantineStream
  private let path: String
  private var edits: LineReader?
  private var editsByKey: [RecordID: (line: Int, bytes: [UInt8])] = [:]
  private var passedOver: [Finding] = []
  private let document = JSONDocument()

  /// The largest file of repairs that is taken by keys.
  private static let largestByKey: Int64 = 256 << 20

  static func path(of entity: EntityName, in folder: String) -> String {
    "\(folder)/\(entity).jsonl"
  }

  init(
    of entity: PackageManifest.Entity,
    in quarantine: QuarantineFolder,
    _ folder: String
  ) throws {
    self.entity = entity
    let name = entity.name
    path = Self.path(of: name, in: folder)
    records = try quarantine.records()
    guard InputFile.isPresent(path) else { return }
    let count = quarantine.counts.first { $0.entity == name }?.count ?? 0
    if try lineCount() == count {
      edits = try reader()
    } else {
      try readByKey()
    }
  }

  /// The next record that was quarantined, or `nil` after the last.
  func next() throws -> Repair? {
    while let record = try records.next() {
      guard record.entity == entity.name else { continue }
      if let edits {
        let line = try Self.next(of: edits, in: path)
        return repair(record, line.map { Array($0.bytes) }, line?.number ?? 0)
      }
      let found = record.key.flatMap { editsByKey.removeValue(forKey: id($0)) }
      return repair(record, found?.bytes, found?.line ?? 0)
    }
    return nil
  }

  /// The lines that repaired nothing, once every record was asked for.
  var unusedRepairs: [Finding] {
    let cause = "no record that was quarantined has this key, so the line is not taken"
    let left = editsByKey.map { id, edit in unusable("replay.unknown", at: edit.line, id.key, cause)
    }
    return (passedOver + left).sorted { ($0.line ?? 0) < ($1.line ?? 0) }
  }

  private func id(_ key: String) -> RecordID {
    RecordID(entity: entity.name, key: LongText.comparable(key))
  }

  private func pass(over finding: Finding) {
    if passedOver.count < ValidationReport.findingLimit { passedOver.append(finding) }
  }

  private func unusable(_ code: String, at line: Int, _ key: String?, _ cause: String) -> Finding {
    Finding(
      code: code,
      severity: .error,
      entity: entity.name,
      record: key,
      file: path,
      line: line,
      cause: cause,
      cure: "write one line for each record, as `ferry quarantine show -o` does"
    )
  }

  private func repair(_ record: QuarantinedRecord, _ edited: [UInt8]?, _ line: Int) -> Repair {
    let isBlank = edited.map { Self.isBlank($0) } ?? true
    return Repair(record: record, edited: isBlank ? nil : edited, file: path, line: line)
  }

  private static func isBlank(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.allSatisfy { [0x20, 0x09, 0x0D].contains($0) }
  }

  private func reader() throws -> LineReader {
    let path = path
    return LineReader(try InputFile(path))
  }

  private func lineCount() throws -> Int {
    let reader = try reader()
    var count = 0
    while try Self.next(of: reader, in: path) != nil { count += 1 }
    return count
  }

  private func readByKey() throws {
    let path = path
    let size = try InputFile(path).size()
    guard size <= Self.largestByKey else {
      throw DocumentError.tooLarge(file: path, limit: Int(Self.largestByKey))
    }
    let reader = try reader()
    while let line = try Self.next(of: reader, in: path) {
      if Self.isBlank(line.bytes) { continue }
      guard let key = document.key(entity.key, in: line.bytes) else {
        let cause =
          "the record that it repairs is unknown: it is not JSON, or has no “\(entity.key)”"
        pass(over: unusable("replay.no-record", at: line.number, nil, cause))
        continue
      }
      if let earlier = editsByKey.updateValue((line.number, Array(line.bytes)), forKey: id(key)) {
        let cause = "line \(line.number) repairs the same record, so this one is not taken"
        pass(over: unusable("replay.doubled", at: earlier.line, key, cause))
      }
    }
  }

  private static func next(
    of reader: LineReader,
    in path: String
  ) throws -> LineReader.Line? {
    do throws(LineReader.Failure) {
      return try reader.next()
    } catch {
      switch error {
      case .file(let error): throw error
      case .tooLong(let line): throw DocumentError.lineTooLong(file: path, line: line)
      }
    }
  }
}

/// Says of each repair whether the record may go back among the others.
struct RepairJudge {
  /// What is to be done with a record that was quarantined.
  enum Verdict {
    /// No other device changed it.
    case untouched
    /// It obeys its schema now.
    case repaired([UInt8])
    /// It was changed, and something is still the matter.
    case refused([Finding])
  }

  private let check: RecordBlockCheck

  init(_ entity: PackageManifest.Entity, _ schemas: SchemaSet) throws {
    let schema: Schema? =
      if let name = entity.schema {
        try schemas.schema(at: PackageReader.schemaAddress(of: name))
      } else { nil }
    check = RecordBlockCheck(entity: entity, schema: schema, duplicates: [])
  }

  func verdict(on repair: Repair, of original: [UInt8]) -> Verdict {
    guard let edited = repair.edited, edited != original else { return .untouched }
    let block = RecordStream.Block(bytes: edited, file: repair.file, offset: 0, line: repair.line)
    let findings = check.check(block).outcomes.flatMap(\.findings)
    return findings.isEmpty ? .repaired(edited) : .refused(findings)
  }
}
