package import JSONText

/// A finding as a report holds it: what the published form of one says, and no more.
package struct ReportFinding: Hashable, Sendable {
  /// How grave a finding is.
  package enum Severity: String, Sendable, CaseIterable, Comparable {
    case error, warning, note

    private var rank: Int {
      switch self {
      case .error: 0
      case .warning: 1
      case .note: 2
      }
    }

    /// The gravest comes first.
    package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }
  }

  package let code: String
  package let severity: Severity
  package let entity: String?
  package let record: String?
  package let pointer: String
  package let file: String?
  package let line: Int?
  package let cause: String
  package let cure: String

  /// Reads a finding; `nil` for an object that has no code or no cause.
  package init?(_ value: JSONValue) {
    guard let code = value["code"]?.text, let cause = value["cause"]?.text else { return nil }
    self.code = code
    self.cause = cause
    severity = value["severity"]?.text.flatMap(Severity.init) ?? .error
    entity = value["entity"]?.text
    record = value["record"]?.text
    pointer = value["pointer"]?.text ?? ""
    file = value["file"]?.text
    line = (value["line"] ?? value["number"])?.integer.flatMap { $0 > 0 ? Int(exactly: $0) : nil }
    cure = value["cure"]?.text ?? ""
  }

  /// Where it is, in words: the record, else the file.
  package var place: String {
    var words: [String] = []
    if let entity {
      words.append(record.map { "\(entity)/\($0)" } ?? entity)
    } else if let file {
      words.append(line.map { "\(file):\($0)" } ?? file)
    }
    if !pointer.isEmpty { words.append(pointer) }
    return words.joined(separator: " ")
  }
}

/// Findings of one rule about one entity, with the same cause.
struct ReportFindingGroup {
  struct Sameness: Hashable {
    let code: String
    let entity: String?
    let cause: String
  }

  let first: ReportFinding
  let members: [ReportFinding]

  var count: Int { members.count }

  /// The gravest first, else in the order of their first appearance.
  static func groups(of findings: [ReportFinding]) -> [ReportFindingGroup] {
    var order: [Sameness] = []
    var members: [Sameness: [ReportFinding]] = [:]
    for finding in findings {
      let key = Sameness(code: finding.code, entity: finding.entity, cause: finding.cause)
      if members[key] == nil { order.append(key) }
      members[key, default: []].append(finding)
    }
    let groups = order.compactMap { key -> ReportFindingGroup? in
      guard let all = members[key], let first = all.first else { return nil }
      return ReportFindingGroup(first: first, members: all)
    }
    return groups.enumerated().sorted { left, right in
      (left.element.first.severity, left.offset) < (right.element.first.severity, right.offset)
    }.map(\.element)
  }

  /// The first few places, and that there are more.
  func places(_ limit: Int) -> String {
    let names = members.prefix(limit).map(\.place).filter { !$0.isEmpty }
    return names.joined(separator: ", ") + (count > limit && !names.isEmpty ? ", …" : "")
  }
}
