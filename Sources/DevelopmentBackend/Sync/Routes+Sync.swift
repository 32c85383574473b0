import GRDB
import HTTPTypes
import Hummingbird
import JSONText

extension Routes {
  /// A body may not be larger.
  private static let largestChangeset = 10 << 20

  /// Notebooks, notes and tags, all through one pair of routes, as the app's own backend has it:
  /// rows of another user are passed over without a word, and so is what cannot be stored; a conflict
  /// is no error, and a row keeps the date that it was pushed with.
  func addSync(to router: Router<RouteContext>) {
    addTokens(to: router)
    add(.put, "/__dev/sync", to: router, for: .anybody) { call, transaction in
      try transaction.setSyncStrict(try call.object()["strict"]?.boolean == true)
      return .json(["success": true])
    }
    add(.get, "/api/sync", to: router) { call, transaction in
      let moment = try call.query["since"].map { text in
        guard let moment = Instant(text) else {
          throw Self.syncRefusal(.badRequest, "invalid_request", "since: must be RFC 3339")
        }
        return moment
      }
      try makeMainNotebook(transaction)
      let start = moment ?? Instant.undated
      return try answer(hasConflict: false, transaction) { kind in
        try transaction.syncRows(kind, after: start)
      }
    }
    add(.post, "/api/sync", to: router) { call, transaction in
      guard call.body.readableBytes <= Self.largestChangeset else {
        throw Self.syncRefusal(.contentTooLarge, "invalid_request", "body too large")
      }
      guard let body = call.json?.object else {
        throw Self.syncRefusal(.badRequest, "invalid_request", "invalid request body")
      }
      try makeMainNotebook(transaction)
      var hasConflict = false
      for kind in SyncKind.allCases {
        for row in body[kind.rawValue]?.array ?? [] {
          let isTaken = try take(row, kind, transaction)
          hasConflict = hasConflict || !isTaken
        }
      }
      return try answer(hasConflict: hasConflict, transaction) { kind in
        try transaction.syncRows(kind, after: nil).filter { $0.removedAt == nil }
      }
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

  private func answer(
    hasConflict: Bool,
    _ transaction: Transaction,
    rows: (SyncKind) throws -> [SyncRow]
  ) throws -> Answer {
    let owner = try transaction.signedInAccount().id
    var answer = JSONObject()
    for kind in SyncKind.allCases {
      let found = try rows(kind)
      // The server's language writes an empty list as null.
      answer[kind.rawValue] =
        found.isEmpty ? .null : .array(found.map { $0.answered(kind, owner: owner) })
    }
    answer["server_time"] = .string(try transaction.tick().text)
    answer["has_conflict"] = .boolean(hasConflict)
    return .json(.object(answer))
  }

  /// Registration makes a first notebook, which was not asked for.
  private func makeMainNotebook(_ transaction: Transaction) throws {
    let owner = try transaction.signedInAccount().id
    let count = try transaction.count("SELECT COUNT(*) FROM syncRows WHERE userId = ?", [owner])
    guard count == 0 else { return }
    try transaction.storeSync(
      "main-\(owner)",
      .notebooks,
      ["title": "Main"],
      version: 1,
      updatedAt: try transaction.tick()
    )
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
    let found = try transaction.syncRow(id, kind)
    if let found, found.owner != owner { return true }
    if let found, isNewer(found.row, than: row, kind) { return false }
    let date = Self.date(of: row)
    let isStrict = try transaction.isSyncStrict()
    if let removal = found?.row.removedAt, isStrict || date <= removal { return true }
    if let found, let moment = row["deleted_at"], !moment.isNull {
      if found.row.removedAt == nil { try transaction.removeSync(found.row, kind) }
      return true
    }
    guard try canStore(row, id, kind, transaction) else { return true }
    if isStrict, found == nil, kind == .notes, try !hasNotebook(body, transaction) { return true }
    for name in ["id", "user_id", "updated_at", "version", "deleted_at"] {
      body[name] = nil as JSONValue?
    }
    if let found, found.row.removedAt == nil {
      for name in kind.fixed { body[name] = found.row.body[name] }
    }
    let version = (found?.row.version ?? 0) + 1
    try transaction.storeSync(id, kind, body, version: version, updatedAt: date)
    return true
  }

  /// Whether the notebook of a note is there, removed or not.
  private func hasNotebook(_ note: JSONObject, _ transaction: Transaction) throws -> Bool {
    guard let id = note["notebook_id"]?.text else { return false }
    return try transaction.syncRow(id, .notebooks) != nil
  }

  private static func date(of row: JSONValue) -> Instant {
    row["updated_at"]?.text.flatMap { Instant($0) } ?? .undated
  }

  /// A note is newer by its version, all else by its date.
  private func isNewer(_ stored: SyncRow, than row: JSONValue, _ kind: SyncKind) -> Bool {
    if kind == .notes { return stored.version > row["version"]?.integer ?? 0 }
    return stored.updatedAt > Self.date(of: row)
  }

  /// Whether the database takes the row; where it does not, the server only writes that into its log.
  private func canStore(
    _ row: JSONValue,
    _ id: String,
    _ kind: SyncKind,
    _ transaction: Transaction
  ) throws -> Bool {
    for (member, count) in kind.longest {
      if let text = row[member]?.text, text.unicodeScalars.count > count { return false }
    }
    guard kind == .tags else { return true }
    let name = row["name"]?.text ?? ""
    let tags = try transaction.syncRows(.tags, after: nil)
    return !tags.contains { tag in
      tag.id != id && tag.removedAt == nil
        && tag.body["name"]?.text?.hasSameScalars(as: name) == true
    }
  }
}
