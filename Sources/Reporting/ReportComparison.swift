import JSONText
import Records

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

  private static func unique<Element: Hashable>(_ elements: [Element]) -> [Element] {
    elements.grouped { $0 }.map(\.key)
  }

  private struct Place: Hashable {
    let stage: String
    let entity: String?
    let name: String
  }

  private typealias Count = (place: Place, count: Int)

  private static func outcomes(of report: Report, _ kinds: Set<String>) -> [Count] {
    report.stages.filter { kinds.contains($0.kind) }.flatMap { stage in
      stage.lines.flatMap { line in
        line.outcomes.filter { $0.count > 0 }.map { outcome in
          (
            place: Place(stage: stage.kind, entity: line.name, name: outcome.name),
            count: outcome.count
          )
        }
      }
    }
  }

  private static func findings(of report: Report, _ kinds: Set<String>) -> [Count] {
    report.stages.filter { kinds.contains($0.kind) }.flatMap { stage -> [Count] in
      let counted = stage.ruleCounts.sorted {
        ($0.key.entity?.text ?? "", $0.key.code) < ($1.key.entity?.text ?? "", $1.key.code)
      }
      let listed = stage.findings.filter { stage.ruleCounts[$0.rule] == nil }
      return counted.map { rule, count in
        (place: Place(stage: stage.kind, entity: rule.entity?.text, name: rule.code), count: count)
      }
        + listed.map { finding in
          (
            place: Place(stage: stage.kind, entity: finding.entity?.text, name: finding.code),
            count: 1
          )
        }
    }
  }

  private static func changes(_ before: [Count], _ now: [Count]) -> [Change] {
    func sums(_ counts: [Count]) -> [Place: Int] {
      counts.reduce(into: [:]) { $0[$1.place, default: 0] += $1.count }
    }
    let (old, new) = (sums(before), sums(now))
    return unique((now + before).map(\.place)).compactMap { place in
      let (before, now) = (old[place] ?? 0, new[place] ?? 0)
      guard before != now else { return nil }
      return Change(
        stage: place.stage,
        entity: place.entity,
        name: place.name,
        before: before,
        now: now
      )
    }
  }

  var value: JSONValue {
    .object([
      "statusBefore": .whole(statusBefore), "outcomes": .array(outcomes.map(Self.value)),
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
      "before": .whole(change.before), "now": .whole(change.now),
    ])
  }
}
