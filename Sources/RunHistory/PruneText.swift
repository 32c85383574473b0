import Files
package import JSONText
import Records
import Reporting

/// What a removal does, for a person and for a machine.
package struct PruneText: Sendable {
  private let plan: PrunePlan
  private let isDryRun: Bool
  /// What a process had taken before it could be removed.
  private let left: [PruneItem]

  package init(_ plan: PrunePlan, isDryRun: Bool, left: [PruneItem] = []) {
    self.plan = plan
    self.isDryRun = isDryRun
    self.left = left
  }

  private var gone: [PruneItem] { plan.removed.filter { !left.contains($0) } }

  /// A line for each item, and what is lost with it or why it stays; the totals at the end.
  package var lines: [String] {
    var lines: [String] = []
    for item in gone {
      lines.append("\(isDryRun ? "would go" : "removed") \(title(item))")
      lines += item.needs.map { "  lost: \($0.loss)" }
    }
    for kept in plan.kept {
      lines.append("kept \(title(kept.item))")
      lines += kept.reasons.map { "  \($0)" }
    }
    lines += left.map { "kept \(title($0))\n  a process has taken it since" }
    if lines.isEmpty { lines = ["no package and no checkpoint lies in the state folder"] }
    lines.append("\(isDryRun ? "to be freed" : "freed"): \(Figures.bytes(freed))")
    return lines.flatMap { $0.split(separator: "\n") }.map { String($0).plainForTerminal }
  }

  package var value: JSONValue {
    .object([
      "type": "prune", "dryRun": .boolean(isDryRun), "freedBytes": .whole(freed),
      "removed": .array(gone.map { value($0, "lost", $0.needs.map(\.loss)) }),
      "kept": .array(
        plan.kept.map { value($0.item, "reasons", $0.reasons) }
          + left.map { value($0, "reasons", ["a process has taken it since"]) }
      ),
    ])
  }

  private var freed: Int64 { gone.reduce(0) { $0 + $1.byteCount } }

  private func title(_ item: PruneItem) -> String {
    "\(item.kind.rawValue) \(Folder.lastName(of: item.path)), \(Figures.bytes(item.byteCount))"
  }

  private func value(_ item: PruneItem, _ name: String, _ words: [String]) -> JSONValue {
    .object([
      "kind": .string(item.kind.rawValue), "path": .string(item.path),
      "bytes": .whole(item.byteCount), "runs": .array(item.runs.map(JSONValue.string)),
      name: .array(words.map(JSONValue.string)),
    ])
  }
}
