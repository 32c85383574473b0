import GRDB
import JSONText

/// A tasting or a comment, as it is stored: numbers are identities, and parents are numbers too.
struct TastingRow: Sendable {
  let id: Int64
  /// The bottle of a tasting, the tasting of a comment.
  let parent: Int64
  let owner: String
  let createdAt: Instant
  let body: JSONObject

  /// What the rows are.
  enum Kind: String, Sendable, CaseIterable {
    case tasting, comment

    /// What a message begins with.
    var title: String { self == .tasting ? "Tasting" : "Comment" }
    /// The member that names the parent.
    var parentName: String { self == .tasting ? "bottle" : "tasting" }
    /// The table's name in dumps and in rows that a test adds.
    var tableName: String { "\(rawValue)s" }
  }

  init(_ row: Row) throws {
    id = row[0]
    parent = row[1]
    owner = row[2]
    createdAt = Instant(milliseconds: row[3])
    body = try JSONValue(parsing: row[4] as String).object ?? [:]
  }

  /// The row as an answer has it: a bottle and a person are objects there, though a request gives
  /// a number for the one and nothing for the other.
  func shown(_ kind: Kind, _ person: JSONValue) -> JSONValue {
    var object = body
    object["id"] = .whole(id)
    object["createdAt"] = .string(createdAt.text)
    object["createdBy"] = person
    object[kind.parentName] =
      kind == .tasting
      ? ["id": .whole(parent), "fullName": .string("Bottle \(parent)")] : .whole(parent)
    return .object(object)
  }
}
