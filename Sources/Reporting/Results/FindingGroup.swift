import Records

/// Findings of the same rule, entity and cause, as one.
struct FindingGroup {
  let code: String
  let severity: Finding.Severity
  let cure: String
  let count: Int
  private let first: Finding
  private let records: [String]

  private struct Sameness: Hashable {
    let code: String
    let entity: EntityName?
    let cause: String
    let pointer: String
  }

  /// How many records are named before the rest is only counted.
  private static let namedLimit = 3

  /// The findings in groups, the gravest first, else in the order of their first appearance.
  static func groups(of findings: [Finding]) -> [FindingGroup] {
    var order: [Sameness] = []
    var members: [Sameness: [Finding]] = [:]
    for finding in findings {
      let key = Sameness(
        code: finding.code,
        entity: finding.entity,
        cause: finding.spokenCause,
        pointer: finding.pointer
      )
      if members[key] == nil { order.append(key) }
      members[key, default: []].append(finding)
    }
    return order.compactMap { key in members[key].flatMap(FindingGroup.init) }
      .sorted { $0.severity > $1.severity }
  }

  private init?(_ findings: [Finding]) {
    guard let first = findings.first else { return nil }
    self.first = first
    code = first.code
    severity = first.severity
    cure = first.cure
    count = findings.count
    records = findings.prefix(Self.namedLimit).compactMap(\.record)
  }

  /// Where, what, and the code that names the rule.
  var words: String {
    guard count > 1 else {
      let file = first.entity == nil ? first.file.map { "\($0): " } ?? "" : ""
      return file + SummaryText.line(of: first)
    }
    let entity = first.entity.map { "\($0) × \(count)" } ?? "× \(count)"
    let names = records.isEmpty ? "" : " (\(records.joined(separator: ", "))\(more))"
    let place = first.pointer.isEmpty ? "" : " \(first.pointer)"
    return "\(entity)\(place): \(first.spokenCause)\(names) [\(code)]"
  }

  private var more: String { count > records.count ? ", …" : "" }
}
