import GRDB
import Records

// What a run leaves to the destination against the store's word is known at once, so that others can name
// the record. It is agreed on once the run that tells it has come to its end; till then, what was known
// before is kept beside it, and comes back when nobody carries the run out.

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
        INSERT OR IGNORE INTO record_kept (run, entity, key, server_id, version, content, wire, origin,
          generation, synced_at)
        SELECT ?1, ?2, ?3, server_id, version, content, wire, origin, generation, synced_at
        FROM (SELECT 1) LEFT JOIN record ON record.entity = ?2 AND record.key = ?3
        """
    ).execute(arguments: arguments)
    guard database.changesCount == 1 else { return }
    try database.cachedStatement(
      sql: """
        INSERT OR IGNORE INTO image_kept (run, entity, key, content, wire, base, sent)
        SELECT ?1, entity, key, content, wire, base, sent FROM image WHERE entity = ?2 AND key = ?3
        """
    ).execute(arguments: arguments)
  }

  /// Ends the concessions of a run that is over: they stand, or what was known before them is known again.
  ///
  /// Images that were kept are put back next; see ``returnImages(ofRun:in:)``.
  static func endConcessions(
    ofRun number: Int64,
    stand: Bool,
    in database: Database
  ) throws {
    for sql in (stand ? agreed : givenBack) + ["DELETE FROM record_kept WHERE run = ?1"] {
      try database.execute(sql: sql, arguments: [number])
    }
  }

  private static let agreed = [
    """
    DELETE FROM image_kept WHERE run = ?1
      AND (entity, key) IN (SELECT entity, key FROM record_kept WHERE run = ?1)
    """
  ]

  /// All images that a record had were kept, so that none of the others is its own.
  private static let givenBack = [
    """
    INSERT OR REPLACE INTO record (entity, key, server_id, version, content, wire, origin, generation,
      synced_at)
    SELECT entity, key, server_id, version, content, wire, origin, generation, synced_at
    FROM record_kept WHERE run = ?1 AND content IS NOT NULL
    """,
    """
    DELETE FROM record
    WHERE (entity, key) IN (SELECT entity, key FROM record_kept WHERE run = ?1 AND content IS NULL)
    """,
    "DELETE FROM image WHERE (entity, key) IN (SELECT entity, key FROM record_kept WHERE run = ?1)",
  ]

  /// Whether the run that kept the image `kept` put a concession in its place.
  static let isConceded = """
    EXISTS (SELECT 1 FROM record_kept AS conceded WHERE conceded.run = kept.run
      AND conceded.entity = kept.entity AND conceded.key = kept.key)
    """
}
