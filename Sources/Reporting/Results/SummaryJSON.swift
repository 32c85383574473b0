import Checkpoint
package import JSONText
package import Migration
package import Records
import UploadPlanning

/// The same facts as JSON objects, each with a `type`.
package enum SummaryJSON {
  package static func value(of summary: RunSummary, kind: String) -> JSONValue {
    var object: JSONObject = [
      "type": .string(kind),
      "run": .string(summary.run.id),
      "stage": .string(summary.run.stage.rawValue),
      "records": .array(summary.records.map(value)),
      "media": .array(summary.media.map(value)),
      "findings": .array(summary.findings.map(value)),
    ]
    if kind == "plan" { object["operations"] = operations(of: summary) }
    return .object(object)
  }

  /// How many operations of each kind a plan has, by entity.
  private static func operations(of summary: RunSummary) -> JSONValue {
    .array(
      summary.actions.sorted { $0.key < $1.key }.map { entity, counts in
        var object: JSONObject = ["entity": .string(entity.text)]
        for action in Operation.Action.allCases where counts[action, default: 0] > 0 {
          object[action.rawValue] = number(counts[action, default: 0])
        }
        return .object(object)
      }
    )
  }

  private static func value(of line: RunSummary.Line) -> JSONValue {
    var object: JSONObject = ["entity": .string(line.entity.text), "read": number(line.total)]
    for bucket in Bucket.allCases {
      object[bucket.rawValue] = number(line.buckets[bucket] ?? 0)
    }
    return .object(object)
  }

  package static func value(of report: VerificationReport) -> JSONValue {
    .object([
      "type": "verification",
      "clean": .boolean(report.isClean),
      "entities": .array(
        report.lines.map { line in
          .object([
            "entity": .string(line.entity.text), "same": number(line.sameCount),
            "different": number(line.differentCount),
            "conflicted": number(line.conflictedCount), "missing": number(line.missingCount),
            "unsent": number(line.unsentCount), "surplus": number(line.surplusCount),
            "leftOut": number(line.leftOutCount),
          ])
        }
      ),
      "findings": .array(report.findings.map(value)),
    ])
  }

  package static func value(of finding: Finding) -> JSONValue {
    var object: JSONObject = [
      "code": .string(finding.code), "severity": .string(finding.severity.rawValue),
      "cause": .string(finding.spokenCause), "cure": .string(finding.cure),
      "pointer": .string(finding.pointer),
    ]
    if let entity = finding.entity { object["entity"] = .string(entity.text) }
    if let record = finding.record { object["record"] = .string(record) }
    if let file = finding.file { object["file"] = .string(file) }
    if let line = finding.line { object["line"] = number(line) }
    return .object(object)
  }

  private static func number(_ count: Int) -> JSONValue {
    .number(JSONNumber(Int64(count)))
  }
}
