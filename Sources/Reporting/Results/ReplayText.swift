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
    lines += result.refused.flatMap(\.faultLines)
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
      "type": "replay", "package": .text(result.package?.path),
      "digest": .text(result.package?.digest.description),
      "entities": .list(result.lines) { line in
        [
          "entity": .string(line.entity.text), "repaired": .whole(line.repairedCount),
          "refused": .whole(line.refusedCount), "untouched": .whole(line.untouchedCount),
        ]
      },
      "findings": .array(result.refused.map(\.published)),
      "validation": result.package == nil ? .null : ValidationText.value(of: result.validation),
    ])
  }
}
