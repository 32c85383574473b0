package import JSONText
import ExportPackage
package import PackageStages
import Quarantine
import Records
import StoreFiles
import StoreReading

/// What an export came to, for a person and for a machine.
package enum ExportText {
  /// What an export came to; the package of a rehearsal is removed with it, and its place is of no use.
  package static func lines(of result: ExportResult, isRehearsal: Bool = false) -> [String] {
    let manifest = result.package.manifest
    var table = TextTable(heading: ["", "records", "rejected"])
    for entity in manifest.entities {
      table.add([
        entity.name.text, String(entity.records), TextTable.figure(entity.rejected),
      ])
    }
    var lines = [
      isRehearsal
        ? "package, for this dry run only:"
        : result.alreadyExisted
          ? "the package exists already: \(result.package.path)"
          : "package written: \(result.package.path)"
    ]
    lines += table.lines
    let states = mediaStates(manifest)
    if !states.isEmpty {
      let words = states.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
      lines.append("  media: \(words.joined(separator: ", "))")
    }
    if let fetch = result.fetch {
      let size = Figures.bytes(fetch.bytes)
      let left = fetch.failedCount == 0 ? "" : "; \(fetch.failedCount) could not be"
      let files = fetch.fileCount == 1 ? "file" : "files"
      lines.append("  fetched: \(fetch.fileCount) \(files), \(size)\(left)")
    }
    return lines.map(\.plainForTerminal) + SummaryText.findings(result.findings)
  }

  /// How many media files are present, missing, evicted, remote.
  private static func mediaStates(_ manifest: PackageManifest) -> [String: Int64] {
    var states: [String: Int64] = [:]
    for (name, count) in manifest.entities.flatMap(\.tallies) where name.hasPrefix("media.") {
      states[name.split(separator: ".").last.map(String.init) ?? name, default: 0] += count
    }
    return states
  }

  /// The bytes of an entity's records in the package.
  private static func bytes(of entity: EntityName, in manifest: PackageManifest) -> Int64 {
    manifest.files.filter { $0.entity == entity && $0.path.hasPrefix("data/") }
      .reduce(0) { $0 + $1.size }
  }

  package static func value(of result: ExportResult) -> JSONValue {
    let manifest = result.package.manifest
    var object: JSONObject = [
      "type": "export", "package": .string(result.package.path),
      "digest": .string(result.package.digest.description),
      "alreadyExisted": .boolean(result.alreadyExisted),
      "source": .list(result.sourceFiles) { file in
        [
          "name": .string(file.name), "bytes": .whole(file.byteCount),
          "sha256": .string(file.digest.description),
        ]
      },
      "entities": .list(manifest.entities) { entity in
        [
          "entity": .string(entity.name.text), "records": .whole(entity.records),
          "rejected": .whole(entity.rejected), "tallies": .counts(entity.tallies),
          "bytes": .whole(bytes(of: entity.name, in: manifest)),
        ]
      },
      "media": ["files": .whole(manifest.media.files), "bytes": .whole(manifest.media.bytes)],
      "findings": .array(result.findings.map(\.published)),
    ]
    object["fetch"] = result.fetch.map { fetch in
      [
        "files": .whole(fetch.fileCount), "bytes": .whole(fetch.bytes),
        "failed": .whole(fetch.failedCount),
      ]
    }
    return .object(object)
  }
}

/// What a validation came to.
package enum ValidationText {
  /// What a validation came to; a rehearsal quarantines nothing that anybody could look at.
  package static func lines(of report: ValidationReport, isRehearsal: Bool = false) -> [String] {
    var lines: [String] = []
    if report.isValid {
      lines.append("valid: \(Figures.count(report.recordCount, "record")), no fault")
    } else {
      let (faults, records) = (
        Figures.count(report.findingCount, "fault"), Figures.count(report.recordCount, "record")
      )
      lines.append("invalid: \(faults) in \(records)")
      lines += report.findings.flatMap(\.faultLines)
      if report.findingCount > report.findings.count {
        lines.append("  … and \(report.findingCount - report.findings.count) more")
      }
      if let quarantine = report.quarantine {
        let records = Figures.count(quarantine.recordCount, "record")
        lines +=
          isRehearsal
          ? ["would be quarantined: \(records)"]
          : [
            "quarantined: \(records) in \(quarantine.path)".plainForTerminal,
            "  repair: ferry quarantine show \(quarantine.shortName) -o FOLDER",
          ]
      }
    }
    return lines + SummaryText.findings(report.remarks)
  }

  package static func value(of report: ValidationReport) -> JSONValue {
    var object: JSONObject = [
      "type": "validation", "valid": .boolean(report.isValid),
      "faults": .whole(report.findingCount),
      "entities": .list(report.lines) { line in
        [
          "entity": .string(line.entity.text), "records": .whole(line.recordCount),
          "faulty": .whole(line.faultyCount),
        ]
      },
      "findings": .array((report.findings + report.remarks).map(\.published)),
      "quarantine": report.quarantine.map(QuarantineText.value) ?? .null,
    ]
    object["rules"] = SummaryJSON.rules(report.ruleCounts, listed: report.findings.count)
    return .object(object)
  }
}
