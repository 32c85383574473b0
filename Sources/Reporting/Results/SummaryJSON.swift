package import Checkpoint
package import Execution
package import JSONText
import Records
import UploadPlanning
package import Verification

/// What a run came to as JSON objects, each with a `type`.
package enum SummaryJSON {
  package static func value(of summary: RunSummary, kind: String) -> JSONValue {
    var object: JSONObject = [
      "type": .string(kind), "run": .string(summary.run.id),
      "stage": .string(summary.run.stage.rawValue), "records": .array(summary.records.map(value)),
      "media": .array(summary.media.map(value)),
      "findings": .array(summary.findings.map(\.published)),
      "findingCounts": counts(of: summary.findingCounts),
      "account": .string(summary.binding.account),
      "destination": .string(summary.binding.origin),
    ]
    object["rules"] = rules(summary.ruleCounts, listed: summary.findings.count)
    if kind == "plan" { object["operations"] = operations(of: summary) }
    return .object(object)
  }

  /// How many operations of each kind a plan has, by entity.
  private static func operations(of summary: RunSummary) -> JSONValue {
    .list(summary.actions.sorted { $0.key < $1.key }) { entity, counts in
      var object: JSONObject = ["entity": .string(entity.text)]
      for action in Operation.Action.allCases where counts[action, default: 0] > 0 {
        object[action.rawValue] = .whole(counts[action, default: 0])
      }
      return .object(object)
    }
  }

  private static func value(of line: RunSummary.Line) -> JSONValue {
    var object: JSONObject = ["entity": .string(line.entity.text), "read": .whole(line.total)]
    for bucket in RecordOutcome.allCases {
      object[bucket.rawValue] = .whole(line.buckets[bucket] ?? 0)
    }
    return .object(object)
  }

  /// What a verification came to, at the account and the destination of a checkpoint.
  package static func value(
    of report: VerificationReport,
    at binding: CheckpointBinding
  ) -> JSONValue {
    var object: JSONObject = [
      "type": "verification", "account": .string(binding.account),
      "destination": .string(binding.origin), "clean": .boolean(report.isClean),
      "entities": .list(report.lines) { line in
        [
          "entity": .string(line.entity.text), "same": .whole(line.sameCount),
          "different": .whole(line.differentCount), "conflicted": .whole(line.conflictedCount),
          "missing": .whole(line.missingCount), "unsent": .whole(line.unsentCount),
          "untracked": .whole(line.untrackedCount), "leftOut": .whole(line.leftOutCount),
        ]
      },
      "findings": .array(report.findings.map(\.published)),
      "findingCounts": counts(of: report.findingCounts),
    ]
    object["rules"] = rules(report.ruleCounts, listed: report.findings.count)
    return .object(object)
  }

  /// How many findings each rule has; `nil` where each finding is listed.
  static func rules(_ counts: [Finding.Rule: Int], listed: Int) -> JSONValue? {
    guard counts.values.reduce(0, +) > listed else { return nil }
    let ordered = counts.sorted {
      ($0.key.entity?.text ?? "", $0.key.code, $1.key.severity)
        < ($1.key.entity?.text ?? "", $1.key.code, $0.key.severity)
    }
    return .list(ordered) { rule, count in
      [
        "entity": .text(rule.entity?.text), "code": .string(rule.code),
        "severity": .string(rule.severity.rawValue), "count": .whole(count),
      ]
    }
  }

  private static func counts(of findings: [Finding.Severity: Int]) -> JSONValue {
    .counts(Dictionary(uniqueKeysWithValues: findings.map { ($0.key.rawValue, $0.value) }))
  }
}
