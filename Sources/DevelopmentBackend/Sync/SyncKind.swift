import JSONText

/// A kind of row that travels through `/api/sync`.
enum SyncKind: String, CaseIterable, Sendable {
  case notebooks, notes, tags

  /// The members that a row must have, and the longest text of each, in characters.
  var longest: [(member: String, count: Int)] {
    switch self {
    case .notebooks: [("title", 255)]
    case .notes: []
    case .tags: [("name", 100), ("color", 20)]
    }
  }
}

/// One row as it is stored.
struct SyncRow: Sendable {
  let id: String
  let version: Int64
  let updatedAt: Instant
  let body: JSONObject

  /// The row as an answer has it.
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
