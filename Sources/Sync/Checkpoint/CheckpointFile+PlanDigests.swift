import struct Crypto.SHA256
import struct Foundation.Data
import GRDB
package import Records
import UploadPlanning

/// What a plan says, and what it was made on, as digests that can be held against another plan's.
package struct PlanDigests: Hashable, Sendable {
  /// What is to be done, in its order: the same for the same plan, however much of it is done.
  package let operations: Digest
  /// What is known of each record, what was found at the destination included.
  package let records: Digest

  package init(operations: Digest, records: Digest) {
    self.operations = operations
    self.records = records
  }
}

/// What a plan meets at the destination, as digests that can be held against another plan's.
///
/// They are those of a plan of which nothing was begun: what is carried out has another place and another
/// version by its own doing.
package struct PlanTargets: Hashable, Sendable {
  /// Where each operation goes, and onto which version.
  package let places: Digest
  /// What changes bring that is not their record's own: merged, or as it is there.
  package let values: Digest

  package init(places: Digest, values: Digest) {
    self.places = places
    self.values = values
  }
}

extension CheckpointFile {
  /// The digests of a run's plan.
  package func planDigests(of run: RunRecord) throws(CheckpointError) -> PlanDigests {
    PlanDigests(
      operations: try digest(
        of: """
          SELECT phase, entity, key, action, content, request_digest FROM operation
          WHERE run = ? ORDER BY number
          """,
        [run.number]
      ),
      records: try recordsDigest()
    )
  }

  /// A digest of where the operations of a plan go, as far as it is known, and onto which version.
  package func placesDigest(of run: RunRecord) throws(CheckpointError) -> Digest {
    try digest(
      of: """
        SELECT entity, key, action, server_id, version FROM operation NOT INDEXED
        WHERE run = ? AND (server_id IS NOT NULL OR version IS NOT NULL) ORDER BY number
        """,
      [run.number]
    )
  }

  /// Hands out what the changes of a plan bring that is not their record's own, as it was kept, in the order
  /// of the plan.
  package func forEachSent(
    of run: RunRecord,
    _ body: (RecordID, [UInt8]) -> Void
  ) throws(CheckpointError) {
    try read { database in
      let rows = try DatabaseRow.fetchCursor(
        database,
        sql: """
          SELECT planned.entity AS entity, planned.key AS key, image.sent AS sent
          FROM operation AS planned NOT INDEXED CROSS JOIN image ON image.entity = planned.entity
            AND image.key = planned.key AND image.content = planned.content
          WHERE planned.run = ? AND planned.action = '\(Operation.Action.update.rawValue)'
            AND image.sent IS NOT NULL
          ORDER BY planned.number
          """,
        arguments: [run.number]
      )
      while let row = try rows.next() {
        guard let entity = EntityName(try row["entity"] as String) else { continue }
        let record = RecordID(entity: entity, key: try row["key"])
        body(record, KeptValue(column: [UInt8](try row["sent"] as Data)).value)
      }
    }
  }

  /// A digest of what is known of each record.
  package func recordsDigest() throws(CheckpointError) -> Digest {
    try catchUp()
    return try digest(
      of: """
        SELECT entity, key, server_id, version, content, request_digest, generation FROM record
        ORDER BY entity, key
        """
    )
  }

  /// A digest of rows, each value with its kind and its length.
  private func digest(
    of query: String,
    _ arguments: StatementArguments = []
  ) throws(CheckpointError) -> Digest {
    let path = path
    return try read { database in
      var hash = SHA256()
      let rows = try DatabaseRow.fetchCursor(database, sql: query, arguments: arguments)
      while let row = try rows.next() {
        for (_, value) in row { hash.update(data: Self.bytes(of: value)) }
      }
      guard let digest = Digest(bytes: hash.finalize()) else {
        throw CheckpointError.damaged(path: path, reason: "no digest could be made")
      }
      return digest
    }
  }

  private static func bytes(of value: DatabaseValue) -> [UInt8] {
    switch value.storage {
    case .null: Array("n;".utf8)
    case .int64(let number): Array("i\(number);".utf8)
    case .double(let number): Array("d\(number);".utf8)
    case .string(let text): Array("t\(text.utf8.count):\(text)".utf8)
    case .blob(let data): Array("b\(data.count):".utf8) + Array(data)
    }
  }
}
