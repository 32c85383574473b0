package import DestinationModel
import JSONText
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
    let sql = TableStatements(table: table).list(isFirst: mark == nil, limit: Self.pageLimit)
    let rows = try await reading { connection throws(DatabaseFault) in
      try connection.run(sql, mark.map { [Array($0.utf8) + [0]] } ?? [])
    }.values
    let records = rows.map { table.record($0) }
    if mark == nil { memory.note(entity, isEmpty: rows.isEmpty) }
    let isFull = rows.count == Self.pageLimit
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
    var spellings: [String: [String]] = [:]
    for id in serverIDs {
      if let own = table.identity(id) { spellings[own, default: []].append(id) }
    }
    var found = RemoteRecords()
    guard !spellings.isEmpty else { return found }
    let ids = spellings.keys.sorted()
    let rows = try await reading { connection throws(DatabaseFault) in
      try connection.run(TableStatements(table: table).read, [ListParameter.bytes(ids)])
    }.values
    for row in rows {
      let record = table.record(row)
      for asked in spellings[record.serverID] ?? [record.serverID] { found[asked] = record }
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

extension DatabaseTable {
  /// A record for a row: its identity, its revision, and its columns.
  func record(_ row: [String?]) -> RemoteRecord {
    var body = JSONObject()
    for (column, text) in zip(columns, row.dropFirst(2)) {
      body[column.name] = column.type.value(of: text)
    }
    return RemoteRecord(
      serverID: row[0] ?? "",
      version: row[1],
      body: JSONValue.object(body).canonicalBytes
    )
  }
}
