package import JSONText
package import Records

extension Finding {
  /// Reads the published form of a finding; `nil` for an object that has no code or no cause.
  package init?(published value: JSONValue) {
    guard let code = value["code"]?.text, let cause = value["cause"]?.text else { return nil }
    self.init(
      code: code,
      severity: value["severity"]?.text.flatMap { Severity(rawValue: $0) } ?? .error,
      entity: value["entity"]?.text.flatMap { EntityName($0) },
      record: value["record"]?.text,
      pointer: value["pointer"]?.text ?? "",
      file: value["file"]?.text,
      line: (value["line"] ?? value["number"])?.integer.flatMap { $0 > 0 ? Int(exactly: $0) : nil },
      cause: cause,
      cure: value["cure"]?.text ?? ""
    )
  }

  /// Reads a difference of two models: one that loses data or breaks a migration is an error.
  init?(difference value: JSONValue) {
    self.init(published: value)
    guard value["severity"] == "compatible" else { return }
    self.init(
      code: code,
      severity: .note,
      entity: entity,
      pointer: pointer,
      cause: cause,
      cure: cure
    )
  }

  /// The published form, which quotes what was found only where values are.
  package var published: JSONValue {
    var object: JSONObject = [
      "code": .string(code), "severity": .string(severity.rawValue), "cause": .string(messageCause),
      "cure": .string(cure), "pointer": .string(pointer),
    ]
    if let entity { object["entity"] = .string(entity.text) }
    if let record { object["record"] = .string(record) }
    if let file { object["file"] = .string(file) }
    if let line { object["line"] = .whole(line) }
    return .object(object)
  }

  /// The record, or the entity where no record is named.
  var subject: String? { entity.map { entity in record.map { "\(entity)/\($0)" } ?? entity.text } }

  /// The file, with the line where it is known.
  var filePlace: String? { file.map { file in line.map { "\(file):\($0)" } ?? file } }

  /// Where it is, in words: the record, else the file; then the place inside.
  package var place: String {
    [subject ?? filePlace ?? "", pointer].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// Where, what, and the code that names the rule.
  var words: String {
    let place = [subject ?? "", pointer].filter { !$0.isEmpty }.joined(separator: " ")
    return "\(place.isEmpty ? "" : place + ": ")\(messageCause) [\(code)]"
  }

  /// The lines of a fault that names its file: place and words, and the cure.
  var faultLines: [String] {
    let place = file.map { "\($0):\(line ?? 0): " } ?? ""
    return ["  \(place)\(words)", "    cure: \(cure)"].map(\.plainForTerminal)
  }
}

/// Findings of one rule about one entity, with the same cause.
struct FindingGroup {
  private struct Sameness: Hashable {
    let rule: Finding.Rule
    let cause: String
    let pointer: String?
  }

  let first: Finding
  let members: [Finding]
  /// How many findings the rule has in all, where not each is listed.
  let ruleCount: Int?
  /// Whether each finding of the rule that is listed is in this group.
  let isWholeRule: Bool

  var count: Int { members.count }

  /// How many findings there are: `× 3`, or `× 24000 (6666 listed)`; `nil` for one alone.
  var countWords: String? {
    guard let ruleCount, ruleCount > count else { return count > 1 ? "× \(count)" : nil }
    return isWholeRule
      ? "× \(ruleCount) (\(count) listed)" : "× \(count) listed, \(ruleCount) by this rule"
  }

  /// The gravest first, else in the order of their first appearance; `ruleCounts` has the rules whose findings
  /// are not all listed.
  static func groups(
    of findings: [Finding],
    byPointer: Bool = false,
    ruleCounts: [Finding.Rule: Int] = [:]
  ) -> [FindingGroup] {
    let groups = findings.grouped { finding in
      Sameness(
        rule: finding.rule,
        cause: finding.messageCause,
        pointer: byPointer ? finding.pointer : nil
      )
    }
    var groupCounts: [Finding.Rule: Int] = [:]
    for group in groups { groupCounts[group.key.rule, default: 0] += 1 }
    return groups.compactMap { group in
      group.members.first.map { first in
        FindingGroup(
          first: first,
          members: group.members,
          ruleCount: ruleCounts[group.key.rule],
          isWholeRule: groupCounts[group.key.rule] == 1
        )
      }
    }.enumerated().sorted { left, right in
      (right.element.first.severity, left.offset) < (left.element.first.severity, right.offset)
    }.map(\.element)
  }

  /// One entry for each record or file, with every place inside and, where it is known, the line.
  var placesByRecord: [String] {
    let groups = members.grouped { [$0.subject ?? "", $0.filePlace ?? ""] }
    return groups.compactMap { key, members in
      let pointers = members.map(\.pointer).filter { !$0.isEmpty }.joined(separator: ", ")
      let place = [key[0].isEmpty ? key[1] : key[0], pointers].filter { !$0.isEmpty }
      let line = key[0].isEmpty ? "" : key[1]
      let words = [place.joined(separator: " "), line].filter { !$0.isEmpty }
      return words.isEmpty ? nil : words.joined(separator: " — ")
    }
  }

  /// The first few records or files, each once with its places, and that there are more.
  func places(_ limit: Int) -> String {
    let groups = members.grouped { $0.subject ?? $0.filePlace ?? "" }
    let names = groups.prefix(limit).map { subject, members in
      ([subject] + members.map(\.pointer)).filter { !$0.isEmpty }.joined(separator: " ")
    }.filter { !$0.isEmpty }
    return names.joined(separator: ", ") + (groups.count > limit && !names.isEmpty ? ", …" : "")
  }

  /// Where, what, and the code that names the rule, in a line.
  ///
  /// So many records are named before the rest is only counted.
  func words(naming namedLimit: Int = 3) -> String {
    guard count > 1 else {
      return (first.entity == nil ? first.file.map { "\($0): " } ?? "" : "") + first.words
    }
    let entity = first.entity.map { "\($0) × \(count)" } ?? "× \(count)"
    let records = members.prefix(namedLimit).compactMap(\.record)
    let more = count > records.count ? ", …" : ""
    let names = records.isEmpty ? "" : " (\(records.joined(separator: ", "))\(more))"
    let place = first.pointer.isEmpty ? "" : " \(first.pointer)"
    return "\(entity)\(place): \(first.messageCause)\(names) [\(first.code)]"
  }
}

extension Sequence {
  /// The elements by a key, in the order in which the keys first appear.
  func grouped<Key: Hashable>(by name: (Element) -> Key) -> [(key: Key, members: [Element])] {
    var groups: [(key: Key, members: [Element])] = []
    var numbers: [Key: Int] = [:]
    for element in self {
      let key = name(element)
      if let number = numbers[key] {
        groups[number].members.append(element)
      } else {
        numbers[key] = groups.count
        groups.append((key, [element]))
      }
    }
    return groups
  }
}
