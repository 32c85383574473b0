import CheckedDatabases
package import GRDB
package import Records

// What a run leaves to the destination against the store's word is known at once, so that others can name
// the record. It is agreed on once the run that reports it has come to its end; till then, what was known
// before is kept beside it, and comes back when no one carries the run out. Where nothing was known
// before, the run may have made others that name what it left: its place stays, and the next run
// says what was left.

extension CheckpointFile {
  /// Keeps what is known of a record, and its images, before a run puts a concession in their place.
  static func keepKnown(
    of record: RecordID,
    _ run: RunRecord,
    in database: Database
  ) throws {
    let arguments: StatementArguments = [run.number, record.entity.text, record.key]
    try database.cachedStatement(
      sql: """
        INSERT OR IGNORE INTO record_kept (run, entity, key, server_id, version, content, request_digest, origin,
          generation, synced_at)
        SELECT ?1, ?2, ?3, server_id, version, content, request_digest, origin, generation, synced_at
        FROM (SELECT 1) LEFT JOIN record ON record.entity = ?2 AND record.key = ?3
        """
    ).execute(arguments: arguments)
    guard database.changesCount == 1 else { return }
    try database.cachedStatement(
      sql: """
        INSERT OR IGNORE INTO image_kept (run, entity, key, content, request_digest, base, sent)
        SELECT ?1, entity, key, content, request_digest, base, sent FROM image WHERE entity = ?2 AND key = ?3
        """
    ).execute(arguments: arguments)
  }

  /// What becomes of the concessions of a run that is over.
  package enum ConcessionEnd {
    /// The run reported them: they are settled.
    case agreed
    /// What was known before them is known again; all others stay, and wait to be reported.
    case givenUp
    /// What was known before them is known again, and of all others nothing.
    case dropped
  }

  /// Ends the concessions of a run that is over.
  ///
  /// Images that were kept are restored next; see ``returnImages(ofRun:in:)``.
  package static func endConcessions(
    ofRun number: Int64,
    _ end: ConcessionEnd,
    in database: Database
  ) throws {
    let statements =
      switch end {
      case .agreed: agreed
      case .givenUp: givenBack
      case .dropped: forgotten + givenBack
      }
    for sql in statements { try database.execute(sql: sql, arguments: [number]) }
  }

  /// Those that wait of earlier runs were reported by an upload that has come to its end.
  private static let reported = """
    (run = ?1 OR run < ?1 AND content IS NULL
      AND EXISTS (SELECT 1 FROM run AS ended WHERE ended.number = ?1 AND ended.kind = 'upload'))
    """

  private static let agreed = [
    """
    DELETE FROM image_kept
    WHERE (run, entity, key) IN (SELECT run, entity, key FROM record_kept WHERE \(reported))
    """,
    "DELETE FROM record_kept WHERE \(reported)",
  ]

  private static let wasKnown = "FROM record_kept WHERE run = ?1 AND content IS NOT NULL"
  private static let wasUnknown = "FROM record_kept WHERE run = ?1 AND content IS NULL"

  /// All images that a record had were kept, so that none of the others is its own.
  private static let givenBack = [
    """
    INSERT OR REPLACE INTO record (entity, key, server_id, version, content, request_digest, origin, generation,
      synced_at)
    SELECT entity, key, server_id, version, content, request_digest, origin, generation, synced_at \(wasKnown)
    """,
    "DELETE FROM image WHERE (entity, key) IN (SELECT entity, key \(wasKnown))",
    "DELETE FROM superseded WHERE run = ?1 AND (entity, key) IN (SELECT entity, key \(wasKnown))",
    "DELETE FROM taken_over WHERE run = ?1 AND (entity, key) IN (SELECT entity, key \(wasKnown))",
    "DELETE \(wasKnown)",
  ]

  private static let forgotten = [
    "DELETE FROM record WHERE (entity, key) IN (SELECT entity, key \(wasUnknown))",
    "DELETE FROM image WHERE (entity, key) IN (SELECT entity, key \(wasUnknown))",
    "DELETE \(wasUnknown)",
  ]

  /// Has a run say what earlier ones left and no report mentions.
  static func carryConcessions(toRun number: Int64, in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO finding (run, code, severity, entity, key, cause, cure)
        SELECT ?1, code, severity, entity, key, cause, cure FROM finding
        WHERE run IN (SELECT run FROM record_kept WHERE run < ?1 AND content IS NULL)
          AND code IN ('plan.conflict-kept-remote','plan.merged','plan.decided') AND (run, entity, key) IN
          (SELECT run, entity, key FROM record_kept WHERE run < ?1 AND content IS NULL)
        """,
      arguments: [number]
    )
  }

  /// Whether the last run left the destination's state of a record, and has not come to its end.
  package func isLeftByLastRun(_ record: RecordID) throws(CheckpointError) -> Bool {
    try read { database in
      let statement = try DirectStatement(
        """
        SELECT 1 FROM record_kept
        WHERE run = (SELECT max(number) FROM run) AND entity = ? AND key = ? LIMIT 1
        """,
        in: database
      )
      statement.bind(record, at: 1)
      return try statement.step()
    }
  }

  /// Whether the run that kept the image `kept` put a concession in its place.
  static let isConceded = """
    EXISTS (SELECT 1 FROM record_kept AS conceded WHERE conceded.run = kept.run
      AND conceded.entity = kept.entity AND conceded.key = kept.key)
    """
}
