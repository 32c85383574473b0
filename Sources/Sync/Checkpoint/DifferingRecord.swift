import CheckedDatabases
import GRDB
import JSONText
package import Records
package import UploadPlanning

/// A record that a verification found missing at the destination, different there, or not deleted.
package struct DifferingRecord: Hashable, Sendable {
  package let record: RecordID
  package let reason: String
  package let alteration: Alteration?

  /// What a destination made of fields that it was given: it showed them otherwise when they were first read back.
  package struct Alteration: Hashable, Sendable {
    /// The request digest of the content that it was given.
    package let agreed: Digest
    /// The digest of what it showed, of each field.
    package let fields: [String: Digest]

    package init(of agreed: Digest, fields: [String: Digest]) {
      self.agreed = agreed
      self.fields = fields
    }
  }

  package init(_ record: RecordID, reason: String, alteration: Alteration? = nil) {
    self.record = record
    self.reason = reason
    self.alteration = alteration
  }
}

extension CheckpointFile {
  /// A mark behind what verifications of any entity found so far; see ``forgetDiffering(of:upTo:)``.
  package func lastDiffering() throws(CheckpointError) -> Int64 {
    try value("SELECT max(number) FROM differing", []) ?? 0
  }

  /// Remembers what a verification found.
  ///
  /// A write-back says it until another upload is carried out, which looks at the destination itself, or
  /// until a rollback of the record.
  package func addDiffering(_ records: [DifferingRecord]) throws(CheckpointError) {
    guard !records.isEmpty else { return }
    try write { database in
      // Bound with its length: GRDB would end a key at its first zero character.
      let statement = try DirectStatement(
        """
        INSERT OR REPLACE INTO differing (entity, key, run, reason, agreed, altered)
        VALUES (?, ?, \(DifferingRecord.lastRun), ?, ?, ?)
        """,
        in: database
      )
      for differing in records {
        statement.bind(differing.record, at: 1)
        statement.bind(differing.reason, at: 3)
        statement.bind(differing.alteration?.agreed.bytes, at: 4)
        statement.bind(differing.alteration?.text, at: 5)
        try statement.run()
      }
    }
  }

  /// Forgets what earlier verifications of an entity found, once a later one has gone through all of it.
  ///
  /// Not before: a verification that is killed would leave a record that one found missing as synced.
  package func forgetDiffering(
    of entity: EntityName,
    upTo mark: Int64
  ) throws(CheckpointError) {
    try execute("DELETE FROM differing WHERE entity = ? AND number <= ?", [entity.text, mark])
  }

  // MARK: - What the destination altered

  /// The fields that the destination altered of what it was last given of a record, each with the digest of what
  /// it showed.
  package func altered(
    of record: RecordID,
    _ known: SyncState
  ) throws(CheckpointError) -> [String: Digest] {
    try read { database in
      let statement = try DirectStatement(
        "SELECT altered FROM differing WHERE entity = ? AND key = ? AND agreed = ?",
        in: database
      )
      defer { statement.reset() }
      statement.bind(record, at: 1)
      statement.bind(known.requestDigest, at: 3)
      guard try statement.step(), let text = try statement.textOrNull(0) else { return [:] }
      return try DifferingRecord.Alteration.fields(of: text)
    }
  }

  /// The keys of the records of an entity of which the destination altered fields.
  package func keysWithAltered(of entity: EntityName) throws(CheckpointError) -> Set<String> {
    try read { database in
      try String.fetchSet(
        database,
        sql: "SELECT key FROM differing WHERE entity = ? AND altered IS NOT NULL",
        arguments: [entity.text]
      )
    }
  }

  /// Whether the last run sent a record that no verification has gone through since.
  package func isFirstReadBack(of record: RecordID) throws(CheckpointError) -> Bool {
    try read { database in
      let statement = try DirectStatement(Self.firstReadBack, in: database)
      defer { statement.reset() }
      statement.bind(record, at: 1)
      statement.bind(Self.readBack, at: 3)
      return try statement.step()
    }
  }

  /// Notes that a verification has gone through all that runs sent.
  package func setReadBack() throws(CheckpointError) {
    try execute(
      "INSERT OR REPLACE INTO meta (name, value) VALUES (?, \(DifferingRecord.lastRun))",
      [Self.readBack]
    )
  }

  /// The fact that names the last run of which all was read back.
  private static let readBack = "read-back-run"

  private static let firstReadBack = """
    SELECT 1 FROM operation INDEXED BY operation_by_record JOIN run ON run.number = operation.run
    WHERE entity = ? AND key = ? AND state IN ('confirmed', 'adopted') AND run.kind = 'upload'
      AND run.number = \(DifferingRecord.lastRun)
      AND NOT EXISTS (SELECT 1 FROM meta WHERE name = ? AND value = CAST(run.number AS TEXT))
    LIMIT 1
    """
}

extension DifferingRecord.Alteration {
  fileprivate var text: String {
    var object = JSONObject()
    for (name, digest) in fields { object[name] = .string("\(digest)") }
    return JSONValue.object(object).canonicalText
  }

  /// - Throws: ``DamagedPart`` for a text that was not written as ``text`` is.
  fileprivate static func fields(of text: String) throws -> [String: Digest] {
    guard case .object(let object) = try? JSONValue(parsing: text) else {
      throw DamagedPart(reason: "what the destination altered is not whole")
    }
    return try object.members.reduce(into: [:]) { fields, member in
      guard let digest = member.value.text.flatMap(Digest.init(hexadecimal:)) else {
        throw DamagedPart(reason: "what the destination altered is not whole")
      }
      fields[member.name] = digest
    }
  }
}

extension DifferingRecord {
  /// The last run that was carried out, or begun; 0 where a verification planned one for itself alone.
  static let lastRun = "(SELECT coalesce(max(number), 0) FROM run WHERE stage <> 'planning')"

  /// Why the verification found another state of the record in `table`; null where it found none, or where
  /// a run acted since.
  static func difference(of table: String) -> String {
    """
    (SELECT reason FROM differing WHERE differing.entity = \(table).entity
      AND differing.key = \(table).key AND differing.run >= (
        SELECT max(number) FROM run WHERE kind = 'upload' AND stage <> 'planning')
      AND NOT EXISTS (SELECT 1 FROM operation INDEXED BY operation_by_record
        WHERE operation.entity = differing.entity AND operation.key = differing.key
          AND +operation.run > differing.run AND state = 'confirmed'))
    """
  }

  /// Gives what was found after a run that is dropped, which sent nothing, to the run before it.
  static func keep(afterRun number: Int64, in database: Database) throws {
    try database.execute(
      sql: "UPDATE differing SET run = \(lastRun) WHERE run = ?",
      arguments: [number]
    )
  }
}
