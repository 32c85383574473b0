package import JSONText
package import PackageStages
import Records
package import RowExport

/// What an export of rows came to, for a person and for a machine.
package enum RowExportText {
  package static func lines(of result: RowExportResult, _ export: ExportResult) -> [String] {
    var table = TextTable(heading: ["", "table", "rows", "rejected", "skipped"])
    for counts in result.tables {
      table.add([
        counts.entity.text, counts.name, String(counts.rows),
        TextTable.figure(Int64(counts.rejected)), TextTable.figure(Int64(counts.skipped)),
      ])
    }
    var lines = ["rows written: \(result.output)"] + table.lines
    for (entity, count) in result.unmapped.sorted(by: { $0.key.text < $1.key.text }) {
      lines.append("  \(entity): \(count) records have no table")
    }
    let more = result.findingCount - result.findings.count
    lines = lines.map(\.plainForTerminal) + SummaryText.findings(export.findings + result.findings)
    return more > 0 ? lines + ["  … and \(more) more"] : lines
  }

  package static func value(of result: RowExportResult, _ export: ExportResult) -> JSONValue {
    .object([
      "type": "rows", "output": .string(result.output), "form": .string(result.form.rawValue),
      "entities": .list(result.tables) { counts in
        [
          "entity": .string(counts.entity.text), "table": .string(counts.name),
          "rows": .whole(counts.rows), "rejected": .whole(counts.rejected),
          "skipped": .whole(counts.skipped),
        ]
      },
      "unmapped": .list(result.unmapped.sorted { $0.key.text < $1.key.text }) { entity, count in
        ["entity": .string(entity.text), "records": .whole(count)]
      },
      "findingCount": .whole(export.findings.count + result.findingCount),
      "findings": .array((export.findings + result.findings).map(\.published)),
    ])
  }
}
