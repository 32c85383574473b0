import HTTPTypes
import Hummingbird
import JSONText

extension Routes {
  /// One note by its own address, as the app's own server has it: read, changed with its tags, removed.
  ///
  /// A change counts the note's version up and dates it, whatever it changes.
  func addNotes(to router: Router<RouteContext>) {
    add(.get, "/api/notes/:id", to: router) { call, transaction in
      .json(try shown(try note(call, transaction), .notes, transaction))
    }
    add(.put, "/api/notes/:id", to: router, work: changeNote)
    add(.delete, "/api/notes/:id", to: router) { call, transaction in
      try transaction.removeSync(try note(call, transaction), .notes)
      return Answer(status: .noContent, body: .nothing)
    }
  }

  /// The account's note that a call names; it must not be removed.
  func note(_ call: Call, _ transaction: Transaction) throws -> SyncRow {
    guard let id = SyncColumn.identity(try call.parameter("id")) else {
      throw Self.syncRefusal(.badRequest, "invalid_request", "invalid note ID")
    }
    let row = try ownNote(id, transaction)
    guard row.removedAt == nil else {
      throw Self.syncRefusal(.notFound, "not_found", "note not found")
    }
    return row
  }

  /// The account's note of an identity, removed or not.
  func ownNote(_ id: String, _ transaction: Transaction) throws -> SyncRow {
    guard let found = try transaction.syncRow(id, .notes) else {
      throw Self.syncRefusal(.notFound, "not_found", "note not found")
    }
    guard found.owner == (try transaction.signedInAccount().id) else {
      throw Self.syncRefusal(.forbidden, "forbidden", "you don't have access to this note")
    }
    return found.row
  }

  /// What a change of a note may say; an empty text and what is null change nothing.
  private static let noteChanges = [
    SyncColumn("content", .content), SyncColumn("plain_text", .text),
    SyncColumn("is_todo", .boolean), SyncColumn("is_done", .boolean),
    SyncColumn("is_starred", .boolean), SyncColumn("reminder_at", .optionalMoment),
  ]

  @Sendable
  private func changeNote(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let row = try note(call, transaction)
    guard let input = call.json?.object else {
      throw Self.syncRefusal(.badRequest, "invalid_request", "invalid JSON body")
    }
    let tags = try tagIDs(input["tag_ids"])
    var body = row.body
    for column in Self.noteChanges {
      guard let value = input[column.name], !value.isNull || column.name == "content",
        let kept = try column.kept(value), kept.text != ""
      else { continue }
      body[column.name] = kept
    }
    let now = try transaction.tick()
    try transaction.storeSync(row.id, .notes, body, version: row.version + 1, updatedAt: now)
    // A change of the tags that its database refuses is only written into the server's log.
    if let tags { _ = try transaction.setTags(tags, ofNote: row.id) }
    return .json(try shown(try ownNote(row.id, transaction), .notes, transaction))
  }

  /// The tags that a change names; `nil` where it names none, and so changes none.
  private func tagIDs(_ value: JSONValue?) throws -> [String]? {
    guard let value, !value.isNull else { return nil }
    let ids = value.array?.map { $0.text.flatMap { SyncColumn.identity($0) } }
    guard let ids, ids.allSatisfy({ $0 != nil }) else {
      throw Self.syncRefusal(.badRequest, "invalid_request", "invalid JSON body")
    }
    return ids.compactMap(\.self)
  }
}
