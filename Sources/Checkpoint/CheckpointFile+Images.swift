import struct Foundation.Data
import GRDB
package import Records

/// What a record said when it and the destination last agreed: the base of a later merge.
package struct RecordImage: Hashable, Sendable {
  package let record: RecordID
  /// The digests of the record's line and of its fields, by which the image is told to be its.
  package let content: Digest
  package let wire: Digest
  /// The fields, as canonical JSON, with references as the package has them.
  package let base: [UInt8]
  /// The fields in which the destination was given something else, as canonical JSON; `nil` for
  /// none.
  package let sent: [UInt8]?

  package init(
    record: RecordID,
    content: Digest,
    wire: Digest,
    base: [UInt8],
    sent: [UInt8]?
  ) {
    self.record = record
    self.content = content
    self.wire = wire
    self.base = base
    self.sent = sent
  }
}

extension CheckpointFile {
  /// Keeps an image; of older ones only those of what is known of the record stay.
  static func insert(_ image: RecordImage, in database: Database) throws {
    try database.cachedStatement(
      sql: """
        DELETE FROM image WHERE entity = ?1 AND key = ?2 AND NOT EXISTS
          (SELECT 1 FROM record WHERE record.entity = ?1 AND record.key = ?2
            AND (record.content = image.content OR record.wire = image.wire))
        """
    ).execute(arguments: [image.record.entity.text, image.record.key])
    try database.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO image (entity, key, content, wire, base, sent)
        VALUES (?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      image.record.entity.text, image.record.key, image.content.data, image.wire.data,
      image.base.databaseBlob, image.sent.map { $0.databaseBlob },
    ])
  }

  /// The image of a record as it was when its line had this digest, or `nil`.
  package func image(
    of record: RecordID,
    content: Digest
  ) throws(CheckpointError) -> RecordImage? {
    try read { database in
      let statement = try database.cachedStatement(
        sql: "SELECT * FROM image WHERE entity = ? AND key = ? AND content = ?"
      )
      return try DatabaseRow.fetchOne(
        statement,
        arguments: [record.entity.text, record.key, content.data]
      ).map { try RecordImage(record, $0) }
    }
  }

  /// The image of a record as it was when its fields had the digest `wire`, or `nil`; that of the
  /// line with the digest `content`, if there are several.
  package func image(
    of record: RecordID,
    wire: Digest,
    content: Digest
  ) throws(CheckpointError) -> RecordImage? {
    try read { database in
      let statement = try database.cachedStatement(
        sql: """
          SELECT * FROM image WHERE entity = ? AND key = ? AND wire = ?
          ORDER BY content = ? DESC LIMIT 1
          """
      )
      return try DatabaseRow.fetchOne(
        statement,
        arguments: [record.entity.text, record.key, wire.data, content.data]
      ).map { try RecordImage(record, $0) }
    }
  }
}

extension RecordImage {
  fileprivate init(_ record: RecordID, _ row: DatabaseRow) throws {
    guard let content = Digest(bytes: try row["content"] as Data),
      let wire = Digest(bytes: try row["wire"] as Data)
    else {
      throw DamagedPart(reason: "the digest of its image of \(record) is not whole")
    }
    try self.init(
      record: record,
      content: content,
      wire: wire,
      base: [UInt8](row["base"] as Data),
      sent: (row["sent"] as Data?).map { [UInt8]($0) }
    )
  }
}
