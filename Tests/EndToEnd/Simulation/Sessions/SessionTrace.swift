import Checkpoint
import Execution
import Migration
import Reconciliation
import Records
import UploadPlanning
import Verification

/// What the commands of a history came to, in lines that two programs which do the same agree on.
///
/// A trace has the outcomes and findings of each run, what the app would write into its own store, what
/// verification counts, and what the destination holds. It has no identity, revision, time or number of a
/// run: rows are named by what they hold, and a value of another client by its place among those values.
struct SessionTrace: Sendable {
  private(set) var lines: [String] = []
  /// The values that other clients gave to records, in the order in which they were seen.
  private var foreignValues: [Int] = []

  /// Begins with what a history is made of.
  init(_ scenario: SessionScenario) {
    lines.append("policy \(scenario.conflictPolicy.rawValue)")
    for entity in SessionScenario.entities {
      let replay = scenario.replays[entity]?.rawValue ?? "-"
      let hasFeed = scenario.listsChanges[entity] ?? false
      lines.append(
        "repeat \(entity) \(replay) batch \(scenario.batchLimits[entity] ?? 1) feed \(hasFeed)"
      )
    }
    lines.append("versions \(scenario.checksVersions) batches \(scenario.batchesChanges)")
    lines.append("files \(scenario.files?.rawValue ?? "-") \(scenario.link)")
    lines += scenario.flaws.sorted().map { "refused by the destination \($0)" }
    for (number, package) in scenario.packages.enumerated() {
      lines += package.map { "package \(number) \($0.record) \(scenario.json($0))" }
    }
  }

  mutating func add(_ line: String) { lines.append(line) }

  /// Adds what the destination holds after an event.
  mutating func add(_ event: String, at server: any SessionBackend) {
    lines.append(event)
    addContent(of: server)
  }

  /// Adds what a command came to.
  mutating func add(
    _ command: String,
    _ result: RunResult,
    _ entries: [WriteBackEntry],
    at server: any SessionBackend
  ) {
    lines.append(command)
    for line in result.summary.records + result.summary.media {
      let buckets = line.buckets.filter { $0.value != 0 }
        .map { "\($0.key.rawValue) \($0.value)" }.sorted()
      guard !buckets.isEmpty else { continue }
      lines.append("outcome \(line.entity) \(buckets.joined(separator: " "))")
    }
    add(result.summary.findings, as: "finding", at: server)
    lines += entries.map { entry in
      "write-back \(entry.record) \(entry.status) \(entry.serverID == nil ? "without" : "with") ID"
    }
    addContent(of: server)
  }

  /// Adds what verification found.
  mutating func add(_ report: VerificationReport, at server: any SessionBackend) {
    lines.append("verification")
    for line in report.lines {
      lines.append(
        "verified \(line.entity) same \(line.sameCount) different \(line.differentCount)"
          + " conflicted \(line.conflictedCount) missing \(line.missingCount)"
          + " unsent \(line.unsentCount) surplus \(line.untrackedCount) out \(line.leftOutCount)"
      )
    }
    add(report.findings, as: "verify-finding", at: server)
  }

  private mutating func add(
    _ findings: [Finding],
    as kind: String,
    at server: any SessionBackend
  ) {
    let rows = server.rows
    let texts = findings.map { finding in
      let record = finding.record.map { key in rows.first { $0.id == key }?.name ?? key }
      return "\(kind) \(finding.code) \(finding.severity.rawValue) \(finding.entity?.text ?? "-")"
        + " \(record ?? "-") \(finding.pointer)"
    }
    lines += Set(texts).sorted()
  }

  private mutating func addContent(of server: any SessionBackend) {
    let rows = server.rows
    let new = Set(rows.map(\.value)).subtracting(foreignValues).filter { $0 >= 1_000 }
    foreignValues += new.sorted()
    func name(_ id: String?) -> String {
      guard let id else { return "-" }
      return rows.first { $0.id == id }?.name ?? "?"
    }
    func content(_ address: String?) -> String {
      guard let address else { return "-" }
      let digest = server.files.file(at: address)?.digest
      return digest.map { String($0.prefix(8)) } ?? "?"
    }
    let held = rows.map { row in
      let value = foreignValues.firstIndex(of: row.value).map { "other-\($0)" } ?? "\(row.value)"
      return "holds \(row.entity) \(row.name) value \(value) team \(name(row.team))"
        + " late \(name(row.late)) picture \(content(row.picture))"
        + " of \(row.maker.map { "\($0)" } ?? "others")"
    }
    lines += held.sorted()
    let files = server.files.all.map { file in
      "file \(String((file.digest ?? "-").prefix(8))) \(file.isConfirmed ? "confirmed" : "open")"
    }
    lines += files.sorted()
  }
}
