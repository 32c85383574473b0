package import JSONText
import Profiles
import RecordMapping
import Records
import RequestBodies
import TextCodecs

extension RequestProgram {
  /// Why the destination makes no record of what this one says: at the present `now`, in microseconds since
  /// 2001, a moment of it is too long ago; `nil` where none is.
  package func staleness(
    of record: JSONNode,
    in document: JSONDocument,
    at now: Int64
  ) -> MappingFault? {
    for rule in api.body {
      guard case .field(let field) = rule.source, let within = field.within,
        let value = found(field.member, record, document),
        let text = (rule.writing == .plain ? .plain : RequestFieldRule.Writing.utc).written(value)
          .text,
        let moment = Timestamp.microseconds(text)
      else { continue }
      let (age, isBeyond) = now.subtractingReportingOverflow(moment)
      if isBeyond ? (moment < 0) : (Duration.microseconds(age) > within) {
        return .tooOld(member: rule.name, within: within)
      }
    }
    return nil
  }

  /// The members of a request that have less of a text than the record, as the destination takes no more.
  package func shortened(in record: JSONNode, of document: JSONDocument) -> [String] {
    cutting.compactMap { rule in
      guard case .field(let field) = rule.source, let longest = field.longest,
        let value = found(field.member, record, document),
        let text = mapped(value, field.map, field.letters).text, text.utf16.count > longest.count
      else { return nil }
      return rule.name
    }
  }

  /// What the record says at the end of a path, in canonical JSON; `nil` where it says nothing, or
  /// `null`, or its value is lost.
  func verbatim(
    _ path: [JSONName],
    _ record: JSONNode,
    _ document: JSONDocument
  ) -> [UInt8]? {
    var node = record
    for name in path {
      guard let next = document.member(of: node, name) else { return nil }
      node = next
    }
    guard document.kind(of: node) != .null, !document.isLost(node) else { return nil }
    return document.canonicalBytes(of: node)
  }

  /// The value of a rule, or `nil` when the member is left out.
  func value(
    _ rule: RequestFieldRule,
    _ stage: RequestStage,
    _ record: JSONNode,
    _ document: JSONDocument,
    _ resolver: ReferenceResolver
  ) throws(MappingFault) -> JSONValue? {
    guard let value = try plainValue(rule, stage, record, document, resolver) else { return nil }
    let written = rule.writing.written(value)
    guard rule.writing.rounded(written) == nil else { throw .rounded(member: rule.name) }
    guard rule.writing.holds(written) else {
      throw .unsendable(member: rule.name, found: value.kind)
    }
    return written
  }

  private func plainValue(
    _ rule: RequestFieldRule,
    _ stage: RequestStage,
    _ record: JSONNode,
    _ document: JSONDocument,
    _ resolver: ReferenceResolver
  ) throws(MappingFault) -> JSONValue? {
    switch rule.source {
    case .constant(let value): value
    case .record: document.value(of: record)
    case .field(let field): try self.field(field, stage, record, document)
    case .list(let list): try self.list(list, record, document)
    case .reference(let member):
      try reference(member, record, document, resolver)
    case .media(let member): try media(member, record, document, resolver)
    case .file(let file):
      try self.file(file, record, document).map { .string($0.digest.description) }
    }
  }

  /// What the record says, `null` included; `nil` when it says nothing.
  ///
  /// Of a value whose file is lost it is unknown what it says: what is there is left as it is.
  ///
  /// What is `null` has only `null` in it, so that the parts of a value that was removed are
  /// removed too.
  func found(
    _ path: MemberPath,
    _ record: JSONNode,
    _ document: JSONDocument
  ) -> JSONValue? {
    var node = record
    for name in path.names {
      if document.kind(of: node) == .null { return .null }
      guard let next = document.member(of: node, named: name) else { return nil }
      node = next
    }
    return document.isLost(node) ? nil : document.value(of: node)
  }

  private func field(
    _ field: RequestFieldRule.FieldRule,
    _ stage: RequestStage,
    _ record: JSONNode,
    _ document: JSONDocument
  ) throws(MappingFault) -> JSONValue? {
    let found = found(field.member, record, document)
    guard let found, !found.isNull else {
      // A placeholder is no statement of the record's: it never overwrites what is there.
      guard let fallback = field.fallback else { return found }
      return stage.isStatement ? nil : fallback
    }
    let mapped = mapped(found.stepped(on: field.scale), field.map, field.letters)
    guard let longest = field.longest, case .string(let text) = mapped,
      text.utf16.count > longest.count
    else { return mapped }
    switch longest.answer {
    case .reject:
      throw .tooLong(
        member: field.member.description,
        count: text.utf16.count,
        limit: longest.count
      )
    case .cut: return .string(Self.cut(text, to: longest.count))
    }
  }

  /// The beginning of a text, with no character cut in two.
  private static func cut(_ text: String, to limit: Int) -> String {
    var cut = ""
    var count = 0
    for character in text {
      count += character.utf16.count
      if count > limit { break }
      cut.append(character)
    }
    return cut
  }

  private func mapped(
    _ value: JSONValue,
    _ map: [String: JSONValue],
    _ letters: RequestFieldRule.LetterCase
  ) -> JSONValue {
    if case .boolean(let flag) = value { return map[flag ? "true" : "false"] ?? value }
    if case .number(let number) = value, !map.isEmpty {
      return map[number.int64.map { String($0) } ?? number.literal.lowercased()] ?? value
    }
    guard case .string(let text) = value else { return value }
    // Most texts are long, and few have words of their own at the destination.
    if !map.isEmpty, let mapped = map[text.lowercased()] { return mapped }
    return switch letters {
    case .kept: value
    case .lower: .string(text.lowercased())
    case .upper: .string(text.uppercased())
    }
  }

  private func list(
    _ list: RequestFieldRule.ListRule,
    _ record: JSONNode,
    _ document: JSONDocument
  ) throws(MappingFault) -> JSONValue? {
    var values: [JSONValue] = []
    let all = list.members.compactMap { member in
      found(member, record, document).map { (member, $0) }
    }
    if all.isEmpty { return nil }
    for (member, found) in all where !found.isNull {
      for value in found.array ?? [found] {
        if case .object = value {
          throw .unsendable(member: member.description, found: .object)
        }
        let mapped = mapped(value, list.map, list.letters)
        if list.skipsBlank, mapped.text?.allSatisfy(\.isWhitespace) == true { continue }
        if list.isUnique, values.contains(mapped) { continue }
        values.append(mapped)
      }
    }
    return .array(values)
  }

  private func reference(
    _ member: String,
    _ record: JSONNode,
    _ document: JSONDocument,
    _ resolver: ReferenceResolver
  ) throws(MappingFault) -> JSONValue? {
    guard let found = found(MemberPath(names: [member]), record, document) else { return nil }
    guard !found.isNull else { return .null }
    guard let targets = memberReferences[member]?.targets, let first = targets.first else {
      throw .unknownTarget(member: member)
    }
    func resolved(_ value: JSONValue) throws(MappingFault) -> JSONValue {
      guard let key = value.text else { throw .unsendable(member: member, found: value.kind) }
      let single = targets.filter { !compound.contains($0) }
      if let place = try place(of: key, among: single, resolver) { return place }
      if let target = targets.first(where: compound.contains) {
        throw .compoundReference(member: member, target)
      }
      throw .missingReference(member: member, RecordID(entity: first, key: key))
    }
    guard let elements = found.array else { return try resolved(found) }
    var ids: [JSONValue] = []
    for element in elements { ids.append(try resolved(element)) }
    return .array(ids)
  }

  /// Where the record of a key is, which is of the first of these entities that has it; `nil` where it is
  /// not at the destination yet.
  func place(
    of key: String,
    among targets: [EntityName],
    _ resolver: ReferenceResolver
  ) throws(MappingFault) -> JSONValue? {
    for target in targets {
      if let id = try resolver.reference(target, key) { return .string(id) }
    }
    // What is not sent from here may still be there, under the key that it has here.
    let isNumbered = key.isPlainNumber && targets.contains { numbered.contains($0) }
    return isNumbered ? .string(key) : nil
  }

  /// The address of a file that was sent; the member is left out while it does not exist, so that it
  /// never takes an address away.
  private func media(
    _ member: String,
    _ record: JSONNode,
    _ document: JSONDocument,
    _ resolver: ReferenceResolver
  ) throws(MappingFault) -> JSONValue? {
    guard sendsMedia, let file = media(member, in: record, of: document),
      let url = try resolver.media(file.rule.category, file.key(of: resolver.record))
    else { return nil }
    return .string(url)
  }
}

extension JSONDocument {
  /// Whether this represents a value whose file was not beside the store.
  fileprivate func isLost(_ node: JSONNode) -> Bool {
    count(of: node) == 1 && member(of: node, RecordWriter.lostFile) != nil
  }
}

extension JSONValue {
  /// What a scale makes of a number; anything else stays.
  fileprivate func stepped(on scale: [RequestFieldRule.Step]) -> JSONValue {
    guard let number = double, let step = scale.first(where: { number < $0.below ?? .infinity })
    else { return self }
    return step.value
  }
}
