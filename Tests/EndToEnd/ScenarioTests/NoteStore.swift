import Foundation
import JSONText
import TestSupport
import Testing

/// A made-up app that keeps what it knew of its server beside each row: books, notes in them, and
/// what follows from both.
struct NoteStore {
  let scenario: MigrationScenario

  /// One note, with what its row says unless a test says otherwise.
  struct Note {
    var id: String
    var title = "a title"
    var state = "new"
    var book: String? = "b1"
    var serverID: String?
    var version: Int?
    var deleted: String?
    var owner: String? = DemoAccount.email
    var plays = 0
    var isFavourite = false
    var tags = "[]"
    var rating = 4.0
    var modified = "2024-05-01T12:00:00Z"

    var row: String {
      func quoted(_ text: String?) -> String {
        text.map { "'\($0.replacing("'", with: "''"))'" } ?? "NULL"
      }
      let values = [
        quoted(id), quoted(title), quoted(state), quoted(book), quoted(serverID),
        version.map(String.init) ?? "0", quoted(deleted), quoted(owner), "\(plays)",
        isFavourite ? "1" : "0", quoted(tags), "\(rating)", quoted(modified),
      ]
      return "INSERT INTO note VALUES (\(values.joined(separator: ", ")))"
    }
  }

  private static let tables = """
    CREATE TABLE user (id TEXT PRIMARY KEY, email TEXT);
    CREATE TABLE book (id TEXT PRIMARY KEY, title TEXT, state TEXT, server_id TEXT);
    CREATE TABLE note (id TEXT PRIMARY KEY, title TEXT, state TEXT,
      book_id TEXT REFERENCES book(id), server_id TEXT, server_version INTEGER, deleted_at TEXT,
      owner TEXT, plays INTEGER, favourite BOOLEAN, tags TEXT, rating DOUBLE, modified TEXT);
    CREATE TABLE streak (id TEXT PRIMARY KEY, days INTEGER);
    INSERT INTO user VALUES ('u1', '\(DemoAccount.email)');
    INSERT INTO book VALUES ('b1', 'Main', 'new', NULL);
    INSERT INTO streak VALUES ('s1', 3), ('s2', 4);
    """

  func sql(_ statements: String...) throws {
    for statement in statements { try scenario.sql(statement) }
  }

  func add(_ notes: Note...) throws {
    for note in notes { try sql(note.row) }
  }

  /// The records at the server, by their identity.
  func server(_ collection: String = "notes") throws -> [String: JSONValue] {
    try scenario.backend.rows("records").filter { $0.value["collection"]?.text == collection }
      .filter { $0.value["data"]?.object != nil }
  }

  /// Puts a note at the server, or changes the one that is there.
  func seed(_ id: String, _ data: JSONObject, in collection: String = "notes") throws {
    let record: JSONValue = [
      "collection": .string(collection), "id": .string(id), "data": .object(data),
    ]
    try scenario.backend.seed([
      "account": .string(DemoAccount.email), "records": .array([record]),
    ])
  }

  /// Changes members of a note at the server, as another device does.
  func change(_ id: String, _ members: JSONObject) throws {
    var data = try #require(try server()[id]?["data"]?.object)
    for member in members.members { data[member.name] = member.value }
    try seed(id, data)
  }

  /// The version that the server has of a note.
  func version(_ id: String) throws -> Int {
    Int(try server()[id]?["version"]?.integer ?? -1)
  }

  /// Lends the same of an app that keeps nothing of what it knew of its server.
  static func withoutState(
    conflict: String = "fail",
    _ body: (NoteStore) async throws -> Void
  ) async throws {
    try await with(conflict: conflict) { app in
      let profile = app.scenario.profile
      var lines = try String(at: profile).split(
        separator: "\n",
        omittingEmptySubsequences: false
      )
      // A section ends where the next line is no deeper.
      while let start = lines.firstIndex(of: "    sync:") {
        let end = lines[(start + 1)...].firstIndex { !$0.hasPrefix("      ") } ?? lines.endIndex
        lines.removeSubrange(start..<end)
      }
      let text = lines.joined(separator: "\n")
        .replacing("unmapped: [id]", with: "unmapped: [id, state]")
        .replacing(
          "unmapped: [id, book_id]",
          with: "unmapped: [id, book_id, state, deleted_at, server_version]"
        )
      try text.save(to: profile)
      try await body(app)
    }
  }

  static func profile(conflict: String = "fail", listsRevisions: Bool = true) -> String {
    var text = template.replacing("CONFLICT", with: conflict)
    guard !listsRevisions else { return text }
    for part in ["      version: version\n", ", if-match: true"] {
      text = text.replacing(part, with: "")
    }
    return text
  }

  private static func routes(_ name: String) -> String {
    """
          replay: id
          list:
            request: GET /collections/\(name)/records
            items: records
            limit: { name: limit, value: 100 }
            cursor: { name: after, member: next }
          id: id
          content: data
          version: version
          read: { request: "GET /collections/\(name)/records/{id}" }
          create: { request: "PUT /collections/\(name)/records/{id}", if-none-match: true }
          update: { request: "PATCH /collections/\(name)/records/{id}", if-match: true }
          delete: { request: "DELETE /collections/\(name)/records/{id}", if-match: true }
          server-id: server_id
    """
  }

  private static let template = """
    ferry-profile: 1
    app: notes-with-state
    account: { entity: user, member: email }
    accept-unmapped: [book.id, note.id, note.book_id]
    entities:
      user:
        role: server
        identity: { attribute: id }
      book:
        identity: { attribute: id }
        sync:
          state: state
          means: { new: create, done: synced, gone: delete }
      note:
        identity: { attribute: id }
        fields:
          id: id
          book: { reference: book }
          tags: { attribute: tags, as: json }
        owner: owner
        sync:
          state: state
          means: { new: changed, done: synced, edited: update, gone: delete, mine: ignore, both: conflict }
          deleted: deleted_at
          version: server_version
          unset: [0]
      streak:
        role: derived
        identity: { attribute: id }
    api:
      kind: rest
      credentials: [email, password]
      sign-in:
        request: POST /api/auth/sign-in/email
        body: { email: "{email}", password: "{password}" }
        token: { header: set-auth-token }
      account: { request: GET /collections-whoami, member: email }
      concurrency: 4
      entities:
        book:
    \(routes("books"))
          unmapped: [id]
          body: { title: title }
        note:
    \(routes("notes"))
          conflict: CONFLICT
          unmapped: [id, book_id]
          body:
            title: title
            book: { reference: book }
            plays: plays
            favourite: favourite
            tags: tags
            rating: rating
            modified: modified
    """

  /// Lends a store with one book and no note, its profile and a server.
  static func with(
    conflict: String = "fail",
    listsRevisions: Bool = true,
    _ body: (NoteStore) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      try await withBackend(in: "\(folder)/server") { backend in
        let sample = Sample(folder: "\(folder)/app")
        try makeFolder(sample.folder)
        try Python.run(["-c", making, sample.store, tables])
        try profile(conflict: conflict, listsRevisions: listsRevisions).save(to: sample.profile)
        let scenario = MigrationScenario(
          folder: folder,
          backend: backend,
          program: try FerryProgram(),
          sample: sample,
          profile: sample.profile
        )
        try await body(NoteStore(scenario: scenario))
      }
    }
  }

  private static let making = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1])
    db.executescript(sys.argv[2])
    db.commit()
    """
}
