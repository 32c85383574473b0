package import JSONText
package import Records
import UploadPlanning

/// One stage of a run, as its published form says it, with its numbers as a table.
package struct ReportStage: Hashable, Sendable {
  /// One entity, and how many of its records ended in which way.
  package struct Line: Hashable, Sendable {
    package let name: String
    /// The records before they ended anywhere.
    package let total: Int
    package let outcomes: [Count]
    /// The run of a fleet's store; `nil` for an entity, and for a store that no run has begun.
    let run: String?
  }

  /// How many records ended in one way.
  package struct Count: Hashable, Sendable {
    package let name: String
    package let count: Int
  }

  /// What the stage is: the `type` of its published form.
  package let kind: String
  /// The published form.
  package let value: JSONValue
  package let lines: [Line]
  package let findings: [Finding]
  /// How many findings of each severity the stage had; more than are listed, where a list was full.
  package let findingCounts: [Finding.Severity: Int]
  /// How many findings each rule has, where a list was full; empty where each finding is listed.
  let ruleCounts: [Finding.Rule: Int]

  /// Reads a stage; `nil` for a value that has no type.
  package init?(_ value: JSONValue) {
    guard let kind = value["type"]?.text else { return nil }
    self.kind = kind
    self.value = value
    lines = StageShape(kind: kind).lines(of: value)
    findings = Self.findings(of: value)
    findingCounts = Self.counts(of: value, listed: findings)
    ruleCounts = Self.ruleCounts(of: value)
  }

  /// What a line of the stage is about.
  var lineName: String { kind == "fleet" ? "store" : "entity" }

  /// Whether its lines have runs of their own.
  var hasRuns: Bool { lines.contains { $0.run != nil } }

  /// The lines of entities that have records, or all where none has any.
  ///
  /// A store of a fleet is always listed.
  var filledLines: [Line] {
    guard kind != "fleet" else { return lines }
    let filled = lines.filter { line in line.total > 0 || line.outcomes.contains { $0.count > 0 } }
    return filled.isEmpty ? lines : filled
  }

  /// How many entities are not among them, in words; `nil` for none.
  var emptyWords: String? {
    let count = lines.count - filledLines.count
    guard count > 0 else { return nil }
    return count == 1
      ? "One entity without records is not listed."
      : "\(count) entities without records are not listed."
  }

  /// How many findings the stage had.
  package var findingCount: Int { findingCounts.values.reduce(0, +) }

  /// What the stage counted itself; where it counted faults alone, those that are not listed are errors.
  private static func counts(
    of value: JSONValue,
    listed: [Finding]
  ) -> [Finding.Severity: Int] {
    var counts = listed.reduce(into: [Finding.Severity: Int]()) { $0[$1.severity, default: 0] += 1 }
    for member in value["findingCounts"]?.object?.members ?? [] {
      guard let severity = Finding.Severity(rawValue: member.name) else { continue }
      counts[severity] = max(counts[severity, default: 0], bounded(member.value))
    }
    let faults = bounded(value["faults"] ?? value["findingCount"])
    let unlisted = faults - counts.values.reduce(0, +)
    if unlisted > 0 { counts[.error, default: 0] += unlisted }
    return counts
  }

  private static func ruleCounts(of value: JSONValue) -> [Finding.Rule: Int] {
    (value["rules"]?.array ?? []).reduce(into: [:]) { counts, value in
      guard let code = value["code"]?.text else { return }
      let rule = Finding.Rule(
        code: code,
        severity: value["severity"]?.text.flatMap { .init(rawValue: $0) } ?? .error,
        entity: value["entity"]?.text.flatMap { EntityName($0) }
      )
      counts[rule, default: 0] += bounded(value["count"])
    }
  }

  /// The names of the outcomes that any record had, in their order.
  package var outcomeNames: [String] {
    StageShape(kind: kind).outcomes.map(\.name).filter { name in
      lines.contains { line in line.outcomes.contains { $0.name == name && $0.count > 0 } }
    }
  }

  /// How many records ended in one way, over all entities.
  package func count(_ name: String) -> Int {
    lines.reduce(0) { $0 + $1.count(name) }
  }

  /// More than any run counts, and so few that all counts of a report can be added up.
  private static let largestCount: Int64 = 1 << 42

  /// A number of a published form, held within what a run can count.
  static func bounded(_ value: JSONValue?) -> Int {
    Int(min(max(value?.integer ?? 0, 0), largestCount))
  }

  private static func findings(of value: JSONValue) -> [Finding] {
    var found = (value["findings"]?.array ?? []).compactMap(Finding.init(published:))
    for document in value["faulty"]?.array ?? [] {
      for finding in document["findings"]?.array ?? [] {
        guard var object = finding.object else { continue }
        object["line"] = document["line"]
        object["file"] = value["file"]
        if let finding = Finding(published: .object(object)) { found.append(finding) }
      }
    }
    if let inner = value["validation"], inner.object != nil { found += findings(of: inner) }
    found += (value["differences"]?.array ?? []).compactMap(Finding.init(difference:))
    return found
  }
}

extension ReportStage.Line {
  /// How many records ended in one way.
  package func count(_ name: String) -> Int {
    outcomes.first { $0.name == name }?.count ?? 0
  }
}

/// Where the numbers of a stage are in its published form.
struct StageShape {
  struct Outcome {
    let name: String
    /// The member that holds it.
    let member: String
    /// A member that is taken off, where the outcome is what is left.
    var less: String?

    init(_ name: String, _ member: String? = nil, less: String? = nil) {
      self.name = name
      self.member = member ?? name
      self.less = less
    }
  }

  let outcomes: [Outcome]
  /// The members that hold lines by entity.
  let arrays: [String]
  /// Where the numbers are not by entity: the member they are in (the whole for `""`) and a name.
  let single: (member: String, name: String)?

  init(kind: String) {
    switch kind {
    case "export":
      self.init([Outcome("written", "records"), Outcome("rejected")], in: ["entities"])
    case "rows":
      self.init(
        [Outcome("written", "rows"), Outcome("rejected"), Outcome("skipped")],
        in: ["entities"]
      )
    case "validation":
      let valid = Outcome("valid", "records", less: "faulty")
      self.init([valid, Outcome("faulty")], in: ["entities"])
    case "inspection": self.init([Outcome("in the store", "rows")], in: ["entities"])
    case "fleet":
      self.init(
        RecordOutcome.allCases.map { Outcome($0.words, $0.rawValue) } + [Outcome("failed")],
        in: ["stores"]
      )
    case "plan":
      self.init(
        RecordOutcome.allCases.map { outcome in
          Outcome(outcome == .remaining ? "to send" : outcome.words, outcome.rawValue)
        },
        in: ["records", "media"]
      )
    case "upload", "rollback":
      self.init(
        RecordOutcome.allCases.map { Outcome($0.words, $0.rawValue) },
        in: ["records", "media"]
      )
    case "verification":
      self.init(
        [
          Outcome("same"), Outcome("different"), Outcome("in conflict", "conflicted"),
          Outcome("missing"), Outcome("unsent"), Outcome("untracked"),
          Outcome("left out", "leftOut"),
        ],
        in: ["entities"]
      )
    case "replay":
      self.init(["repaired", "refused", "untouched"].map { Outcome($0) }, in: ["entities"])
    case "import":
      let names = ["imported", "duplicate", "refused"]
      self.init(
        names.map { Outcome($0) } + [Outcome("no result", "none")],
        in: [],
        single: ("counts", "texts")
      )
    case "documents":
      let valid = Outcome("valid", "documents", less: "invalid")
      self.init([valid, Outcome("invalid")], in: [], single: ("", "documents"))
    default: self.init([], in: [])
    }
  }

  private init(
    _ outcomes: [Outcome],
    in arrays: [String],
    single: (member: String, name: String)? = nil
  ) {
    self.outcomes = outcomes
    self.arrays = arrays
    self.single = single
  }

  func lines(of value: JSONValue) -> [ReportStage.Line] {
    var lines = arrays.flatMap { value[$0]?.array ?? [] }.compactMap { line in
      line["entity"]?.text.map { self.line($0, line) }
    }
    if let single, let object = single.member.isEmpty ? value : value[single.member] {
      lines.append(line(single.name, object))
    }
    return lines
  }

  /// All records; what is at the destination beyond them is not one of them.
  private func sum(_ counts: [ReportStage.Count]) -> Int {
    counts.reduce(0) { $0 + ($1.name == "untracked" ? 0 : $1.count) }
  }

  private func line(_ name: String, _ object: JSONValue) -> ReportStage.Line {
    func number(_ member: String?) -> Int { ReportStage.bounded(member.flatMap { object[$0] }) }
    let counts = outcomes.map { outcome in
      ReportStage.Count(
        name: outcome.name,
        count: max(0, number(outcome.member) - number(outcome.less))
      )
    }
    return ReportStage.Line(
      name: name,
      total: object["read"] == nil ? sum(counts) : number("read"),
      outcomes: counts,
      run: object["run"]?.text
    )
  }
}

/// How good it is that a record ended in one way.
enum OutcomeTone: String {
  case good, quiet, open, bad

  init(of outcome: String) {
    switch outcome {
    case "created", "updated", "completed", "deleted", "same", "written", "valid", "imported",
      "repaired":
      self = .good
    case "rejected", "conflicted", "faulty", "invalid", "different", "missing", "unsent", "refused",
      "failed":
      self = .bad
    case "remaining", "to send", "unknown", "untracked", "in conflict": self = .open
    default: self = .quiet
    }
  }
}
