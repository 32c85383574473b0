import CheckedDatabases
package import Checkpoint
import GRDB
package import Records
import UploadPlanning

extension CheckpointView {
  /// What is not sound about the checkpoint; nothing of it is changed.
  ///
  /// The checksums of the pages come first. Then SQLite's own check reads every table and every index.
  /// Then follow the rules that Ferry itself keeps, each of them a count of the rows that break it.
  package func faults() throws(CheckpointError) -> [Finding] {
    let pages = try damagedPages()
    guard pages.isEmpty else {
      return pages.map { Self.finding("checkpoint.damaged-page", CheckedPages.words(page: $0)) }
    }
    guard try isOfWritableForm() else {
      let words = "its header says that a newer SQLite wrote it, which no run can go on with"
      return [Self.finding("checkpoint.damaged-page", words)]
    }
    let said = try read { database in
      try CheckpointSchema.expectOurs(in: database, at: path)
      return try String.fetchAll(database, sql: "PRAGMA integrity_check(100)")
    }
    guard said == ["ok"] else {
      return said.map { Self.finding("checkpoint.damaged", "SQLite says: \($0)") }
    }
    let (tables, unknownTables) = try read { database in
      let tables = try Self.columns(in: database)
      return (tables, try Self.unknownParts(among: tables, in: database))
    }
    guard unknownTables.isEmpty else { return unknownTables }
    return try readRecords { database in
      let rows = try Self.unknownRows(of: tables, in: database)
      guard rows.isEmpty else { return rows }
      let broken = try Self.rules.compactMap { rule in
        let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(rule.rows)") ?? 0
        return count == 0 ? nil : Self.finding(rule.code, "\(count) \(rule.words)")
      }
      let missing = try CheckpointFile.missingTexts(in: database).count
      guard missing > 0 else { return broken }
      let words = "\(missing) long texts that its rows name are not there, or not whole"
      return broken + [Self.finding("checkpoint.missing-text", words)]
    }
  }

  /// The codes of damage that overwrote the content there before.
  static let lossCodes: Set = [
    "checkpoint.damaged-page", "checkpoint.unknown-table", "checkpoint.unknown-row",
  ]

  private static let rules = [
    (
      code: "checkpoint.unfinished-runs", words: "more runs than one are not finished",
      rows: """
      (SELECT 1 FROM run WHERE stage IN ('planning','executing') ORDER BY number LIMIT -1 OFFSET 1)
      """
    ),
    (
      code: "checkpoint.unknown-stage", words: "runs are at a stage that no version knows",
      rows: "run WHERE stage NOT IN ('planning','executing','finished','abandoned')"
    ),
    (
      code: "checkpoint.unknown-state", words: "operations are in a state that no version knows",
      rows: """
      operation WHERE state NOT IN
      ('planned','begun','confirmed','adopted','rejected','conflicted','unknown')
      """
    ),
    (
      code: "checkpoint.unknown-kind", words: "runs are of a kind that no version knows",
      rows: "run WHERE kind NOT IN ('upload','rollback')"
    ),
    (
      code: "checkpoint.unknown-action",
      words: "operations are of an action that no version knows",
      rows: """
      operation WHERE action NOT IN
      (\(Operation.Action.allCases.map { "'\($0.rawValue)'" }.joined(separator: ",")))
      """
    ),
    (
      code: "checkpoint.orphaned-operation", words: "operations belong to no run",
      rows: "operation WHERE run NOT IN (SELECT number FROM run)"
    ),
    (
      code: "checkpoint.open-operation", words: "operations of a finished run are not settled",
      rows: """
      operation JOIN run ON run.number = operation.run WHERE run.stage = 'finished'
      AND operation.state IN ('planned','begun','unknown')
      """
    ),
    (
      code: "checkpoint.torn-digest", words: "records have a digest that is not whole",
      rows: "record WHERE length(content) <> 32 OR length(request_digest) <> 32"
    ),
    (
      code: "checkpoint.torn-digest", words: "operations have a digest that is not whole",
      rows: "operation WHERE length(content) <> 32 OR length(request_digest) <> 32"
    ),
    (
      code: "checkpoint.torn-digest", words: "images have a digest that is not whole",
      rows: "image WHERE length(content) <> 32 OR length(request_digest) <> 32"
    ),
    (
      code: "checkpoint.torn-digest", words: "images have a digest that is not whole",
      rows: "image_kept WHERE length(content) <> 32 OR length(request_digest) <> 32"
    ),
    (
      code: "checkpoint.torn-digest",
      words: "records that are kept have a digest that is not whole",
      rows: "record_kept WHERE length(content) <> 32 OR length(request_digest) <> 32"
    ),
    (
      code: "checkpoint.torn-digest",
      words: "fields that were once agreed on have a digest that is not whole",
      rows: "superseded WHERE length(earlier) <> 32 OR length(agreed) <> 32"
    ),
    (
      code: "checkpoint.shared-place",
      words: "places at the destination are those of more than one record",
      rows: """
      (SELECT 1 FROM record WHERE server_id IS NOT NULL GROUP BY entity, server_id
      HAVING count(*) > 1)
      """
    ),
  ]

  static func finding(_ code: String, _ cause: String) -> Finding {
    Finding(
      code: code,
      severity: .error,
      cause: cause,
      cure: "keep a copy, move the checkpoint away and run again: what is at the account is adopted"
    )
  }
}
