package import DestinationModel
import Files
import JSONText
import LongTexts
import Profiles
package import Records
package import UploadPlanning

// MARK: - Reading

extension PostgreSQLDestination {
  /// The most rows of one page.
  static let pageLimit = 500

  /// Reads rows in the order of their identities; a page begins behind the last identity of the one before.
  package func page(
    of entity: EntityName,
    after mark: String?,
    since: String?
  ) async throws(DestinationError) -> RemotePage {
    let table = try await table(of: entity)
    let reader = RowReader(table: table, texts: memory.texts)
    let records = try await reading { connection throws(DatabaseFault) in
      try reader.page(after: mark, limit: Self.pageLimit, connection)
    }
    if mark == nil { memory.note(entity, isEmpty: records.isEmpty) }
    let isFull = records.count == Self.pageLimit
    return RemotePage(records: records, next: isFull ? records.last?.serverID : nil)
  }

  package func record(
    of entity: EntityName,
    serverID: String
  ) async throws(DestinationError) -> RemoteRecord? {
    try await records(of: entity, serverIDs: [serverID])[serverID]
  }

  package func records(
    of entity: EntityName,
    serverIDs: [String]
  ) async throws(DestinationError) -> RemoteRecords {
    let table = try await table(of: entity)
    var spellings: [RowIdentity: [String]] = [:]
    for id in serverIDs {
      if let own = table.identity(id) { spellings[own, default: []].append(id) }
    }
    var found = RemoteRecords()
    guard !spellings.isEmpty else { return found }
    let ids = spellings.keys.sorted { $0.text < $1.text }
    let reader = RowReader(table: table, texts: memory.texts)
    let records = try await reading { connection throws(DatabaseFault) in
      try reader.records(ids, connection)
    }
    for record in records {
      let own = table.identity(record.serverID)
      for asked in own.flatMap({ spellings[$0] }) ?? [record.serverID] { found[asked] = record }
    }
    return found
  }

  package func noted(
    _ notes: [String],
    of entity: EntityName
  ) async throws(DestinationError) -> [String: NotedOperation] {
    guard try await catalog().hasNotes else { return [:] }
    // A row's revision is the number of its transaction, unless the table has a column for it.
    let isRevision = try await table(of: entity).revision == nil
    let statements = self.notes
    let keys = notes.map(\.noteText)
    let rows = try await reading { connection throws(DatabaseFault) in
      try connection.run(statements.find, [ListParameter.bytes(keys)])
    }.values
    var revisions: [String: String] = [:]
    for row in rows { if let key = row[0] { revisions[key] = row[1] } }
    var found: [String: NotedOperation] = [:]
    for (note, key) in zip(notes, keys) {
      if let number = revisions[key] {
        found[note] = NotedOperation(revision: isRevision ? number : nil)
      }
    }
    return found
  }

  // MARK: - Looking

  package func preflight() async -> [DestinationCheck] {
    let catalog: Catalog
    do throws(DestinationError) { catalog = try await self.catalog() } catch {
      return [DestinationCheck("tables", error)]
    }
    var checks = [
      DestinationCheck(
        "tables",
        .fits,
        "each table is there, with each column that the profile names"
      )
    ]
    let place = "\(database.schema).\(NoteStatements.name)"
    if catalog.hasNotes {
      checks.append(DestinationCheck("operations", .fits, "\(place) is there"))
    } else if catalog.mayMakeNotes {
      checks.append(
        DestinationCheck(
          "operations",
          .fits,
          "the first upload will create the table \(place), in which Ferry notes what it carried out"
        )
      )
    } else {
      checks.append(DestinationCheck("operations", missingNotes))
    }
    for entity in api.entities.map(\.entity) {
      guard let missing = catalog.missingRights[entity], !missing.isEmpty else { continue }
      let needsIt = missing.contains("INSERT")
      checks.append(
        DestinationCheck(
          "rights",
          of: entity,
          needsIt ? .unfit : .unknown,
          "the role has no right of \(missing.joined(separator: ", "))",
          cure: "grant it; without DELETE a rollback cannot remove what a run made"
        )
      )
    }
    return checks
  }

  /// Why nothing can be sent without the table of operations.
  var missingNotes: DestinationError {
    .elsewhere(
      reason:
        "Ferry notes what it carried out in \(database.schema).\(NoteStatements.name), which is "
        + "not there, and the role may not create it",
      cure: "have its owner run: \(notes.create); "
        + "GRANT SELECT, INSERT, DELETE ON \(notes.place) TO the role"
    )
  }
}

/// Reads rows of one table, those with long values in pieces.
private struct RowReader: Sendable {
  let table: DatabaseTable
  /// Where long texts are put; `nil` where rows are read whole.
  let texts: LongTexts?

  private var statements: TableStatements { TableStatements(table: table) }
  private var most: Int? { texts == nil ? nil : LongText.mostHeld }

  func page(
    after mark: String?,
    limit: Int,
    _ connection: DatabaseConnection
  ) throws(DatabaseFault) -> [RemoteRecord] {
    let sql = statements.list(isFirst: mark == nil, limit: limit, holding: most)
    guard let mark else { return try records(connection.run(sql), connection) }
    guard let last = table.identity(mark) else {
      throw .misfit(
        .elsewhere(
          reason:
            "no row of \(table.schema).\(table.name) can have the identity “\(mark)”, behind which a page begins",
          cure: "run again: the type of a column may have changed since the page before"
        )
      )
    }
    return try records(connection.run(sql, last.values), connection)
  }

  func records(
    _ ids: [RowIdentity],
    _ connection: DatabaseConnection
  ) throws(DatabaseFault) -> [RemoteRecord] {
    let sql = statements.read(holding: most)
    return try records(connection.run(sql, table.lists(of: ids)), connection)
  }

  private func records(
    _ rows: Rows,
    _ connection: DatabaseConnection
  ) throws(DatabaseFault) -> [RemoteRecord] {
    var records: [RemoteRecord] = []
    records.reserveCapacity(rows.values.count)
    for row in rows.values { records.append(try record(row, connection)) }
    return records
  }

  /// A record for a row: its identity, its revision, and its columns.
  private func record(
    _ row: [String?],
    _ connection: DatabaseConnection
  ) throws(DatabaseFault) -> RemoteRecord {
    var body = JSONObject()
    for (column, text) in zip(table.columns, row.dropFirst(table.ids.count + 1)) {
      body[column.name] = column.type.value(of: text)
    }
    if let texts { try standIn(texts, for: row, &body, connection) }
    return RemoteRecord(
      serverID: table.identity(of: row).text,
      version: row[table.ids.count],
      body: JSONValue.object(body).canonicalBytes
    )
  }

  /// Puts a stand-in into the place of each long text, also of one that the row was given with.
  private func standIn(
    _ texts: LongTexts,
    for row: [String?],
    _ body: inout JSONObject,
    _ connection: DatabaseConnection
  ) throws(DatabaseFault) {
    let json = JSONValue.object(body).canonicalBytes
    if json.count > LongText.mostHeld || LongText.mayBeIn(json) {
      for member in body.members {
        let held: [UInt8]
        do throws(FileError) { held = try texts.standingIn(member.value.canonicalBytes) } catch {
          throw .unkept(error)
        }
        body[member.name] = (try? JSONValue(parsing: held)) ?? member.value
      }
    }
    guard row.count > table.ids.count + 1 + table.columns.count, let long = row.last ?? nil else {
      return
    }
    for place in long.split(separator: ",").compactMap({ Int($0) }) {
      let column = table.columns[place]
      body[column.name] = try column.value(texts) { take throws(DatabaseFault) in
        let values = table.identity(of: row).values
        try connection.run(statements.pieces(of: column), values, forPieces: take)
      }
    }
  }
}
