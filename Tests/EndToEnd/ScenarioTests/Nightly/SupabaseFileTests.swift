import Foundation
import JSONText
import TestSupport
import Testing

/// Photos of a store in the bucket of a simulated Supabase.
@Suite(.timeLimit(.minutes(5)))
struct SupabaseFileTests {
  @Test(arguments: [1_000_000, 3])
  func `photos are sent once, linked to their records, verified, and rolled back`(losing: Int)
    async throws
  {
    try await withTemporaryFolder { folder in
      let store = "\(folder)/app/notes.sqlite"
      try makeFolder("\(folder)/app/Photos")
      try Python.run(["-c", Self.making, "\(folder)/app"])
      try Self.profile.save(to: "\(folder)/profile.yaml")
      let server = try RealServer.supabase(tables: Self.tables, in: folder)
      let proxy = try RealServer.losing(losing, before: server.origin, in: folder)
      func ferry(_ arguments: String...) async throws -> Answer {
        try await FerryProgram().answer(
          arguments + ["--profile", "\(folder)/profile.yaml", "--to", proxy.origin]
            + ["--retries", "20"],
          environment: Self.environment,
          state: "\(folder)/state"
        )
      }
      let first = try await ferry("migrate", store).exits(0)
      #expect(first.value("verification")?["clean"] == true)
      #expect(try Self.ask("SELECT COUNT(*), SUM(LENGTH(content)) FROM objects", folder) == "2 16")
      // Two records name one photo, and one names none.
      let addresses = "SELECT COUNT(photo_url), COUNT(DISTINCT photo_url) FROM notes"
      #expect(try Self.ask(addresses, folder) == "3 2")
      let linked = """
        SELECT COUNT(*) FROM notes JOIN objects
        ON photo_url = '\(proxy.origin)/storage/v1/object/public/files/' || objects.name
        """
      #expect(try Self.ask(linked, folder) == "3")
      #expect(try Self.ask("SELECT DISTINCT type FROM objects", folder) == "image/png")
      #expect(try await ferry("migrate", store).exits(0).count("unchanged") == 4)
      try await ferry("rollback", try first.run()).exits(0)
      #expect(try Self.ask("SELECT COUNT(*) FROM notes", folder) == "0")
      // A file that is found there stays, also one of which only the answer was lost.
      if losing > 3 { #expect(try Self.ask("SELECT COUNT(*) FROM objects", folder) == "0") }
    }
  }

  private static let environment = [
    "ANON": "anon-key", "EMAIL": "dev@example.com", "PASSWORD": "password1",
    "FERRY_CREDENTIAL": "anon=env:ANON,email=env:EMAIL,password=env:PASSWORD",
  ]

  /// What a statement gives in the server's own database: the values of its one row.
  private static func ask(_ statement: String, _ folder: String) throws -> String {
    let asking = """
      import sqlite3, sys
      print(*sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone())
      """
    return try Python.run(["-c", asking, "\(folder)/supabase.sqlite", statement])
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static let tables = """
    {"notes": {"title": {"type": "text", "required": true}, "photo_url": {"type": "text"}}}
    """

  private static let profile = """
    ferry-profile: 1
    app: notes
    source: { container: . }
    entities:
      Note:
        identity: { attribute: id }
        carry: listed
        fields: { id: id, title: title }
        media:
          photo: { from: photo, folder: Photos, category: photo, types: { png: image/png } }
    api:
      preset: supabase
      media: { enabled: true }
      entities:
        Note: { collection: notes, body: { photo_url: { media: photo } } }
    """

  private static let making = """
    import sqlite3, sys
    folder = sys.argv[1]
    db = sqlite3.connect(f"{folder}/notes.sqlite")
    db.execute("CREATE TABLE Note(id TEXT PRIMARY KEY, title TEXT NOT NULL, photo TEXT)")
    rows = [("n1", "one", "a.png"), ("n2", "two", "b.png"), ("n3", "three", None), ("n4", "four", "a.png")]
    db.executemany("INSERT INTO Note VALUES(?, ?, ?)", rows)
    db.commit()
    for name, text in [("a.png", "one"), ("b.png", "two")]:
        with open(f"{folder}/Photos/{name}", "wb") as file:
            file.write(b"\\x89PNG " + text.encode())
    """
}
