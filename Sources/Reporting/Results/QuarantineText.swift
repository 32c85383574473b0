package import JSONText
package import Quarantine
import Records

/// What is quarantined, for a person and for a machine.
package enum QuarantineText {
  /// A list of all there is.
  package static func lines(of folders: [QuarantineFolder]) -> [String] {
    guard !folders.isEmpty else { return ["nothing is quarantined"] }
    var table = TextTable(heading: ["package", "records", "of"])
    for folder in folders {
      table.add([
        folder.shortName, String(folder.recordCount),
        folder.counts.map { "\($0.count) \($0.entity)" }.joined(separator: ", "),
      ])
    }
    return table.lines.map(\.plainForTerminal)
  }

  /// One record, with its findings.
  package static func lines(of record: QuarantinedRecord) -> [String] {
    var lines = ["\(record.entity)/\(record.key ?? "?") (\(record.file):\(record.line))"]
    for finding in record.findings {
      let place = finding.pointer.isEmpty ? "" : "\(finding.pointer): "
      lines.append("  \(place)\(finding.messageCause) [\(finding.code)]")
      lines.append("    cure: \(finding.cure)")
    }
    return lines.map(\.plainForTerminal)
  }

  /// The same in its published form.
  package static func value(of record: QuarantinedRecord) -> JSONValue {
    QuarantinedRecord(
      entity: record.entity,
      key: record.key,
      file: record.file,
      line: record.line,
      findings: record.findings.map { finding in
        Finding(
          code: finding.code,
          severity: finding.severity,
          entity: finding.entity,
          record: finding.record,
          pointer: finding.pointer,
          file: finding.file,
          line: finding.line,
          cause: finding.messageCause,
          cure: finding.cure
        )
      }
    ).json
  }

  /// The most records that a report lists.
  package static let reportLimit = 1_000

  /// The records as a stage of a report, each with its findings and its fields; what these hold is in it only
  /// where values are quoted.
  package static func stage(
    of folder: QuarantineFolder
  ) throws(QuarantineError) -> JSONValue {
    let showsValues = MessageValues.areQuoted
    let records = try folder.contents(reportLimit)
    return [
      "type": "quarantined", "count": .whole(folder.recordCount),
      "records": .list(records) { record, content in
        [
          "entity": .string(record.entity.text), "record": .text(record.key),
          "findings": .array(record.findings.map(\.published)),
          "fields": .list(content.members) { member in
            [
              "name": .string(member.name),
              "content": member.value.content(showsValues: showsValues),
            ]
          },
        ]
      },
    ]
  }

  package static func value(of folder: QuarantineFolder) -> JSONValue {
    [
      "package": .string(folder.package.description), "path": .string(folder.path),
      "records": .whole(folder.recordCount),
      "entities": .list(folder.counts) { entity, count in
        ["name": .string(entity.text), "records": .whole(count)]
      },
    ]
  }
}
