package import DestinationModel
import JSONText
import Records
package import UploadPlanning

/// What one transaction does to one table.
package struct TableWork: Sendable {
  let table: DatabaseTable
  let notes: NoteStatements
  let verb: OutgoingBatch.Verb
  package private(set) var rows: [Row] = []
  /// What became of items that cannot be sent.
  package private(set) var refused: [Int64: ItemOutcome] = [:]
  private(set) var byteCount = 0

  package struct Row: Sendable {
    package let operation: Int64
    /// What the operation is noted under; `nil` where the sender wants no note.
    let note: String?
    /// The identity as the column spells it.
    package let id: String
    let revision: String?
    /// By the place of the column in the table's.
    package var values: [Int: String?]
  }

  package init(table: DatabaseTable, notes: NoteStatements, batch: OutgoingBatch) {
    self.table = table
    self.notes = notes
    verb = batch.verb
    var seen: Set<String> = []
    for item in batch.items {
      switch row(for: item) {
      case .success(let row):
        if seen.insert(row.id).inserted {
          byteCount += item.body.count
          rows.append(row)
        } else {
          refused[item.operation] = .deferred(reason: "the request has the record twice")
        }
      case .failure(let refusal): refused[item.operation] = refusal.outcome
      }
    }
  }

  private struct Refusal: Error {
    let outcome: ItemOutcome

    init(_ code: String, _ reason: String) { outcome = .rejected(code: code, reason: reason) }
  }

  private func row(for item: OutgoingBatch.Item) -> Result<Row, Refusal> {
    guard let given = verb == .create ? item.clientID : item.serverID else {
      return .failure(
        Refusal("identity.unknown", "the record's identity at the destination is not known")
      )
    }
    guard let id = table.identity(given) else {
      return .failure(
        Refusal(
          "identity.unfit",
          "the column \(table.id.name) is of the type \(table.id.cast), and cannot hold “\(given)”"
        )
      )
    }
    var row = Row(
      operation: item.operation,
      note: item.note?.noteText,
      id: id,
      revision: item.version,
      values: [:]
    )
    guard verb != .delete else { return .success(row) }
    guard let members = JSONObject(parsing: item.body) else {
      return .failure(Refusal("body.form", "the record is not a JSON object"))
    }
    for member in members.members {
      let place = table.columns.firstIndex { $0.name.hasSameScalars(as: member.name) }
      guard let place else {
        return .failure(Refusal("column.unknown", "the table has no column \(member.name)"))
      }
      let column = table.columns[place]
      do throws(ColumnType.Misfit) {
        let text = try column.type.text(of: member.value)
        guard column.name != table.id.name else {
          if text == id { continue }
          return .failure(
            Refusal(
              "identity.unfit",
              "“body” gives \(column.name) another identity than the record's"
            )
          )
        }
        row.values[place] = .some(text)
      } catch {
        return .failure(Refusal("column.type", "the column \(column.name) \(error.reason)"))
      }
    }
    if verb == .create {
      // What is left out and has no default is null in any case: so more rows go in one statement.
      for (place, column) in table.columns.enumerated()
      where !column.hasDefault && column.name != table.id.name && row.values[place] == nil {
        row.values[place] = .some(nil)
      }
    }
    return .success(row)
  }

  /// Whether the rows may go by `COPY`; their revision is that of their notes then.
  var mayCopy: Bool { table.takesCopies && rows.contains { $0.note != nil } }

  // MARK: - On the connection's thread

  private var statements: TableStatements { TableStatements(table: table) }

  /// Notes the operations; gives the rows that are still to be carried out, the transaction's number, and the
  /// outcomes of those that an earlier request carried out.
  private func note(
    _ connection: DatabaseConnection
  ) throws(DatabaseFault) -> (left: [Row], number: String?, outcomes: [Int64: ItemOutcome]) {
    // In one order everywhere, so that two transactions do not wait for each other.
    let all = rows.compactMap(\.note).sorted()
    guard !all.isEmpty else { return (rows, nil, [:]) }
    let made = try connection.run(notes.note, [ListParameter.bytes(all)]).values
    let new = Set(made.compactMap { $0[0] })
    guard new.count < all.count else { return (rows, made.first?[1], [:]) }
    let known = all.filter { !new.contains($0) }
    var revisions: [String: String] = [:]
    for row in try connection.run(notes.find, [ListParameter.bytes(known)]).values {
      if let note = row[0] { revisions[note] = row[1] }
    }
    var outcomes: [Int64: ItemOutcome] = [:]
    var left: [Row] = []
    for row in rows {
      guard let note = row.note, !new.contains(note) else {
        left.append(row)
        continue
      }
      outcomes[row.operation] =
        verb == .delete
        ? .removed
        : .stored(serverID: row.id, version: table.revision == nil ? revisions[note] : nil)
    }
    return (left, made.first?[1], outcomes)
  }

  /// Makes rows by `COPY`, which makes all of them or fails.
  func copy(_ connection: DatabaseConnection) throws(DatabaseFault) -> [Int64: ItemOutcome] {
    let (left, number, noted) = try note(connection)
    var outcomes = noted
    for (columns, group) in groups(of: left) {
      var bytes: [UInt8] = []
      for row in group {
        CopyText.append([row.id] + columns.map { row.values[$0] ?? nil }, to: &bytes)
      }
      let count = try connection.copy(
        statements.copy(columns.map { table.columns[$0] }),
        bytes
      )
      guard count == group.count else {
        throw .refused(ServerFault(code: "P0001", message: "the database left rows out"))
      }
      for row in group { outcomes[row.operation] = .stored(serverID: row.id, version: number) }
    }
    return outcomes
  }

  func carryOut(_ connection: DatabaseConnection) throws(DatabaseFault) -> [Int64: ItemOutcome] {
    let (left, _, noted) = try note(connection)
    var outcomes = noted
    // By identity: what the database says that it carried out.
    var done: [String: String?] = [:]
    for (columns, group) in groups(of: left) {
      let types = columns.map { table.columns[$0] }
      var values = [ListParameter.bytes(group.map(\.id))]
      if verb != .create { values.append(ListParameter.bytes(group.map(\.revision))) }
      values += columns.map { place in ListParameter.bytes(group.map { $0.values[place] ?? nil }) }
      let sql =
        switch verb {
        case .create: statements.insert(types)
        case .update: columns.isEmpty ? statements.states : statements.update(types)
        case .delete, .uploadMedia, .removeMedia: statements.delete
        }
      if verb == .update, columns.isEmpty { values.removeLast() }
      let ids = Set(group.map(\.id))
      for row in try connection.run(sql, values).values {
        guard let id = row[0], ids.contains(id) else {
          throw .refused(
            ServerFault(code: "P0001", message: "the database gives a row another identity")
          )
        }
        done[id] = .some(row.count > 1 ? row[1] : nil)
      }
    }
    var undone: [Row] = []
    for row in left {
      guard let revision = done[row.id] else {
        undone.append(row)
        continue
      }
      outcomes[row.operation] =
        verb == .delete ? .removed : .stored(serverID: row.id, version: revision)
    }
    guard !undone.isEmpty else { return outcomes }
    let there = try states(of: undone, connection)
    for row in undone { outcomes[row.operation] = outcome(of: row, found: there[row.id]) }
    let wronglyNoted = undone.compactMap(\.note)
    if !wronglyNoted.isEmpty {
      _ = try connection.run(notes.forget, [ListParameter.bytes(wronglyNoted)])
    }
    return outcomes
  }

  private func states(
    of rows: [Row],
    _ connection: DatabaseConnection
  ) throws(DatabaseFault) -> [String: String?] {
    var found: [String: String?] = [:]
    let ids = ListParameter.bytes(rows.map(\.id))
    for row in try connection.run(statements.states, [ids]).values {
      if let id = row[0] { found[id] = .some(row[1]) }
    }
    return found
  }

  /// What became of a row that the statement was not about.
  private func outcome(of row: Row, found: String??) -> ItemOutcome {
    switch (verb, found) {
    case (.create, .some): .exists
    case (.create, .none):
      .rejected(
        code: "destination.dropped",
        reason:
          "the database took the row and kept none: a trigger, a rule or a policy leaves it out"
      )
    case (.update, .none), (.delete, .none), (.uploadMedia, .none), (.removeMedia, .none): .missing
    case (.update, .some(let now)), (.delete, .some(let now)), (.uploadMedia, .some(let now)),
      (.removeMedia, .some(let now)):
      now != row.revision && row.revision != nil
        ? .conflicted(reason: "it was changed there: revision \(now ?? "none")")
        : .rejected(
          code: "destination.dropped",
          reason: "the database left the row as it is: a trigger, a rule or a policy keeps it so"
        )
    }
  }

  /// The rows by the columns that they have a value for: each group is one statement.
  private func groups(of rows: [Row]) -> [(columns: [Int], rows: [Row])] {
    var order: [[Int]] = []
    var groups: [[Int]: [Row]] = [:]
    for row in rows {
      let columns = row.values.keys.sorted()
      if groups[columns] == nil { order.append(columns) }
      groups[columns, default: []].append(row)
    }
    return order.map { ($0, groups[$0] ?? []) }
  }
}

extension String {
  /// The UUID that represents an operation in the table: the first half of a digest.
  package var noteText: String {
    let digits = OperationKey.digest(of: Array(utf8)).description.prefix(32)
    var text = ""
    for (place, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(place) { text += "-" }
      text.append(digit)
    }
    return text
  }
}
