package import GRDB

/// The tables of a checkpoint, in pages that carry a checksum; see `CheckedPages`.
///
/// | table | one row is |
/// |---|---|
/// | `meta` | a fact about the whole file: format, binding, epoch |
/// | `profile` | a profile that a run began with, its short forms and defaults written out |
/// | `run` | a run, an upload or a rollback, and the profile that it ends, and is rolled back, with |
/// | `operation` | one thing a run does, and how often its request was begun again; see `Operation` |
/// | `record` | what is known of a record: where it is at the destination, with which content; see `PendingRecordStates` |
/// | `seen` | an identity that was at the account when a run read it, before its own operations |
/// | `tally` | how many records of an entity a run put into a bucket without an operation |
/// | `choice` | what a person chose for a run that another plan would come of without |
/// | `flag` | a flag of the command that began a run, for later commands about the run |
/// | `image` | what a record said, and what was sent in its place, when both sides last agreed |
/// | `image_kept` | an image in whose place a run put that of what it was to bring, or left to the destination |
/// | `record_kept` | what was known of a record to which a run that has not reported it left the destination's state |
/// | `taken_over` | a record of which a run took the destination's content for agreed that no run had sent there |
/// | `superseded` | which fields a run took for agreed without sending them, and which were agreed on before |
/// | `remote_content` | what the destination has in the place of a record and the app does not; see `RemoteContent` |
/// | `queued_row` | a row of the app's queue of changes, and what the last plan made of it; see `QueuedRow` |
/// | `left_out` | a record that a plan left out, or all records of an entity; see `LeftRecord` |
/// | `differing` | a record that the last verification found missing, different or not deleted; see `DifferingRecord` |
/// | `long_text` | a long text that values of other rows name; see ``KeptValue`` |
/// | `long_text_piece` | a piece of its content, kept as the values are |
/// | `change` | which fields an update of a plan changes, and what they held; only where a person asked for a plan |
/// | `finding` | something a person should know about a record of a run |
package enum CheckpointSchema {
  package static let format = 3
  /// “Fery”, so that `file` and a hex dump say what this is.
  package static let applicationID = 0x4665_7279

  package static let statements = """
    CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE profile (digest TEXT PRIMARY KEY, yaml TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE run (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      stage TEXT NOT NULL,
      package TEXT NOT NULL,
      package_path TEXT NOT NULL,
      undoes TEXT,
      profile TEXT NOT NULL REFERENCES profile(digest),
      started_at INTEGER NOT NULL,
      finished_at INTEGER
    );
    CREATE TABLE operation (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      run INTEGER NOT NULL REFERENCES run(number),
      phase INTEGER NOT NULL,
      entity TEXT NOT NULL,
      key TEXT NOT NULL,
      action TEXT NOT NULL,
      content BLOB NOT NULL,
      request_digest BLOB NOT NULL,
      request_key TEXT NOT NULL,
      state TEXT NOT NULL,
      server_id TEXT,
      version TEXT,
      precondition TEXT,
      before BLOB,
      file TEXT,
      offset INTEGER,
      length INTEGER,
      undoes INTEGER,
      code TEXT,
      reason TEXT,
      resend_count INTEGER NOT NULL DEFAULT 0,
      begun_at INTEGER,
      settled_at INTEGER
    );
    CREATE INDEX operation_by_run ON operation (run, phase, number);
    CREATE INDEX operation_by_record ON operation (entity, key);
    CREATE INDEX failed_by_record ON operation (entity, key) WHERE \(CheckpointFile.isOfFailure);
    CREATE TABLE record \(recordColumns);
    \(PlaceIndex.statement);
    CREATE TABLE seen (
      entity TEXT NOT NULL,
      server_id TEXT NOT NULL,
      PRIMARY KEY (entity, server_id)
    ) WITHOUT ROWID;
    CREATE TABLE mark (entity TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE tally (
      run INTEGER NOT NULL, entity TEXT NOT NULL, bucket TEXT NOT NULL, count INTEGER NOT NULL,
      PRIMARY KEY (run, entity, bucket)
    ) WITHOUT ROWID;
    CREATE TABLE finding (
      run INTEGER NOT NULL, code TEXT NOT NULL, severity TEXT NOT NULL, entity TEXT, key TEXT,
      cause TEXT NOT NULL, cure TEXT NOT NULL
    );
    CREATE INDEX finding_by_run ON finding (run, entity, key);
    CREATE INDEX outcome_by_record ON finding (entity, key, run)
      WHERE \(CheckpointFile.isOfConflict);
    CREATE INDEX reversed_by_record ON finding (entity, key, run)
      WHERE \(ReversedChange.isOfReversed);
    CREATE TABLE choice (run INTEGER PRIMARY KEY, words TEXT NOT NULL);
    CREATE TABLE flag (
      run INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
      PRIMARY KEY (run, number)
    ) WITHOUT ROWID;
    CREATE TABLE image (
      entity TEXT NOT NULL, key TEXT NOT NULL, content BLOB NOT NULL, request_digest BLOB NOT NULL,
      base BLOB NOT NULL, sent BLOB,
      PRIMARY KEY (entity, key, content)
    ) WITHOUT ROWID;
    CREATE TABLE image_kept (
      run INTEGER NOT NULL, entity TEXT NOT NULL, key TEXT NOT NULL, content BLOB NOT NULL,
      request_digest BLOB NOT NULL, base BLOB NOT NULL, sent BLOB,
      PRIMARY KEY (run, entity, key, content)
    ) WITHOUT ROWID;
    CREATE TABLE record_kept (
      run INTEGER NOT NULL, entity TEXT NOT NULL, key TEXT NOT NULL, server_id TEXT, version TEXT,
      content BLOB, request_digest BLOB, origin TEXT, generation INTEGER, synced_at INTEGER,
      PRIMARY KEY (run, entity, key)
    ) WITHOUT ROWID;
    CREATE TABLE taken_over (
      entity TEXT NOT NULL, key TEXT NOT NULL, run INTEGER NOT NULL,
      PRIMARY KEY (entity, key, run)
    ) WITHOUT ROWID;
    CREATE TABLE superseded (
      entity TEXT NOT NULL, key TEXT NOT NULL, run INTEGER NOT NULL, earlier BLOB NOT NULL,
      agreed BLOB NOT NULL,
      PRIMARY KEY (entity, key, run)
    ) WITHOUT ROWID;
    CREATE TABLE remote_content (
      entity TEXT NOT NULL, key TEXT NOT NULL, run INTEGER NOT NULL, status TEXT NOT NULL,
      server_id TEXT NOT NULL, version TEXT, content BLOB, app_values BLOB NOT NULL, reason TEXT,
      PRIMARY KEY (entity, key)
    ) WITHOUT ROWID;
    CREATE TABLE long_text (
      number INTEGER PRIMARY KEY, digest BLOB NOT NULL, count INTEGER NOT NULL, size INTEGER NOT NULL,
      UNIQUE (digest, count, size)
    );
    CREATE TABLE long_text_piece (
      text INTEGER NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL,
      PRIMARY KEY (text, number)
    );
    CREATE TABLE queued_row (
      run INTEGER NOT NULL, entity TEXT NOT NULL, key TEXT NOT NULL, outcome TEXT NOT NULL,
      target_entity TEXT, target_key TEXT, reason TEXT, carried_by INTEGER,
      PRIMARY KEY (run, entity, key)
    ) WITHOUT ROWID;
    CREATE TABLE left_out (
      run INTEGER NOT NULL, entity TEXT NOT NULL, key TEXT NOT NULL, reason TEXT NOT NULL,
      count INTEGER NOT NULL,
      PRIMARY KEY (run, entity, key)
    ) WITHOUT ROWID;
    CREATE TABLE differing (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      entity TEXT NOT NULL, key TEXT NOT NULL, run INTEGER NOT NULL, reason TEXT NOT NULL,
      agreed BLOB, altered TEXT,
      UNIQUE (entity, key)
    );
    CREATE TABLE change (
      run INTEGER NOT NULL, entity TEXT NOT NULL, key TEXT NOT NULL, members TEXT NOT NULL,
      before BLOB,
      PRIMARY KEY (run, entity, key)
    ) WITHOUT ROWID;
    \(indexesOfTexts)
    """

  /// The columns whose values may name long texts, which ``CheckpointFile/dropUnnamedTexts(in:)`` goes through.
  static let valuesWithTexts = [("operation", "before"), ("image", "sent"), ("image_kept", "sent")]

  /// Whether the value in a column names long texts.
  static func namesTexts(_ column: String) -> String { "substr(\(column), 1, 1) = x'00'" }

  /// They hold few rows, or none, of tables that may be large.
  private static let indexesOfTexts = valuesWithTexts.map { table, column in
    "CREATE INDEX \(table)_naming_texts ON \(table) (entity) WHERE \(namesTexts(column));"
  }.joined(separator: "\n")

  static let recordColumns = """
    (
      entity TEXT NOT NULL,
      key TEXT NOT NULL,
      server_id TEXT,
      version TEXT,
      content BLOB NOT NULL,
      request_digest BLOB NOT NULL,
      origin TEXT NOT NULL,
      generation INTEGER NOT NULL,
      synced_at INTEGER,
      PRIMARY KEY (entity, key)
    ) WITHOUT ROWID
    """

  /// Whether a file is one that a run began to make and never wrote to.
  package static func isMissing(in database: Database) throws -> Bool {
    let format = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
    return format == 0 && tables == 0
  }

  /// Holds what a file says that it is against what this version of Ferry writes.
  ///
  /// - Throws: ``CheckpointError`` for what is no checkpoint, or has another format.
  package static func expectOurs(in database: Database, at path: String) throws {
    let kind = try Int.fetchOne(database, sql: "PRAGMA application_id")
    let format = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    guard kind == applicationID, format > 0 else {
      throw CheckpointError.notACheckpoint(path: path)
    }
    guard format == Self.format else {
      throw CheckpointError.otherFormat(path: path, format: format)
    }
  }

  /// Refuses what runs when it is read: a file that a person handed over may have anything in it.
  static func expectPlain(in database: Database, at path: String) throws {
    let count = try Int.fetchOne(
      database,
      sql: """
        SELECT count(*) FROM sqlite_master
        WHERE type NOT IN ('table', 'index') OR sql LIKE 'create virtual%'
        """
    )
    guard count == 0 else {
      throw CheckpointError.damaged(path: path, reason: "it holds more than tables")
    }
  }

  static func create(in database: Database, binding: CheckpointBinding) throws {
    try database.execute(sql: statements)
    try database.execute(sql: "PRAGMA application_id = \(applicationID)")
    try database.execute(sql: "PRAGMA user_version = \(format)")
    let facts = [
      ("store", binding.store), ("origin", binding.origin), ("account", binding.account),
      ("profile", binding.profile), ("epoch", "0"),
    ]
    for (name, value) in facts {
      try database.execute(
        sql: "INSERT INTO meta (name, value) VALUES (?, ?)",
        arguments: [name, value]
      )
    }
  }
}
