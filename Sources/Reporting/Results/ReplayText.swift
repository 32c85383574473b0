import ExportPackage
package import JSONText
package import PackageStages
import Records

/// What a replay of repaired records came to.
package enum ReplayText {
  package static func lines(of result: ReplayResult) -> [String] {
    var table = TextTable(heading: ["", "repaired", "refused", "as they were"])
    for line in result.lines {
      table.add([
        line.entity.text, String(line.repairedCount), String(line.refusedCount),
        String(line.untouchedCount),
      ])
    }
    var lines = table.lines
    for finding in result.refused {
      let place = finding.file.map { "\($0):\(finding.line ?? 0): " } ?? ""
      lines.append("  \(place)\(SummaryText.line(of: finding))")
      lines.append("    cure: \(finding.cure)")
    }
    if let package = result.package {
      lines.append("new package: \(package.path)")
      lines += ValidationText.lines(of: result.validation)
    } else {
      lines.append("no record was repaired, so there is no new package")
    }
    return lines.map(\.plainForTerminal)
  }

  package static func value(of result: ReplayResult) -> JSONValue {
    .object([
      "type": "replay",
      "package": result.package.map { .string($0.path) } ?? .null,
      "digest": result.package.map { .string($0.digest.description) } ?? .null,
      "entities": .array(
        result.lines.map { line in
          .object([
            "entity": .string(line.entity.text),
            "repaired": .number(JSONNumber(Int64(line.repairedCount))),
            "refused": .number(JSONNumber(Int64(line.refusedCount))),
            "untouched": .number(JSONNumber(Int64(line.untouchedCount))),
          ])
        }
      ),
      "findings": .array(result.refused.map(SummaryJSON.value)),
      "validation": result.package == nil ? .null : ValidationText.value(of: result.validation),
    ])
  }
}
