package import JSONText
package import Records

/// What a command came to, whole: every form of a report is made from this.
///
/// ``value`` is its published form, `ferry.report.v1`; ``init(_:)`` reads that form again, so that
/// one report can be held against an earlier one.
package struct Report: Hashable, Sendable {
  /// The version of the published form.
  package static let format = "1.0"

  package var tool: String
  package var command: String
  /// What the command was about: a store, a package or a run, as a path relative to the folder the
  /// command ran in.
  package var subject: String?
  /// When it began, in UTC: `2026-01-31T12:00:00Z`.
  package var began: String
  package var seconds: Double
  package var stages: [ReportStage]
  package var timeline: [TimelineStage]
  package var end: ReportEnd
  /// The commands that this report is made of, where it is made of several.
  package var parts: [ReportPart] = []
  /// What is different from an earlier report, where one was given.
  package var comparison: ReportComparison?

  package init(
    tool: String,
    command: String,
    subject: String?,
    began: String,
    seconds: Double,
    stages: [ReportStage],
    timeline: [TimelineStage],
    end: ReportEnd
  ) {
    self.tool = tool
    self.command = command
    self.subject = subject
    self.began = began
    self.seconds = seconds
    self.stages = stages
    self.timeline = timeline
    self.end = end
  }

  /// Reads the published form; `nil` for another type of value, or a newer major version.
  package init?(_ value: JSONValue) {
    guard value["type"] == "report", let format = value["format"]?.text,
      format.hasPrefix("1."), let end = value["end"].flatMap(ReportEnd.init)
    else { return nil }
    tool = value["tool"]?.text ?? ""
    command = value["command"]?.text ?? ""
    subject = value["subject"]?.text
    began = value["began"]?.text ?? ""
    seconds = value["seconds"]?.double ?? 0
    stages = (value["stages"]?.array ?? []).compactMap(ReportStage.init)
    timeline = (value["timeline"]?.array ?? []).compactMap(TimelineStage.init)
    self.end = end
    parts = (value["parts"]?.array ?? []).compactMap(ReportPart.init)
  }

  /// The published form.
  package var value: JSONValue {
    var object: JSONObject = [
      "type": "report", "format": .string(Self.format), "tool": .string(tool),
      "command": .string(command), "subject": .text(subject), "began": .string(began),
      "seconds": .seconds(seconds),
    ]
    object["stages"] = .array(stages.map(\.value))
    object["timeline"] = .array(timeline.map(\.value))
    if !parts.isEmpty { object["parts"] = .array(parts.map(\.value)) }
    if let comparison { object["comparison"] = comparison.value }
    object["end"] = end.value
    return .object(object)
  }

  /// The findings of all stages, but for those that only repeat that a record has another one.
  package var findings: [Finding] {
    let all = stages.flatMap(\.findings)
    let faulty = Set(all.filter { $0.code != Self.repeating }.compactMap(\.subject))
    return all.filter { finding in
      finding.code != Self.repeating || finding.subject.map { !faulty.contains($0) } ?? true
    }
  }

  /// The code by which a plan says that a record is quarantined, whose faults the validation reports.
  private static let repeating = "record.quarantined"

  /// How many findings of a severity only repeat that a record has another one.
  private func repeatedCount(_ severity: Finding.Severity) -> Int {
    let all = stages.reduce(0) { sum, stage in
      sum + stage.findings.count { $0.severity == severity }
    }
    return all - findings.count { $0.severity == severity }
  }

  /// How many findings of a severity there are, however many are listed.
  func count(_ severity: Finding.Severity) -> Int {
    stages.reduce(-repeatedCount(severity)) { $0 + $1.findingCounts[severity, default: 0] }
  }

  /// How many findings each rule has, where not each of them is listed.
  var ruleCounts: [Finding.Rule: Int] {
    var counts = stages.reduce(into: [:]) { $0.merge($1.ruleCounts, uniquingKeysWith: +) }
    // The other stages list each of theirs.
    for finding in stages.filter(\.ruleCounts.isEmpty).flatMap(\.findings) {
      counts[finding.rule]? += 1
    }
    return counts
  }

  /// How many findings there are, however many are listed.
  var findingCount: Int { [.error, .warning, .note].reduce(0) { $0 + count($1) } }

  /// What the subject was compared with, where the records went, whose they are, in which run, and how that is
  /// undone: names and values.
  ///
  /// A plan is no run yet, and one that asked no destination knows no account.
  var facts: [(name: String, value: String)] {
    func last(_ name: String, _ stages: [ReportStage]) -> String? {
      stages.compactMap { $0.value[name]?.text }.last
    }
    let runs = stages.filter { ["upload", "rollback"].contains($0.kind) }
    let isPlan = runs.isEmpty && stages.contains { $0.kind == "plan" }
    let facts = [
      ("dry run", isPlan ? "nothing is sent" : nil),
      ("compared with", stages.compactMap { $0.value["from"]?["path"]?.text }.last),
      ("destination", last("destination", stages)),
      ("account", last("account", stages.filter { $0.value["offline"] != true })),
      ("run", last("run", runs)), ("undo", end.undo),
    ]
    return facts.compactMap { name, value in value.map { (name: name, value: $0) } }
  }

  /// How many findings the stages had and the report does not list.
  var unlistedCount: Int { findingCount - findings.count }
}

/// How a command ended.
package struct ReportEnd: Hashable, Sendable {
  package let status: Int
  package let name: String
  /// Whether a machine may simply run the same line again.
  package let mayRetry: Bool
  package let reason: String?
  package let cure: String?
  /// The next command to type.
  package let next: String?
  /// The command that rolls the run back.
  package let undo: String?

  package init(
    status: Int,
    name: String,
    mayRetry: Bool,
    reason: String? = nil,
    cure: String? = nil,
    next: String? = nil,
    undo: String? = nil
  ) {
    self.status = status
    self.name = name
    self.mayRetry = mayRetry
    self.reason = reason
    self.cure = cure
    self.next = next
    self.undo = undo
  }

  init?(_ value: JSONValue) {
    guard let status = value["status"]?.integer.flatMap({ Int(exactly: $0) }) else { return nil }
    self.init(
      status: status,
      name: value["name"]?.text ?? "",
      mayRetry: value["mayRetry"]?.boolean ?? false,
      reason: value["reason"]?.text,
      cure: value["cure"]?.text,
      next: value["next"]?.text,
      undo: value["undo"]?.text
    )
  }

  var value: JSONValue {
    .object([
      "status": .whole(status), "name": .string(name), "mayRetry": .boolean(mayRetry),
      "reason": .text(reason), "cure": .text(cure), "next": .text(next), "undo": .text(undo),
    ])
  }
}

/// When a stage ran, and how far it was at which time.
package struct TimelineStage: Hashable, Sendable {
  /// How far the stage was at a time.
  package struct Sample: Hashable, Sendable {
    package let seconds: Double
    package let done: Int

    package init(seconds: Double, done: Int) {
      self.seconds = seconds
      self.done = done
    }
  }

  package let stage: String
  /// Seconds after the command began.
  package let began: Double
  /// Seconds after the command began; `nil` for a stage that did not come to its end.
  package var ended: Double?
  package var total: Int?
  package var samples: [Sample]
  /// The times of waits, retries and look-ups, in seconds after the command began.
  package var pauses: [Double]
  /// The seconds in which no request was in flight because of the checkpoint; `nil` where none was
  /// sent, and in a report that is read again.
  package var heldUp: Double?

  package init(stage: String, began: Double) {
    self.stage = stage
    self.began = began
    samples = []
    pauses = []
  }

  init?(_ value: JSONValue) {
    guard let stage = value["stage"]?.text, let began = value["began"]?.double else { return nil }
    self.stage = stage
    self.began = began
    ended = value["ended"]?.double
    total = value["total"]?.integer.flatMap { Int(exactly: $0) }
    samples = (value["samples"]?.array ?? []).compactMap { pair in
      guard let seconds = pair[0]?.double, let done = pair[1]?.integer else { return nil }
      return Sample(seconds: seconds, done: Int(clamping: done))
    }
    pauses = (value["pauses"]?.array ?? []).compactMap(\.double)
  }

  var value: JSONValue {
    .object([
      "stage": .string(stage), "began": .seconds(began),
      "ended": ended.map { .seconds($0) } ?? .null, "total": total.map { .whole($0) } ?? .null,
      "samples": .array(samples.map { .array([.seconds($0.seconds), .whole($0.done)]) }),
      "pauses": .array(pauses.map { .seconds($0) }),
    ])
  }
}

extension JSONValue {
  /// Seconds, to the thousandth.
  static func seconds(_ seconds: Double) -> JSONValue {
    .number(JSONNumber((seconds * 1_000).rounded() / 1_000))
  }
}
