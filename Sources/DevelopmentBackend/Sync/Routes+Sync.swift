import GRDB
import HTTPTypes
import Hummingbird
import JSONText

extension Routes {
  /// A body may not be larger.
  private static let largestChangeset = 10 << 20

  /// Notebooks, notes and tags, all through one pair of routes, as the app's own backend has it:
  /// rows of somebody else are passed over without a word, and a conflict is no error.
  func addSync(to router: Router<RouteContext>) {
    addTokens(to: router)
    add(.get, "/api/sync", to: router) { call, transaction in
      let moment = try call.query["since"].map { text in
        guard let moment = Instant(text) else {
          throw Self.syncRefusal(.badRequest, "invalid_request", "since: must be RFC 3339")
        }
        return moment
      }
      try makeMainNotebook(transaction)
      return try changes(after: moment, hasConflict: false, transaction)
    }
    add(.post, "/api/sync", to: router) { call, transaction in
      guard call.body.readableBytes <= Self.largestChangeset else {
        throw Self.syncRefusal(.contentTooLarge, "invalid_request", "body too large")
      }
      guard let body = call.json?.object else {
        throw Self.syncRefusal(.badRequest, "invalid_request", "invalid request body")
      }
      try makeMainNotebook(transaction)
      let start = try transaction.tick()
      var hasConflict = false
      for kind in SyncKind.allCases {
        for row in body[kind.rawValue]?.array ?? [] {
          let isTaken = try take(row, kind, transaction)
          hasConflict = hasConflict || !isTaken
        }
      }
      return try changes(after: start, hasConflict: hasConflict, transaction)
    }
  }

  /// The column is of the type UUID, which keeps no capitals.
  private static func kept(_ id: String) -> String {
    let parts = id.split(separator: "-", omittingEmptySubsequences: false).map(\.count)
    return parts == [8, 4, 4, 4, 12] ? id.lowercased() : id
  }

  private static func syncRefusal(
    _ status: HTTPResponse.Status,
    _ code: String,
    _ message: String
  ) -> Refusal {
    Refusal(status, code, message)
  }

  private func changes(
    after moment: Instant?,
    hasConflict: Bool,
    _ transaction: Transaction
  ) throws -> Answer {
    let owner = try transaction.signedInAccount().id
    var answer = JSONObject()
    for kind in SyncKind.allCases {
      let rows = try transaction.syncRows(kind, after: moment)
      // The server's language writes an empty list as null.
      answer[kind.rawValue] =
        rows.isEmpty ? .null : .array(rows.map { $0.shown(kind, owner: owner) })
    }
    answer["server_time"] = .string(try transaction.tick().text)
    answer["has_conflict"] = .boolean(hasConflict)
    return .json(.object(answer))
  }

  /// Registration makes a first notebook, which nobody asked for.
  private func makeMainNotebook(_ transaction: Transaction) throws {
    let owner = try transaction.signedInAccount().id
    let count = try transaction.count("SELECT COUNT(*) FROM syncRows WHERE userId = ?", [owner])
    guard count == 0 else { return }
    try transaction.storeSync("main-\(owner)", .notebooks, ["title": "Main"], version: 1)
  }

  /// Takes a row, or keeps the one that is there; says `false` for a conflict.
  private func take(
    _ row: JSONValue,
    _ kind: SyncKind,
    _ transaction: Transaction
  ) throws -> Bool {
    guard let id = row["id"]?.text.map(Self.kept), !id.isEmpty, var body = row.object else {
      throw Self.syncRefusal(.badRequest, "invalid_request", "id is required")
    }
    if let notebook = row["notebook_id"]?.text {
      body["notebook_id"] = .string(Self.kept(notebook))
    }
    let owner = try transaction.signedInAccount().id
    guard row["user_id"]?.text == owner else { return true }
    for (member, count) in kind.longest {
      guard let text = row[member]?.text, text.count > count else { continue }
      throw Self.syncRefusal(
        .badRequest,
        "validation_error",
        "\(member) must have at most \(count) characters"
      )
    }
    let found = try transaction.syncRow(id, kind)
    if let found, found.owner != owner { return true }
    if let found, isNewer(found.row, than: row, kind) { return false }
    if kind == .tags { try checkTagName(row["name"]?.text ?? "", of: id, transaction) }
    for name in ["id", "user_id", "updated_at", "version"] { body[name] = nil as JSONValue? }
    let version = (found?.row.version ?? 0) + 1
    try transaction.storeSync(id, kind, body, version: version)
    return true
  }

  /// A note is newer by its version, all else by its moment.
  private func isNewer(_ stored: SyncRow, than row: JSONValue, _ kind: SyncKind) -> Bool {
    if kind == .notes { return stored.version > row["version"]?.integer ?? 0 }
    guard let moment = row["updated_at"]?.text.flatMap({ Instant($0) }) else { return true }
    return stored.updatedAt > moment
  }

  private func checkTagName(
    _ name: String,
    of id: String,
    _ transaction: Transaction
  ) throws {
    let isTaken = try transaction.syncRows(.tags, after: nil).contains { tag in
      tag.id != id && tag.body["name"]?.text == name && tag.body["deleted_at"]?.text == nil
    }
    guard !isTaken else {
      throw Self.syncRefusal(.conflict, "conflict", "a tag of this name exists")
    }
  }
}
