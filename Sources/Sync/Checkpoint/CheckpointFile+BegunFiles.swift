import GRDB
package import Records

extension CheckpointFile {
  /// A file that may lie at the destination, whole or in parts, and has no place there as far as is known.
  private static let isBegunFile = """
    action = 'upload' AND state IN ('planned','begun','unknown') AND begun_at IS NOT NULL
      AND server_id IS NULL
    """

  /// The categories of files that a run began to send and that have no known place at the destination.
  package func begunFiles(of run: RunRecord) throws(CheckpointError) -> Set<EntityName> {
    try read { database in
      let names = try String.fetchAll(
        database,
        sql: "SELECT DISTINCT entity FROM operation WHERE run = ? AND \(Self.isBegunFile)",
        arguments: [run.number]
      )
      return try Set(
        names.map { name in
          guard let entity = EntityName(name) else {
            throw DamagedPart(reason: "the entity of one of its operations cannot be read")
          }
          return entity
        }
      )
    }
  }

  /// Has those ``begunFiles(of:)`` that are of these categories wait as if they had never been begun.
  ///
  /// What `reporting` says of each is written down with the run.
  package func giveUpFiles(
    of run: RunRecord,
    in categories: Set<EntityName>,
    _ reporting: (RecordID) -> Finding?
  ) throws(CheckpointError) {
    guard !categories.isEmpty else { return }
    let condition = "run = ?1 AND entity = ?2 AND \(Self.isBegunFile)"
    try write { database in
      for category in categories {
        let files = try DatabaseRow.fetchAll(
          database,
          sql: "SELECT key FROM operation WHERE \(condition) ORDER BY number",
          arguments: [run.number, category.text]
        )
        for file in files {
          let record = RecordID(entity: category, key: try file["key"])
          if let finding = reporting(record) { try Self.insert(finding, run: run, in: database) }
        }
        try database.execute(
          sql: """
            UPDATE operation SET state = 'planned', begun_at = NULL, resend_count = 0, code = NULL,
              reason = NULL
            WHERE \(condition)
            """,
          arguments: [run.number, category.text]
        )
      }
    }
  }
}
