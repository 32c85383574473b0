import JSONText

/// What is different in a report from an earlier one.
package struct ReportComparison: Hashable, Sendable {
  /// A number that changed.
  package struct Change: Hashable, Sendable {
    package let stage: String
    package let entity: String?
    /// The name of the outcome, or the code of the finding.
    package let name: String
    package let before: Int
    package let now: Int
  }

  /// A stage that only one of the reports has.
  package struct Lone: Hashable, Sendable {
    package let stage: String
    package let isNow: Bool
  }

  package let statusBefore: Int
  /// Outcomes whose numbers changed.
  package let outcomes: [Change]
  /// Rules whose findings became more or fewer.
  package let findings: [Change]
  /// The stages that only one of the two reports has, and whether it is this one.
  package let uncompared: [Lone]

  package var isEmpty: Bool { outcomes.isEmpty && findings.isEmpty && uncompared.isEmpty }

  /// Holds a report against an earlier one, stage by stage.
  ///
  /// A stage that only one of them has is named and not counted out: nothing of it changed.
  package init(_ report: Report, since earlier: Report) {
    statusBefore = earlier.end.status
    let (before, now) = (earlier.stages.map(\.kind), report.stages.map(\.kind))
    uncompared =
      Self.unique(before).filter { !now.contains($0) }.map { Lone(stage: $0, isNow: false) }
      + Self.unique(now).filter { !before.contains($0) }.map { Lone(stage: $0, isNow: true) }
    let both = Set(before).intersection(now)
    outcomes = Self.changes(Self.outcomes(of: earlier, both), Self.outcomes(of: report, both))
    findings = Self.changes(Self.findings(of: earlier, both), Self.findings(of: report, both))
  }

  private static func unique(_ names: [String]) -> [String] {
    names.enumerated().filter { names.firstIndex(of: $0.element) == $0.offset }.map(\.element)
  }

  private struct Place: Hashable {
    let stage: String
    let entity: String?
    let name: String
  }

  /// Counts by place, in the order in which they first appear.
  private struct Counts {
    var order: [Place] = []
    var numbers: [Place: Int] = [:]

    mutating func add(_ count: Int, at place: Place) {
      if numbers[place] == nil { order.append(place) }
      numbers[place, default: 0] += count
    }
  }

  private static func outcomes(of report: Report, _ kinds: Set<String>) -> Counts {
    var counts = Counts()
    for stage in report.stages where kinds.contains(stage.kind) {
      for line in stage.lines {
        for outcome in line.outcomes where outcome.count > 0 {
          let place = Place(stage: stage.kind, entity: line.name, name: outcome.name)
          counts.add(outcome.count, at: place)
        }
      }
    }
    return counts
  }

  private static func findings(of report: Report, _ kinds: Set<String>) -> Counts {
    var counts = Counts()
    for stage in report.stages where kinds.contains(stage.kind) {
      for finding in stage.findings {
        counts.add(1, at: Place(stage: stage.kind, entity: finding.entity, name: finding.code))
      }
    }
    return counts
  }

  private static func changes(_ before: Counts, _ now: Counts) -> [Change] {
    let places = now.order + before.order.filter { now.numbers[$0] == nil }
    return places.compactMap { place in
      let (old, new) = (before.numbers[place] ?? 0, now.numbers[place] ?? 0)
      guard old != new else { return nil }
      return Change(
        stage: place.stage,
        entity: place.entity,
        name: place.name,
        before: old,
        now: new
      )
    }
  }

  var value: JSONValue {
    .object([
      "statusBefore": .count(statusBefore), "outcomes": .array(outcomes.map(Self.value)),
      "findings": .array(findings.map(Self.value)),
      "uncompared": .array(
        uncompared.map { .object(["stage": .string($0.stage), "now": .boolean($0.isNow)]) }
      ),
    ])
  }

  /// Which stages were not compared, in words.
  var uncomparedWords: [String] {
    uncompared.map {
      "Not compared: \($0.stage), which only \($0.isNow ? "this" : "the earlier") report has."
    }
  }

  private static func value(of change: Change) -> JSONValue {
    .object([
      "stage": .string(change.stage), "entity": .text(change.entity), "name": .string(change.name),
      "before": .count(change.before), "now": .count(change.now),
    ])
  }
}
