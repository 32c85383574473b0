package import JSONText
package import PackageStages
import RecordUpgrades
package import SchemaChanges
import ExportPackage
import Records

/// What an upgrade came to, for a person and for a machine.
package enum UpgradeText {
  package static func lines(of result: UpgradeResult) -> [String] {
    guard let package = result.package else {
      return ["the package is of the newest version already; nothing was written"]
    }
    let verb = result.alreadyExisted ? "the same package exists already" : "package written"
    var lines = ["\(verb): \(package.path)"]
    for line in result.lines {
      let rejected = line.rejectedCount == 0 ? "" : ", \(line.rejectedCount) rejected"
      let versions = line.schemas.joined(separator: " → ")
      lines.append("  \(line.entity): \(line.recordCount) records\(rejected)  \(versions)")
      for (step, count) in line.steps {
        lines.append("    \(step.kind): \(step.words)  (\(count) records)")
      }
    }
    for note in result.leftOut { lines.append("  left out: “\(note.member)”: \(note.note)") }
    return lines.map(\.plainForTerminal) + ValidationText.lines(of: result.validation)
  }

  package static func value(of result: UpgradeResult) -> JSONValue {
    .object([
      "type": "upgrade", "package": .text(result.package?.path),
      "entities": .list(result.lines) { line in
        [
          "entity": .string(line.entity.text),
          "schemas": .array(line.schemas.map { .string($0) }),
          "records": .whole(line.recordCount), "rejected": .whole(line.rejectedCount),
          "steps": .array(line.steps.map { $0.step.json(count: $0.count) }),
        ]
      },
      "leftOut": .array(
        result.leftOut.map { .object(["member": .string($0.member), "note": .string($0.note)]) }
      ),
      "validation": ValidationText.value(of: result.validation),
    ])
  }
}

/// How schemas have changed, for a person and for a machine.
package enum SchemaChangeText {
  package static func lines(of comparison: SchemaComparison) -> [String] {
    var lines: [String] = []
    for effect in [SchemaChange.Effect.breaking, .unclear, .compatible] {
      for change in comparison.changes where change.effect == effect {
        let pointer = change.pointer.isEmpty ? "" : " \(change.pointer)"
        lines.append("\(effect.rawValue): \(change.schema)\(pointer): \(change.cause)")
        lines.append("    \(change.reason)")
      }
    }
    let breaking = comparison.changes.count(where: \.isBreaking)
    let changes = comparison.changes.count
    lines.append(
      changes == 0
        ? "no change that concerns data"
        : "\(changes) \(changes == 1 ? "change" : "changes"), \(breaking) breaking"
    )
    return lines.map(\.plainForTerminal)
  }

  package static func value(of comparison: SchemaComparison) -> JSONValue {
    .object([
      "type": "schema-diff", "breaking": .boolean(comparison.isBreaking),
      "compared": .whole(comparison.comparedCount),
      "changes": .list(comparison.changes) { change in
        var object: JSONObject = [
          "schema": .string(change.schema), "pointer": .string(change.pointer),
          "keyword": .string(change.keyword), "effect": .string(change.effect.rawValue),
          "cause": .string(change.cause), "reason": .string(change.reason),
        ]
        object["old"] = change.old
        object["new"] = change.new
        return .object(object)
      },
    ])
  }
}
