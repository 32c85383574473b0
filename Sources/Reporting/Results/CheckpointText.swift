package import Checkpoint
package import JSONText
import Records
import TextCodecs
import UploadPlanning

/// What checkpoints hold, for a person and for a machine.
package enum CheckpointText {
  /// A run: how far it came, and what it belongs to.
  package static func value(
    of facts: RunFacts,
    _ binding: CheckpointBinding
  ) -> JSONValue {
    let run = facts.run
    var operations = JSONObject()
    for state in Operation.State.allCases {
      operations[state.rawValue] = .whole(facts.operations[state] ?? 0)
    }
    return .object([
      "run": .string(run.id), "kind": .string(run.kind.rawValue),
      "stage": .string(run.stage.rawValue), "undoes": .text(run.undoes),
      "startedAt": .string(day(run.startedAt)), "finishedAt": .text(run.finishedAt.map(day)),
      "operations": .object(operations), "refused": .whole(facts.refusedCount),
      "conflicts": .whole(facts.conflictCount), "findings": .whole(facts.findingCount),
      "package": .string(run.packagePath), "account": .string(binding.account),
      "destination": .string(binding.origin), "store": .string(binding.store),
      "profile": .string(binding.profile),
    ])
  }

  /// A moment in UTC.
  private static func day(_ seconds: Int64) -> String { Timestamp.text(secondsSince1970: seconds) }

  // MARK: - Checkpoints

  package static func lines(of view: CheckpointView, _ facts: CheckpointFacts) -> [String] {
    let binding = view.binding
    var lines = [
      view.path, "  format \(facts.format), profile \(binding.profile), store \(binding.store)",
      "  account \(binding.account) at \(binding.origin)",
    ]
    let unfinished = facts.runs.filter {
      $0.run.stage == .planning || $0.run.stage == .executing
    }
    lines.append("  \(facts.runs.count) runs, \(unfinished.count) unfinished")
    for facts in unfinished {
      lines.append("    \(facts.run.id): \(facts.settledCount) of \(facts.operationCount) settled")
    }
    var table = TextTable(heading: ["", "at the destination", "rolled back"])
    for holding in facts.holdings {
      table.add([
        holding.entity.text, String(holding.atDestination),
        TextTable.figure(holding.rolledBack),
      ])
    }
    return (lines + (table.isEmpty ? [] : table.lines)).map(\.plainForTerminal)
  }

  package static func value(
    of view: CheckpointView,
    _ facts: CheckpointFacts
  ) -> JSONValue {
    .object([
      "path": .string(view.path), "format": .whole(facts.format),
      "profile": .string(view.binding.profile), "store": .string(view.binding.store),
      "account": .string(view.binding.account), "destination": .string(view.binding.origin),
      "runs": .array(facts.runs.map { value(of: $0, view.binding) }),
      "entities": .list(facts.holdings) { holding in
        [
          "entity": .string(holding.entity.text), "atDestination": .whole(holding.atDestination),
          "rolledBack": .whole(holding.rolledBack),
        ]
      },
    ])
  }

  /// One row of an export.
  package static func value(of line: CheckpointLine) -> JSONValue {
    var object: JSONObject = ["table": .string(line.table)]
    for (name, value) in line.columns {
      object[name] =
        switch value {
        case .nothing: .null
        case .integer(let number): .whole(number)
        case .text(let text): .string(text)
        case .digest(let bytes): .string(Digest(bytes: bytes)?.description ?? "")
        case .withheld(let count): .object(["bytes": .whole(count)])
        }
    }
    return .object(object)
  }
}
