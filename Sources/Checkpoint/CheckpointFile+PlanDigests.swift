import struct Crypto.SHA256
import struct Foundation.Data
import GRDB
package import Records

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

extension CheckpointFile {
  /// The digests of a run's plan.
  package func planDigests(of run: RunRecord) throws(CheckpointError) -> PlanDigests {
    PlanDigests(
      operations: try digest(
        of: """
          SELECT phase, entity, key, action, content, wire FROM operation
          WHERE run = ? ORDER BY number
          """,
        [run.number]
      ),
      records: try recordsDigest()
    )
  }

  /// A digest of what is known of each record.
  package func recordsDigest() throws(CheckpointError) -> Digest {
    try catchUp()
    return try digest(
      of: """
        SELECT entity, key, server_id, version, content, wire, generation FROM record
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
