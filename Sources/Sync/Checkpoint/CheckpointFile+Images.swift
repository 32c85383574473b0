import CheckedDatabases
package import GRDB
package import Records
package import UploadPlanning

extension CheckpointFile {
  /// Keeps the images of a step of planning; of older ones only those stay of what is known of a record, and of
  /// changes that the destination refused since.
  ///
  /// What is adopted is known at once. What an operation brings is known once it is carried out: an image
  /// of the same line, in whose place it puts its own, is kept beside it.
  static func insertImages(
    of step: PlanStep,
    run: RunRecord,
    in database: Database
  ) throws {
    guard !step.images.isEmpty else { return }
    var planned = Set(step.operations.lazy.map(\.record))
    planned.subtract(step.adoptions.lazy.map(\.record))
    for image in step.images {
      if try hasImages(of: image.record, in: database) {
        try dropOldImages(of: image.record, in: database)
        if planned.contains(image.record) { try keepImage(before: image, run, in: database) }
      }
      try insert(image, in: database)
    }
  }

  /// Whether any image of a record is there.
  package func hasImages(of record: RecordID) throws(CheckpointError) -> Bool {
    try read { database in try Self.hasImages(of: record, in: database) }
  }

  private static func hasImages(of record: RecordID, in database: Database) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: "SELECT EXISTS (SELECT 1 FROM image WHERE entity = ? AND key = ?)"
    )
    return try Bool.fetchOne(statement, arguments: [record.entity.text, record.key]) ?? false
  }

  private static func dropOldImages(of record: RecordID, in database: Database) throws {
    try database.cachedStatement(
      sql: """
        DELETE FROM image WHERE entity = ?1 AND key = ?2 AND NOT EXISTS
          (SELECT 1 FROM record WHERE record.entity = ?1 AND record.key = ?2
            AND (record.content = image.content OR record.request_digest = image.request_digest))
          AND NOT EXISTS (SELECT 1 FROM operation AS refused INDEXED BY operation_by_record
            WHERE entity = ?1 AND key = ?2 AND refused.content = image.content AND \(isOpenRefusal("refused")))
        """
    ).execute(arguments: [record.entity.text, record.key])
  }

  private static func keepImage(
    before image: RecordImage,
    _ run: RunRecord,
    in database: Database
  ) throws {
    try database.cachedStatement(
      sql: """
        INSERT OR IGNORE INTO image_kept (run, entity, key, content, request_digest, base, sent)
        SELECT ?1, entity, key, content, request_digest, base, sent FROM image
        WHERE entity = ?2 AND key = ?3 AND content = ?4
        """
    ).execute(arguments: [
      run.number, image.record.entity.text, image.record.key, image.content.data,
    ])
  }

  private static func insert(_ image: RecordImage, in database: Database) throws {
    try database.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO image (entity, key, content, request_digest, base, sent)
        VALUES (?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      image.record.entity.text, image.record.key, image.content.data, image.requestDigest.data,
      image.base.databaseBlob, image.sent.map { $0.databaseBlob },
    ])
  }

  /// The image of a record as it was, or as the last run is to leave it, when its line had this digest, or
  /// `nil`.
  package func image(
    of record: RecordID,
    content: Digest
  ) throws(CheckpointError) -> RecordImage? {
    try read { database in
      let statement = try DirectStatement(
        """
        SELECT content, request_digest, base, sent FROM image
        WHERE entity = ? AND key = ? AND content = ?
        """,
        in: database
      )
      statement.bind(record, at: 1)
      statement.bind(content, at: 3)
      return try statement.step() ? RecordImage(record, statement) : nil
    }
  }

  /// The image of what is known of a record, when its fields had the digest `requestDigest`, or
  /// `nil`; that of the line with the digest `content`, if there are several.
  ///
  /// What an operation of the last run is to bring is not known before it is carried out: till then, the
  /// image that was kept beside it counts. A record that was made and not completed is known by the fields
  /// of its create, which no image has: there, that of the line counts, whose fields are all of them.
  package func image(
    of record: RecordID,
    requestDigest: Digest,
    content: Digest
  ) throws(CheckpointError) -> RecordImage? {
    try read { database in
      let statement = try DirectStatement(Self.knownImage, in: database)
      statement.bind(record, at: 1)
      statement.bind(requestDigest, at: 3)
      statement.bind(content, at: 4)
      return try statement.step() ? RecordImage(record, statement) : nil
    }
  }

  private static let knownImage = """
    SELECT content, request_digest, base, sent FROM (
      SELECT content, request_digest, base, sent, 1 AS is_kept FROM image_kept AS kept
      WHERE run = (SELECT max(number) FROM run) AND entity = ?1 AND key = ?2 AND \(isOfKnown)
        AND NOT \(isCarriedOut)
      UNION ALL
      SELECT content, request_digest, base, sent, 0 AS is_kept FROM image
      WHERE entity = ?1 AND key = ?2 AND \(isOfKnown)
    ) ORDER BY request_digest = ?3 DESC, content = ?4 DESC, is_kept DESC LIMIT 1
    """

  /// Whether an image has the known fields, or is of the line that made the record, where nothing
  /// that was done to it since is.
  private static let isOfKnown = """
    (request_digest = ?3 OR (content, 'create') = (
      SELECT content, action FROM operation AS last INDEXED BY operation_by_record
      WHERE entity = ?1 AND key = ?2 AND state IN ('confirmed', 'adopted') AND action <> 'discard'
        AND undoes IS NULL AND NOT EXISTS (
          SELECT 1 FROM operation AS undo INDEXED BY operation_by_record
          WHERE undo.entity = ?1 AND undo.key = ?2 AND undo.undoes = last.number
            AND undo.state IN ('confirmed', 'adopted') AND undo.action <> 'discard')
      ORDER BY number DESC LIMIT 1))
    """

  // MARK: - What is known after all

  /// Whether the run that kept the image `kept` sent what it was to put in its place, or left that to the
  /// destination.
  private static let isCarriedOut = """
    (EXISTS (SELECT 1 FROM operation WHERE operation.entity = kept.entity
      AND operation.key = kept.key AND +operation.run = kept.run
      AND operation.state IN ('confirmed', 'adopted')) OR \(isConceded))
    """

  /// Puts images back when run `number` is over: those in whose place it sent nothing, and those in
  /// whose place the run that it rolls back had sent something.
  ///
  /// All others stay kept, as the operations do that may be rolled back.
  package static func returnImages(ofRun number: Int64, in database: Database) throws {
    for rows in [notSent, rolledBack] {
      try database.execute(
        sql: """
          INSERT OR REPLACE INTO image (entity, key, content, request_digest, base, sent)
          SELECT entity, key, content, request_digest, base, sent FROM image_kept AS kept WHERE \(rows)
          """,
        arguments: [number]
      )
      try database.execute(
        sql: "DELETE FROM image_kept AS kept WHERE \(rows)",
        arguments: [number]
      )
    }
  }

  /// An image that a later run kept is newer; no run begins before the one before it is over, but in a
  /// damaged checkpoint.
  private static let notSent = """
    run = ?1 AND NOT \(isCarriedOut)
      AND NOT EXISTS (SELECT 1 FROM image_kept AS later WHERE later.run > ?1
        AND later.entity = kept.entity AND later.key = kept.key AND later.content = kept.content)
    """

  private static let rolledBack = """
    run = (SELECT number FROM run WHERE id = (SELECT undoes FROM run WHERE number = ?1))
      AND EXISTS (SELECT 1 FROM operation WHERE operation.entity = kept.entity
        AND operation.key = kept.key AND +operation.run = ?1 AND operation.state = 'confirmed'
        AND operation.action = 'restore')
    """
}

extension RecordImage {
  /// The image in a row of content, digest of the request, base and what was sent.
  fileprivate init(_ record: RecordID, _ row: DirectStatement) throws {
    guard let content = row.digest(0), let requestDigest = row.digest(1) else {
      throw DamagedPart(reason: "the digest of its image of \(record) is not whole")
    }
    guard let base = try row.bytesOrNull(2) else { throw UnreadableColumn(name: "base") }
    self.init(
      record: record,
      content: content,
      requestDigest: requestDigest,
      base: base,
      sent: try row.bytesOrNull(3)
    )
  }
}
