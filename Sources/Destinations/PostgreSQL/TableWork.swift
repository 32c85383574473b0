package import DestinationModel
import JSONText
package import LongTexts
import Profiles
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
    package let id: RowIdentity
    let revision: String?
    /// By the place of the column in the table's; null where the value is in `long`.
    package var values: [Int: String?]
    /// The values that are not held.
    var long: [Int: LongColumn] = [:]
  }

  /// `texts` is where the long texts are that bodies have stand-ins for; `nil` where they are whole.
  package init(
    table: DatabaseTable,
    notes: NoteStatements,
    batch: OutgoingBatch,
    texts: LongTexts? = nil
  ) {
    self.table = table
    self.notes = notes
    verb = batch.verb
    var seen: Set<RowIdentity> = []
    for item in batch.items {
      switch row(for: item, texts) {
      case .success(let row):
        if seen.insert(row.id).inserted {
          byteCount += texts == nil ? item.body.count : LongText.size(of: item.body)
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

  private func row(
    for item: OutgoingBatch.Item,
    _ texts: LongTexts?
  ) -> Result<Row, Refusal> {
    guard let members = verb == .delete ? JSONObject() : JSONObject(parsing: item.body) else {
      return .failure(Refusal("body.form", "the record is not a JSON object"))
    }
    let id: RowIdentity
    do throws(Refusal) { id = try identity(of: item, members) } catch { return .failure(error) }
    var row = Row(
      operation: item.operation,
      note: item.note?.noteText,
      id: id,
      revision: item.version,
      values: [:]
    )
    let texts = LongText.mayBeIn(item.body) ? texts : nil
    for member in members.members {
      let place = table.columns.firstIndex { $0.name.hasSameScalars(as: member.name) }
      guard let place else {
        return .failure(Refusal("column.unknown", "the table has no column \(member.name)"))
      }
      let column = table.columns[place]
      do throws(ColumnType.Misfit) {
        let part = table.ids.firstIndex { $0.name == column.name }
        if let texts, part == nil,
          let long = try LongColumn(member.value, as: column.type, texts)
        {
          row.long[place] = long
          row.values[place] = .some(nil)
          continue
        }
        let text = try column.type.text(of: member.value)
        if let part {
          if text?.hasSameScalars(as: id.parts[part]) == true { continue }
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
      where !column.hasDefault && !table.isIdentity(column) && row.values[place] == nil {
        row.values[place] = .some(nil)
      }
    }
    return .success(row)
  }

  /// The identity that a row has, or that a new one gets: the record's own, or what its body says of several columns.
  private func identity(
    of item: OutgoingBatch.Item,
    _ members: JSONObject
  ) throws(Refusal) -> RowIdentity {
    if verb == .create, table.ids.count > 1 { return try identity(in: members) }
    guard let given = verb == .create ? item.clientID : item.serverID else {
      throw Refusal("identity.unknown", "the record's identity at the destination is not known")
    }
    guard let id = table.identity(given) else {
      let types = table.ids.map { "the column \($0.name) is of the type \($0.cast)" }
      throw Refusal(
        "identity.unfit",
        "\(types.joined(separator: " and ")), and cannot hold “\(given)”"
      )
    }
    return id
  }

  private func identity(in members: JSONObject) throws(Refusal) -> RowIdentity {
    var parts: [String] = []
    for column in table.ids {
      let text: String?
      do throws(ColumnType.Misfit) {
        text = try column.type.text(of: members[column.name] ?? .null)
      } catch {
        throw Refusal("column.type", "the column \(column.name) \(error.reason)")
      }
      guard let text else {
        throw Refusal(
          "identity.unknown",
          "the column \(column.name) is a part of the identity, and the record has no value for it: fill it in "
            + "the app, or name its field under “needs” in the profile, which leaves these records out"
        )
      }
      parts.append(text)
    }
    return RowIdentity(parts: parts)
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
        : .stored(serverID: row.id.text, version: table.revision == nil ? revisions[note] : nil)
    }
    return (left, made.first?[1], outcomes)
  }

  /// Makes rows by `COPY`, which makes all of them or fails.
  func copy(_ connection: DatabaseConnection) throws(DatabaseFault) -> [Int64: ItemOutcome] {
    let (left, number, noted) = try note(connection)
    var outcomes = noted
    for group in groups(of: left) {
      let sql = statements.copy(group.columns.map { table.columns[$0] })
      let count = try connection.copy(sql) { put throws(DatabaseFault) in
        try Self.write(group, put)
      }
      guard count == group.rows.count else {
        throw .refused(ServerFault(code: "P0001", message: "the database left rows out"))
      }
      for row in group.rows {
        outcomes[row.operation] = .stored(serverID: row.id.text, version: number)
      }
    }
    return outcomes
  }

  /// Writes rows in the form of `COPY`, those without long values many at once.
  private static func write(
    _ group: Group,
    _ put: ([UInt8]) throws(DatabaseFault) -> Void
  ) throws(DatabaseFault) {
    var bytes: [UInt8] = []
    for row in group.rows {
      guard !row.long.isEmpty else {
        CopyText.append(row.id.parts + group.columns.map { row.values[$0] ?? nil }, to: &bytes)
        continue
      }
      for part in row.id.parts {
        CopyText.append(part.utf8, to: &bytes)
        bytes.append(CopyText.tab)
      }
      for (number, place) in group.columns.enumerated() {
        if number > 0 { bytes.append(CopyText.tab) }
        guard let long = row.long[place] else {
          CopyText.append(row.values[place] ?? nil, to: &bytes)
          continue
        }
        try put(bytes)
        bytes = []
        try write(long, put)
      }
      bytes.append(CopyText.lineEnd)
    }
    try put(bytes)
  }

  private static func write(
    _ long: LongColumn,
    _ put: ([UInt8]) throws(DatabaseFault) -> Void
  ) throws(DatabaseFault) {
    try long.read { piece throws(DatabaseFault) in
      var bytes: [UInt8] = []
      bytes.reserveCapacity(piece.count + piece.count / 16)
      CopyText.append(piece, to: &bytes)
      try put(bytes)
    }
  }

  /// Carries the rows out one by one, as far as the database has them otherwise.
  ///
  /// Where the role may not have a table for long values that goes with the transaction, these are held.
  func carryOut(
    _ connection: DatabaseConnection,
    mayMakeTables: Bool
  ) throws(DatabaseFault) -> [Int64: ItemOutcome] {
    let (left, _, noted) = try note(connection)
    var outcomes = noted
    let prepared =
      mayMakeTables ? try placingLong(left, connection) : try holdingLong(left)
    // By identity: what the database says that it carried out.
    var done: [RowIdentity: String?] = [:]
    for group in groups(of: prepared) {
      let sql = statement(for: group)
      let ids = Set(group.rows.map(\.id))
      let values = values(of: group)
      for row in try connection.run(sql, values).values {
        let id = table.identity(of: row)
        guard ids.contains(id) else {
          throw .refused(
            ServerFault(code: "P0001", message: "the database gives a row another identity")
          )
        }
        done[id] = .some(row.count > table.ids.count ? row[table.ids.count] : nil)
      }
    }
    var undone: [Row] = []
    for row in left {
      guard let revision = done[row.id] else {
        undone.append(row)
        continue
      }
      outcomes[row.operation] =
        verb == .delete ? .removed : .stored(serverID: row.id.text, version: revision)
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

  private func statement(for group: Group) -> String {
    let types = group.columns.map { table.columns[$0] }
    let long = Set(group.columns.indices.filter { group.long.contains(group.columns[$0]) })
    switch verb {
    case .create: return statements.insert(types, long: long)
    case .update:
      return types.isEmpty ? statements.states : statements.update(types, long: long)
    case .delete, .uploadMedia, .removeMedia: return statements.delete
    }
  }

  /// The values of a group's statement, each a list for one column.
  private func values(of group: Group) -> [[UInt8]] {
    var values = table.lists(of: group.rows.map(\.id))
    if verb == .delete || verb == .update && !group.columns.isEmpty {
      values.append(ListParameter.bytes(group.rows.map(\.revision)))
    }
    values += group.columns.map { place in
      ListParameter.bytes(group.rows.map { $0.values[place] ?? nil })
    }
    return values
  }

  /// Rows with the number of a text in the place of each long value, once the server has the texts.
  private func placingLong(
    _ rows: [Row],
    _ connection: DatabaseConnection
  ) throws(DatabaseFault) -> [Row] {
    guard rows.contains(where: { !$0.long.isEmpty }) else { return rows }
    try connection.run(LongColumnTable.create)
    var placed = rows
    var count = 0
    let taken = try connection.copy(LongColumnTable.copy) { put throws(DatabaseFault) in
      for (number, row) in rows.enumerated() {
        for (place, long) in row.long.sorted(by: { $0.key < $1.key }) {
          count += 1
          placed[number].values[place] = .some(String(count))
          try put(Array("\(count)\t".utf8))
          try Self.write(long, put)
          try put([CopyText.lineEnd])
        }
      }
    }
    guard taken == count else { throw .lost(reason: "the database left long values out") }
    return placed
  }

  /// Rows with their long values.
  private func holdingLong(_ rows: [Row]) throws(DatabaseFault) -> [Row] {
    var held = rows
    for (number, row) in rows.enumerated() {
      for (place, long) in row.long { held[number].values[place] = .some(try long.held()) }
      held[number].long = [:]
    }
    return held
  }

  private func states(
    of rows: [Row],
    _ connection: DatabaseConnection
  ) throws(DatabaseFault) -> [RowIdentity: String?] {
    var found: [RowIdentity: String?] = [:]
    for row in try connection.run(statements.states, table.lists(of: rows.map(\.id))).values {
      found[table.identity(of: row)] = .some(row[table.ids.count])
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

  /// Rows that one statement is about: those with values for the same columns, of which the same are long.
  private struct Group {
    let columns: [Int]
    let long: Set<Int>
    var rows: [Row]
  }

  private func groups(of rows: [Row]) -> [Group] {
    var groups: [Group] = []
    var places: [[Set<Int>]: Int] = [:]
    for row in rows {
      let (columns, long) = (Set(row.values.keys), Set(row.long.keys))
      if let place = places[[columns, long]] {
        groups[place].rows.append(row)
      } else {
        places[[columns, long]] = groups.count
        groups.append(Group(columns: columns.sorted(), long: long, rows: [row]))
      }
    }
    return groups
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
