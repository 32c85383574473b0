import ExportPackage
import Files
import JSONText
import LongTexts
import Records
import SchemaValidation

/// What has to be said, or still has to be looked up, about one record of a block.
struct ValidationOutcome: Sendable {
  /// Where its line lies in the block, without the end.
  let line: Range<Int>
  let place: RecordPlace
  let key: String?
  var findings: [Finding] = []
  var targets: [Target] = []

  /// A record that it refers to, by the number of the reference.
  struct Target: Sendable {
    let reference: Int
    let key: String
    let pointer: String
  }
}

/// Holds the records of a block against their schema; looks nothing up.
struct RecordBlockCheck: Sendable {
  let entity: PackageManifest.Entity
  let schema: Schema?
  /// The keys that more than one record of the entity has, as they are compared.
  let duplicates: Set<RecordID>

  /// What was found in a block.
  struct Answer: Sendable {
    let block: RecordStream.Block
    var recordCount = 0
    /// Of the records that there is something to say about.
    var outcomes: [ValidationOutcome] = []
  }

  func check(_ block: RecordStream.Block) -> Answer {
    var answer = Answer(block: block)
    let document = JSONDocument()
    let validator = schema.map(SchemaValidator.init)
    block.bytes.withUnsafeBytes { bytes in
      var start = 0
      while start < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
        let length = LineReader.lineFeed(in: rest) ?? rest.count
        let place = RecordPlace(
          file: block.file,
          offset: block.offset + Int64(start),
          length: length,
          line: block.line + answer.recordCount
        )
        let line = start..<start + length
        let record = UnsafeRawBufferPointer(rebasing: bytes[line])
        let outcome = check(record, line, place, document, validator)
        if !outcome.findings.isEmpty || !outcome.targets.isEmpty { answer.outcomes.append(outcome) }
        answer.recordCount += 1
        start += length + 1
      }
    }
    return answer
  }

  private func check(
    _ bytes: UnsafeRawBufferPointer,
    _ line: Range<Int>,
    _ place: RecordPlace,
    _ document: JSONDocument,
    _ validator: SchemaValidator?
  ) -> ValidationOutcome {
    do throws(JSONError) {
      try document.parse(bytes)
    } catch {
      var outcome = ValidationOutcome(line: line, place: place, key: nil)
      outcome.findings = [finding(place, code: "record.not-json", cause: "\(error)")]
      return outcome
    }
    let root = document.root
    let key = document.member(of: root, named: entity.key).map { document.text(ofScalar: $0) }
    var outcome = ValidationOutcome(line: line, place: place, key: key)
    if key == nil {
      outcome.findings.append(
        finding(place, code: "record.no-key", cause: "it has no “\(entity.key)”")
      )
    }
    if let key, key.utf8.contains(0) {
      outcome.findings.append(.zero(inKey: key, of: entity, place))
    }
    if let key, !duplicates.isEmpty,
      duplicates.contains(RecordID(entity: entity.name, key: LongText.comparable(key)))
    {
      outcome.findings.append(.duplicateKey(key, of: entity.name, place))
    }
    if let validator, !validator.isValid(document, root) {
      outcome.findings += validator.faults(document, root).map { fault in
        Finding(fault, of: key, entity.name, place)
      }
    }
    for (number, reference) in entity.references.enumerated() {
      collect(reference, number, document, into: &outcome)
    }
    return outcome
  }

  /// Collects the records that a reference leads to.
  private func collect(
    _ reference: PackageManifest.Reference,
    _ number: Int,
    _ document: JSONDocument,
    into outcome: inout ValidationOutcome
  ) {
    guard !reference.mayDangle,
      let node = document.member(of: document.root, named: reference.member)
    else { return }
    switch document.kind(of: node) {
    case .null: return
    case .array:
      var targets: [ValidationOutcome.Target] = []
      document.forEachElement(of: node) { element in
        targets.append(
          ValidationOutcome.Target(
            reference: number,
            key: document.text(ofScalar: element),
            pointer: "/\(reference.member)/\(targets.count)"
          )
        )
      }
      outcome.targets += targets
    default:
      outcome.targets.append(
        ValidationOutcome.Target(
          reference: number,
          key: document.text(ofScalar: node),
          pointer: "/\(reference.member)"
        )
      )
    }
  }

  private func finding(_ place: RecordPlace, code: String, cause: String) -> Finding {
    Finding(
      code: code,
      severity: .error,
      entity: entity.name,
      record: nil,
      file: place.file,
      line: place.line,
      cause: cause,
      cure: "export the store again"
    )
  }
}

extension Finding {
  /// What a record's schema has to say about it.
  init(_ fault: SchemaFault, of key: String?, _ entity: EntityName, _ place: RecordPlace) {
    self.init(
      code: fault.code,
      severity: .error,
      entity: entity,
      record: key,
      pointer: fault.instanceLocation,
      file: place.file,
      line: place.line,
      cause: fault.cause,
      found: fault.quotesValue ? fault.found : nil,
      cure: fault.cure
    )
  }

  /// Neither a checkpoint nor most servers state that key from the text before that character.
  fileprivate static func zero(
    inKey key: String,
    of entity: PackageManifest.Entity,
    _ place: RecordPlace
  ) -> Finding {
    Finding(
      code: "record.key-zero",
      severity: .error,
      entity: entity.name,
      record: key,
      pointer: "/\(entity.key)",
      file: place.file,
      line: place.line,
      cause: "its key holds the character U+0000, which ends a text for most servers: one of it "
        + "could be taken for another",
      cure: "choose another identity in the profile, or remove the character in the app"
    )
  }

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
