package import DestinationModel
package import JSONText
package import Planning
import Records

/// What was found out about a destination before anything is sent, as text and as JSON.
package enum PreflightText {
  /// The destination, then what was looked at.
  package static func lines(_ preflight: Preflight) -> [String] {
    ["\(preflight.origin.plainForTerminal):"] + lines(of: preflight.checks)
  }

  /// One line for each thing that was looked at, and one for each cure.
  package static func lines(of checks: [DestinationCheck]) -> [String] {
    checks.flatMap { check -> [String] in
      let entity = check.entity.map { " of \($0)" } ?? ""
      let line = "  \(word(check.verdict))  \(check.name)\(entity): \(check.detail)"
      return [line.plainForTerminal]
        + (check.cure.map { ["        cure: \($0)".plainForTerminal] } ?? [])
    }
  }

  private static func word(_ verdict: DestinationCheck.Verdict) -> String {
    switch verdict {
    case .fits: "fits "
    case .unmapped: "loss "
    case .unknown: "?    "
    case .unfit: "UNFIT"
    case .unreached: "later"
    }
  }

  package static func json(_ preflight: Preflight) -> JSONValue {
    [
      "type": "preflight", "destination": .string(preflight.origin),
      "account": .text(preflight.account),
      "fits": .boolean(preflight.isFit), "checks": json(of: preflight.checks),
    ]
  }

  /// Each thing that was looked at, with its verdict.
  package static func json(of checks: [DestinationCheck]) -> JSONValue {
    .array(
      checks.map { check -> JSONValue in
        [
          "name": .string(check.name), "entity": .text(check.entity?.text),
          "verdict": .string(check.verdict.rawValue), "detail": .string(check.detail),
          "cure": .text(check.cure),
        ]
      }
    )
  }
}
