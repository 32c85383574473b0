import Checkpoint
package import CheckpointMending
package import JSONText
import Records

extension CheckpointText {
  /// What a repair came to.
  package static func lines(of outcome: CheckpointRepair.Outcome, file: String) -> [String] {
    switch outcome {
    case .sound: ["\(file): sound; nothing to repair".plainForTerminal]
    case .mended(let done, let kept):
      ["\(file): mended".plainForTerminal] + done.map { "  \($0)" }
        + ["  the old file is kept as \(kept)".plainForTerminal]
    case .refused(let findings):
      ["\(file): cannot be repaired without guessing; nothing was changed".plainForTerminal]
        + SummaryText.findings(findings)
    }
  }

  /// The same as JSON.
  package static func value(of outcome: CheckpointRepair.Outcome, file: String) -> JSONValue {
    var object: JSONObject = ["type": "checkpoint-repair", "path": .string(file)]
    switch outcome {
    case .sound: object["outcome"] = "sound"
    case .mended(let done, let kept):
      object["outcome"] = "mended"
      object["done"] = .array(done.map(JSONValue.string))
      object["kept"] = .string(kept)
    case .refused(let findings):
      object["outcome"] = "refused"
      object["findings"] = .array(findings.map(\.published))
    }
    return .object(object)
  }
}
