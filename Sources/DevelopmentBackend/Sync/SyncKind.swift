import HTTPTypes
import JSONText

/// A kind of row that travels through `/api/sync`.
enum SyncKind: String, CaseIterable, Sendable {
  case notebooks, notes, tags

  /// The members that a row must have, and the longest text of each, in code points.
  var longest: [(member: String, count: Int)] {
    switch self {
    case .notebooks: [("title", 255)]
    case .notes: []
    case .tags: [("name", 100), ("color", 20)]
    }
  }
}

extension SyncKind {
  /// The members of a row that the app's own server knows, but for its identity.
  var columns: [SyncColumn] {
    let own = [
      SyncColumn("id", .identity), SyncColumn("user_id", .identity),
      SyncColumn("created_at", .moment), SyncColumn("updated_at", .moment),
      SyncColumn("deleted_at", .optionalMoment, leftOutWhenEmpty: true),
    ]
    switch self {
    case .notebooks:
      return own + [SyncColumn("title", .text), SyncColumn("sort_order", .integer)]
    case .notes:
      return own + [
        SyncColumn("notebook_id", .identity), SyncColumn("content", .content),
        SyncColumn("plain_text", .text, leftOutWhenEmpty: true), SyncColumn("is_todo", .boolean),
        SyncColumn("is_done", .boolean), SyncColumn("is_starred", .boolean),
        SyncColumn("reminder_at", .optionalMoment, leftOutWhenEmpty: true),
        SyncColumn("version", .integer),
      ]
    case .tags:
      return own + [SyncColumn("name", .text), SyncColumn("color", .text, leftOutWhenEmpty: true)]
    }
  }

  /// A row of a push as the app's own server reads it: every member that it knows, and no other.
  func read(_ row: JSONValue) throws(Refusal) -> JSONObject {
    guard row.isNull || row.object != nil else {
      throw Refusal(.badRequest, "invalid_request", "invalid JSON body")
    }
    var read = JSONObject()
    for column in columns { read[column.name] = try column.kept(row[column.name]) }
    return read
  }

  /// The members that a change does not write.
  var fixed: [String] { self == .notes ? ["created_at", "notebook_id"] : ["created_at"] }

  /// The text that an answer has only where it is not empty.
  var leftOutWhenEmpty: String? {
    switch self {
    case .notebooks: nil
    case .notes: "plain_text"
    case .tags: "color"
    }
  }
}

extension Instant {
  /// The date of a row that came without one: what the server's language has for no date.
  static let undated = Instant(milliseconds: -62_135_596_800_000)
}

/// One row as it is stored.
struct SyncRow: Sendable {
  let id: String
  let version: Int64
  let updatedAt: Instant
  let body: JSONObject

  /// When it was removed; `nil` where it is there.
  var removedAt: Instant? { body["deleted_at"]?.text.flatMap { Instant($0) } }

  /// The row as the app's own server answers it: what says nothing is left out.
  func strictlyAnswered(_ kind: SyncKind, owner: String, tags: [JSONValue] = []) -> JSONValue {
    let whole = shown(kind, owner: owner)
    var object = JSONObject()
    for column in kind.columns {
      guard let value = whole[column.name], !(column.isLeftOutWhenEmpty && column.isEmpty(value))
      else { continue }
      object[column.name] = value
    }
    if !tags.isEmpty { object["tags"] = .array(tags) }
    return .object(object)
  }

  /// The row as an answer has it.
  func answered(_ kind: SyncKind, owner: String) -> JSONValue {
    let whole = shown(kind, owner: owner)
    guard let name = kind.leftOutWhenEmpty, let value = whole[name], var object = whole.object,
      value.isNull || value.text == ""
    else { return whole }
    object[name] = nil as JSONValue?
    return .object(object)
  }

  /// The whole row, with what is kept beside its members.
  func shown(_ kind: SyncKind, owner: String) -> JSONValue {
    var object = body
    object["id"] = .string(id)
    object["user_id"] = .string(owner)
    object["updated_at"] = .string(updatedAt.text)
    object["deleted_at"] = body["deleted_at"] ?? .null
    if kind == .notes { object["version"] = .whole(version) }
    return .object(object)
  }
}
