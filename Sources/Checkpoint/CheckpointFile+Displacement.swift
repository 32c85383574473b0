import GRDB
package import Records
import UploadPlanning

/// A record that a run made and that the destination has under an identity of its own, although the request
/// chose one.
package struct Displacement: Hashable, Sendable {
  package let record: RecordID
  /// What the destination calls it.
  package let serverID: String
  /// What its run was planned by, see ``CheckpointFile/choice(of:)``.
  package let choice: String
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

  /// The last record of an entity that the destination gave an identity of its own, as long as it is there;
  /// `nil` where there is none.
  package func displacement(of entity: EntityName) throws(CheckpointError) -> Displacement? {
    let found = try read { database -> Displacement? in
      let number = try Self.fact(Self.fact(of: entity.text), in: database)
      let row = try DatabaseRow.fetchOne(
        database,
        sql: """
          SELECT key, server_id, reason, coalesce((SELECT words FROM choice WHERE run = operation.run), '')
            AS words FROM operation
          WHERE number = CAST(? AS INTEGER) AND code = ? AND state = 'confirmed'
            AND server_id IS NOT NULL
          """,
        arguments: [number, Self.displaced]
      )
      return try row.map { row in
        Displacement(
          record: RecordID(entity: entity, key: try row["key"]),
          serverID: try row["server_id"],
          choice: try row["words"],
          reason: try row["reason"] ?? ""
        )
      }
    }
    guard let found, try known(found.record)?.serverID == found.serverID else { return nil }
    return found
  }

  /// Whether a phase of a run has made a record that the destination keeps under the identity that its request
  /// chose.
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
