import GRDB
package import Records
import UploadPlanning

/// A record that a run made and that the destination has under an identity of its own, although the request
/// chose one.
package struct Displacement: Hashable, Sendable {
  package let record: RecordID
  /// The number of the operation that made it.
  package let operation: Int64
  /// What the destination calls it; `nil` where no answer showed that.
  package let serverID: String?
  /// The digest of the profile that its run began with.
  package let profile: String
  package let reason: String
}

extension CheckpointFile {
  /// The code of an operation whose record the destination has under an identity of its own.
  static let displaced = "identity.displaced"

  private static func fact(of entity: String) -> String { "displaced-\(entity)" }

  static func noteDisplacement(
    _ number: Int64,
    _ reason: String,
    in database: Database
  ) throws {
    try database.execute(
      sql: "UPDATE operation SET code = ?, reason = ? WHERE number = ?",
      arguments: [displaced, reason, number]
    )
    let entity = try String.fetchOne(
      database,
      sql: "SELECT entity FROM operation WHERE number = ?",
      arguments: [number]
    )
    guard let entity else { return }
    try database.execute(
      sql: "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)",
      arguments: [fact(of: entity), "\(number)"]
    )
  }

  /// The last record of an entity that the destination gave an identity of its own, as long as it
  /// is there, or may be under an identity that no answer showed; `nil` if it does not exist.
  package func displacement(of entity: EntityName) throws(CheckpointError) -> Displacement? {
    let found = try read { database -> Displacement? in
      let number = try Self.fact(Self.fact(of: entity.text), in: database)
      let row = try DatabaseRow.fetchOne(
        database,
        sql: """
          SELECT number, key, server_id, reason,
            (SELECT profile FROM run WHERE run.number = operation.run) AS profile FROM operation
          WHERE number = CAST(? AS INTEGER) AND code = ?
            AND (state = 'confirmed' AND server_id IS NOT NULL OR state = 'unknown')
          """,
        arguments: [number, Self.displaced]
      )
      return try row.map { row in
        Displacement(
          record: RecordID(entity: entity, key: try row["key"]),
          operation: try row["number"],
          serverID: try row["server_id"],
          profile: try row["profile"],
          reason: try row["reason"] ?? ""
        )
      }
    }
    guard let found else { return nil }
    guard let serverID = found.serverID else { return found }
    return try known(found.record)?.serverID == serverID ? found : nil
  }

  /// Whether a phase of a run has made a record that the destination keeps under the identity that
  /// its request chose.
  package func hasMade(inPhase phase: Int, of run: RunRecord) throws(CheckpointError) -> Bool {
    try isTrue(
      """
      SELECT EXISTS (SELECT 1 FROM operation INDEXED BY operation_by_run
        WHERE run = ? AND phase = ? AND action = 'create' AND state = 'confirmed' AND code IS NOT ?)
      """,
      [run.number, phase, Self.displaced]
    )
  }
}
