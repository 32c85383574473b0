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
  ///
  /// One value of the wrong kind is a refusal of the whole push, and the database's rules hold, unless rows
  /// of any shape are taken.
  func addSync(to router: Router<RouteContext>) {
    addTokens(to: router)
    addNotes(to: router)
    addImages(to: router)
    add(.put, "/__dev/sync", to: router, for: .anybody) { call, transaction in
      try transaction.setSyncStrict(try call.object()["strict"]?.boolean == true)
      return .json(["success": true])
    }
    add(.get, "/api/sync", to: router) { call, transaction in
      let isStrict = try isStrict(transaction)
      let moment = try call.query["since"].map { text in
        guard let moment = Instant(text), !isStrict || SyncColumn.moment(text) != nil else {
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
      let pushed = try SyncKind.allCases.map { kind in
        (kind, try rows(of: kind, in: body, transaction))
      }
      var hasConflict = false
      for (kind, rows) in pushed {
        for row in rows {
          let isTaken = try take(row, kind, transaction)
          hasConflict = hasConflict || !isTaken
        }
      }
      return try answer(hasConflict: hasConflict, transaction) { kind in
        try transaction.syncRows(kind, after: nil).filter { $0.removedAt == nil }
      }
    }
  }

  /// Whether rows are held to all that the app's own server and its database refuse.
  func isStrict(_ transaction: Transaction) throws -> Bool {
    try transaction.isSyncStrict() ?? !configuration.takesAnySyncRows
  }

  /// What the owner of rows is called.
  func syncOwner(_ transaction: Transaction) throws -> String {
    let account = try transaction.signedInAccount()
    return try isStrict(transaction) ? account.uuid : account.id
  }

  /// The rows of a push, each read before any is taken.
  private func rows(
    of kind: SyncKind,
    in body: JSONObject,
    _ transaction: Transaction
  ) throws -> [JSONValue] {
    guard let list = body[kind.rawValue], !list.isNull else { return [] }
    guard try isStrict(transaction) else { return list.array ?? [] }
    guard let rows = list.array else {
      throw Self.syncRefusal(.badRequest, "invalid_request", "invalid JSON body")
    }
    return try rows.map { .object(try kind.read($0)) }
  }

  /// The column is of the type UUID, which keeps no capitals.
  private static func kept(_ id: String) -> String {
    let parts = id.split(separator: "-", omittingEmptySubsequences: false).map(\.count)
    return parts == [8, 4, 4, 4, 12] ? id.lowercased() : id
  }

  static func syncRefusal(
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
    let owner = try syncOwner(transaction)
    let isStrict = try isStrict(transaction)
    var answer = JSONObject()
    for kind in SyncKind.allCases {
      let found = try rows(kind)
      if isStrict {
        answer[kind.rawValue] = .array(try found.map { try shown($0, kind, transaction) })
      } else {
        // An earlier version of the server writes an empty list as null.
        answer[kind.rawValue] =
          found.isEmpty ? .null : .array(found.map { $0.answered(kind, owner: owner) })
      }
    }
    answer["server_time"] = .string(try transaction.tick().text)
    answer["has_conflict"] = .boolean(hasConflict)
    return .json(.object(answer))
  }

  /// A row as the app's own server answers it, a note with its tags.
  func shown(_ row: SyncRow, _ kind: SyncKind, _ transaction: Transaction) throws -> JSONValue {
    let owner = try syncOwner(transaction)
    let tags = kind == .notes ? try transaction.tags(ofNote: row.id) : []
    return row.strictlyAnswered(
      kind,
      owner: owner,
      tags: tags.map { $0.strictlyAnswered(.tags, owner: owner) }
    )
  }

  /// Registration makes a first notebook, which was not asked for.
  private func makeMainNotebook(_ transaction: Transaction) throws {
    let account = try transaction.signedInAccount()
    let count = try transaction.count(
      "SELECT COUNT(*) FROM syncRows WHERE userId = ?",
      [account.id]
    )
    guard count == 0 else { return }
    let now = try transaction.tick()
    try transaction.storeSync(
      Transaction.Account.uuid(of: account.id, "Main"),
      .notebooks,
      ["title": "Main", "sort_order": 0, "created_at": .string(now.text)],
      version: 1,
      updatedAt: now
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
    let isStrict = try isStrict(transaction)
    guard row["user_id"]?.text == (try syncOwner(transaction)) else { return true }
    let found = try transaction.syncRow(id, kind)
    if let found, found.owner != owner { return true }
    if let found, isNewer(found.row, than: row, kind) { return false }
    let date = Self.date(of: row)
    if let removal = found?.row.removedAt, isStrict || date <= removal { return true }
    if let found, let moment = row["deleted_at"], !moment.isNull {
      if found.row.removedAt == nil { try transaction.removeSync(found.row, kind) }
      return true
    }
    guard try canStore(row, id, kind, transaction) else { return true }
    if isStrict, try !fitsDatabase(body, kind, isNew: found == nil, transaction) { return true }
    for name in ["id", "user_id", "updated_at", "version", "deleted_at"] {
      body[name] = nil as JSONValue?
    }
    if let found, found.row.removedAt == nil {
      for name in kind.fixed { body[name] = found.row.body[name] }
    }
    // The app's own server keeps the version that a new note comes with.
    let isKept = isStrict && found == nil
    let version = isKept ? row["version"]?.integer ?? 0 : (found?.row.version ?? 0) + 1
    try transaction.storeSync(id, kind, body, version: version, updatedAt: date)
    return true
  }

  /// Whether the app's own database takes the row: it has a foreign key, a content that is not null, a
  /// number of 32 bits, and no U+0000.
  private func fitsDatabase(
    _ row: JSONObject,
    _ kind: SyncKind,
    isNew: Bool,
    _ transaction: Transaction
  ) throws -> Bool {
    guard !JSONValue.object(row).holdsNullCharacter else { return false }
    switch kind {
    case .notebooks: return row["sort_order"]?.integer.flatMap { Int32(exactly: $0) } != nil
    case .notes: return try row["content"] != nil && (!isNew || hasNotebook(row, transaction))
    case .tags: return true
    }
  }

  /// Whether the notebook of a note is there, removed or not.
  private func hasNotebook(_ note: JSONObject, _ transaction: Transaction) throws -> Bool {
    guard let id = note["notebook_id"]?.text else { return false }
    return try transaction.syncRow(id, .notebooks) != nil
  }

  private static func date(of row: JSONValue) -> Instant {
    guard let text = row["updated_at"]?.text, text != SyncColumn.noMoment else { return .undated }
    return Instant(text) ?? .undated
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
