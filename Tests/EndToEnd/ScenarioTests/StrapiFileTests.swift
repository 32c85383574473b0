import Foundation
import JSONText
import TestSupport
import Testing

/// Photos of a store among the files of the stand-in for Strapi, by the identities that it gives them.
@Suite(.timeLimit(.minutes(5)))
struct StrapiFileTests {
  @Test(arguments: [1_000_000, 3])
  func `photos are sent once, linked to their documents, verified, and rolled back`(losing: Int)
    async throws
  {
    try await withTemporaryFolder { folder in
      let store = "\(folder)/app/pictures.sqlite"
      try makeFolder("\(folder)/app/Photos")
      try Python.run(["-c", Self.making, "\(folder)/app"])
      try Self.profile.save(to: "\(folder)/profile.yaml")
      let server = try RealServer.standIn("strapi_server.py", in: folder)
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
      let files = """
        SELECT COUNT(*), CAST(SUM(body ->> '$.size') * 1000 + 0.5 AS INTEGER) FROM item WHERE collection = 'files'
        """
      #expect(try Self.ask(files, folder) == "2 16")
      // Two documents name one photo, and one names none.
      let linked = """
        SELECT COUNT(*), COUNT(DISTINCT file.number) FROM item AS picture JOIN item AS file
        ON file.collection = 'files' AND picture.body ->> '$.photo' = file.number
        """
      #expect(try Self.ask(linked, folder) == "3 2")
      #expect(try await ferry("migrate", store).exits(0).count("unchanged") == 4)
      try await ferry("rollback", try first.run()).exits(0)
      let pictures = "SELECT COUNT(*) FROM item WHERE collection = 'pictures'"
      #expect(try Self.ask(pictures, folder) == "0")
      // A file that is found there stays, also one of which only the answer was lost.
      if losing > 3 { #expect(try Self.ask("SELECT COUNT(*) FROM item", folder) == "0") }
    }
  }

  private static let environment = [
    "USER_NAME": "ada", "PASSWORD": "correct-horse",
    "FERRY_CREDENTIAL": "user=env:USER_NAME,password=env:PASSWORD",
  ]

  /// What a statement gives in the server's own database: the values of its one row.
  private static func ask(_ statement: String, _ folder: String) throws -> String {
    let asking = """
      import sqlite3, sys
      print(*sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone())
      """
    return try Python.run(["-c", asking, "\(folder)/strapi.sqlite", statement])
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static let profile = """
    ferry-profile: 1
    app: pictures
    source: { container: . }
    entities:
      Picture:
        identity: { attribute: id }
        carry: listed
        fields: { id: id, name: name }
        media:
          photo: { from: photo, folder: Photos, category: photo, types: { png: image/png } }
    api:
      preset: strapi
      settle: 1s
      media: { enabled: true }
      entities:
        Picture: { collection: pictures }
    """

  private static let making = """
    import sqlite3, sys
    folder = sys.argv[1]
    db = sqlite3.connect(f"{folder}/pictures.sqlite")
    db.execute("CREATE TABLE Picture(id TEXT PRIMARY KEY, name TEXT NOT NULL, photo TEXT)")
    rows = [("n1", "one", "a.png"), ("n2", "two", "b.png"), ("n3", "three", None), ("n4", "four", "a.png")]
    db.executemany("INSERT INTO Picture VALUES(?, ?, ?)", rows)
    db.commit()
    for name, text in [("a.png", "one"), ("b.png", "two")]:
        with open(f"{folder}/Photos/{name}", "wb") as file:
            file.write(b"\\x89PNG " + text.encode())
    """
}
