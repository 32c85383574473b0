import Checkpoint
import GRDB

/// What may be wrong inside a checkpoint that SQLite can read, and what mends it.
enum CheckpointDamage {
  /// The tables of a checkpoint, by name.
  static func tables(in database: Database, schema: String = "main") throws -> [String] {
    try String.fetchAll(database, sql: "\(names(in: schema)) ORDER BY name")
  }

  /// What selects the names of the tables.
  static func names(in schema: String) -> String {
    """
    SELECT name FROM \(schema).sqlite_master
    WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'
    """
  }

  private static let knownTables: Set<String> = [
    "meta", "run", "operation", "record", "seen", "mark", "tally", "finding", "choice", "flag",
    "image", "image_kept", "record_kept", "taken_over", "superseded", "remote_content",
    "queued_row", "left_out", "differing", "change", "profile", "long_text", "long_text_piece",
  ]

  /// Why the checkpoint cannot be mended without guessing; nothing where it can.
  static func beyondRepair(in database: Database) throws -> [String] {
    var reasons = try String.fetchAll(database, sql: "PRAGMA integrity_check(100)")
      .flatMap { $0.split(separator: "\n").map(String.init) }
      .filter { !isAboutIndexes($0) }
      .map { "SQLite says: \($0)" }
    guard reasons.isEmpty else { return reasons }
    let tables = try Set(tables(in: database))
    let missing = knownTables.subtracting(tables).sorted()
    reasons += missing.map { "the table \($0) is gone" }
    reasons += tables.subtracting(knownTables).sorted().map { "there is no table \($0)" }
    guard reasons.isEmpty else { return reasons }
    for name in ["store", "origin", "account", "profile", "epoch"]
    where try CheckpointFile.fact(name, in: database).isEmpty {
      reasons.append("it does not say its \(name)")
    }
    for (words, rows) in guesses {
      let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(rows)") ?? 0
      if count > 0 { reasons.append("\(count) \(words)") }
    }
    return reasons
  }

  /// Whether a line of SQLite's check speaks of what a copy of the tables mends: indexes that do
  /// not agree with them, and pages that nothing uses.
  private static func isAboutIndexes(_ line: String) -> Bool {
    line == "ok" || line.hasPrefix("*** in database") || line.contains("missing from index")
      || line.contains("wrong # of entries in index") || line.hasSuffix("is never used")
      || line.contains("reelist: size is")
  }

  /// Rows about which only a guess could decide.
  private static let guesses = [
    (
      words: "runs are at a stage that no version knows",
      rows: "run WHERE stage NOT IN ('planning','executing','finished','abandoned')"
    ),
    (
      words: "operations are in a state that no version knows",
      rows: """
      operation WHERE state NOT IN
      ('planned','begun','confirmed','adopted','rejected','conflicted','unknown')
      """
    ),
    (
      words: "operations that may have been sent belong to no run",
      rows: """
      operation WHERE run NOT IN (SELECT number FROM run)
      AND NOT (state = 'planned' AND begun_at IS NULL)
      """
    ),
    (
      words: "places at the destination are those of more than one record",
      rows: """
      (SELECT 1 FROM record WHERE server_id IS NOT NULL GROUP BY entity, server_id
      HAVING count(*) > 1)
      """
    ),
    (
      words: "runs have requests without an answer, and only one may be gone on with",
      rows: """
      (SELECT DISTINCT run FROM operation WHERE state IN ('begun','unknown')
      ORDER BY run LIMIT -1 OFFSET 1)
      """
    ),
    (
      words: "records have a torn digest, and no operation has the whole one",
      rows: "record WHERE \(torn) AND NOT EXISTS (\(lastConfirmed("1")))"
    ),
  ]

  private static let torn = "(length(record.content) <> 32 OR length(record.request_digest) <> 32)"

  /// The last operation that sent a record to where it is.
  private static func lastConfirmed(_ column: String) -> String {
    """
    SELECT \(column) FROM operation WHERE operation.entity = record.entity
    AND operation.key = record.key AND operation.state IN ('confirmed','adopted')
    AND operation.server_id IS record.server_id
    AND length(operation.content) = 32 AND length(operation.request_digest) = 32
    ORDER BY operation.number DESC LIMIT 1
    """
  }

  private static let neverSent = "state = 'planned' AND begun_at IS NULL"
  private static let inFlight = "state IN ('begun','unknown')"

  /// The steps, in their order; each says how many rows it was about.
  private static let steps: [(words: String, sql: String)] = [
    (
      "operations of no run were dropped: none of them was ever sent",
      "DELETE FROM operation WHERE run NOT IN (SELECT number FROM run) AND \(neverSent)"
    ),
    (
      "operations of finished runs were dropped: none of them was ever sent",
      """
      DELETE FROM operation WHERE \(neverSent)
      AND run IN (SELECT number FROM run WHERE stage = 'finished')
      """
    ),
    (
      "finished runs were opened again: the outcome of their requests is looked up by the next run",
      """
      UPDATE run SET stage = 'executing', finished_at = NULL WHERE stage = 'finished'
      AND number IN (SELECT run FROM operation WHERE \(inFlight) OR state = 'planned')
      """
    ),
    (
      "records got the digest of their last confirmed operation",
      """
      UPDATE record SET content = (\(lastConfirmed("operation.content"))),
      request_digest = (\(lastConfirmed("operation.request_digest"))) WHERE \(torn)
      """
    ),
  ]

  /// Runs that are not finished, where there are more than one: what was never sent is given up, and
  /// the one that may have requests on their way, else the newest, is gone on with.
  private static let unfinished: [(words: String, sql: String)] = [
    (
      "operations of older runs were dropped: none of them was ever sent",
      "DELETE FROM operation WHERE \(neverSent) AND run IN (\(older))"
    ),
    (
      "older runs were closed: all that they sent has its answer",
      """
      UPDATE run SET stage = 'abandoned', finished_at = started_at WHERE number IN (\(older))
      AND NOT EXISTS (SELECT 1 FROM operation WHERE operation.run = run.number
        AND operation.state IN ('planned','begun','unknown'))
      """
    ),
  ]

  private static let open = "SELECT number FROM run WHERE stage IN ('planning','executing')"

  private static let older = """
    SELECT number FROM run WHERE stage IN ('planning','executing') AND number <> coalesce(
      (SELECT max(run) FROM operation WHERE \(inFlight)), (SELECT max(number) FROM (\(open))))
    """

  /// Mends rows, all or none; gives what was done.
  static func mendRows(in database: Database) throws -> [String] {
    var done: [String] = []
    func apply(_ list: [(words: String, sql: String)]) throws {
      for step in list {
        try database.execute(sql: step.sql)
        if database.changesCount > 0 { done.append("\(database.changesCount) \(step.words)") }
      }
    }
    try database.inTransaction(.immediate) {
      try CheckpointFile.moveOutcomes(in: database)
      try apply(steps)
      if try Int.fetchOne(database, sql: "SELECT count(*) FROM (\(open))") ?? 0 > 1 {
        let closed = try Int64.fetchAll(database, sql: older)
        try apply(unfinished)
        // What was dropped had put its images in the place of others.
        for run in closed {
          try CheckpointFile.endConcessions(ofRun: run, .givenUp, in: database)
          try CheckpointFile.returnImages(ofRun: run, in: database)
        }
      }
      return .commit
    }
    return done
  }
}
