import Foundation
import JSONText
import TestSupport
import Testing

/// Photos of a store among the files of the stand-ins for Directus, Strapi and Appwrite.
@Suite(.timeLimit(.minutes(5)))
struct StandInFileTests {
  struct Backend: CustomTestStringConvertible {
    let preset: String
    /// More lines of the profile's `api`.
    var more = ""
    var path = ""
    let credentials: [String: String]
    /// The collection of files at the stand-in, the sum of their bytes, and what a record names a file by.
    let files: String
    let bytes: String
    var link = "id"

    var testDescription: String { preset }
  }

  static let backends = [
    Backend(
      preset: "directus",
      credentials: ["email": "ada@example.com", "password": "correct-horse"],
      files: "directus_files",
      bytes: "SUM(body ->> '$.filesize')"
    ),
    Backend(
      preset: "strapi",
      more: "settle: 1s",
      credentials: ["user": "ada", "password": "correct-horse"],
      files: "files",
      bytes: "CAST(SUM(body ->> '$.size') * 1000 + 0.5 AS INTEGER)",
      link: "number"
    ),
    // The identities of files are made of their digests.
    Backend(
      preset: "appwrite",
      more: "with: { project: p1, database: main, user: ada }",
      path: "/v1",
      credentials: ["key": "admin-key"],
      files: "$files",
      bytes: "SUM(body ->> '$.sizeOriginal')"
    ),
  ]

  @Test(arguments: backends, [1_000_000, 3])
  func `photos are sent once, linked to their records, verified, and rolled back`(
    backend: Backend,
    losing: Int
  ) async throws {
    try await withTemporaryFolder { folder in
      let store = "\(folder)/app/pictures.sqlite"
      try makeFolder("\(folder)/app/Photos")
      try Python.run(["-c", Self.making, "\(folder)/app"])
      try Self.profile(backend).save(to: "\(folder)/profile.yaml")
      let server = try RealServer.standIn("\(backend.preset)_server.py", in: folder)
      let proxy = try RealServer.losing(losing, before: server.origin, in: folder)
      let credentials = try backend.credentials.flatMap { name, value -> [String] in
        try secret(value, "\(folder)/secret-\(name)")
        return ["--credential", "\(name)=file:\(folder)/secret-\(name)"]
      }
      func ferry(_ arguments: String...) async throws -> Answer {
        try await FerryProgram().answer(
          arguments + ["--profile", "\(folder)/profile.yaml", "--to", proxy.origin + backend.path]
            + credentials + ["--retries", "20"],
          state: "\(folder)/state"
        )
      }
      /// What a statement gives in the server's own database: the values of its one row.
      func ask(_ statement: String) throws -> String {
        let asking = """
          import sqlite3, sys
          print(*sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone())
          """
        return try Python.run(["-c", asking, "\(folder)/\(backend.preset).sqlite", statement])
          .trimmingCharacters(in: .whitespacesAndNewlines)
      }
      let first = try await ferry("migrate", store).exits(0)
      #expect(first.value("verification")?["clean"] == true)
      let files =
        "SELECT COUNT(*), \(backend.bytes) FROM item WHERE collection = '\(backend.files)'"
      #expect(try ask(files) == "2 16")
      // Two records name one photo, and one names none.
      let linked = """
        SELECT COUNT(*), COUNT(DISTINCT file.\(backend.link)) FROM item AS picture JOIN item AS file
        ON file.collection = '\(backend.files)' AND picture.body ->> '$.photo' = file.\(backend.link)
        """
      #expect(try ask(linked) == "3 2")
      #expect(try await ferry("migrate", store).exits(0).count("unchanged") == 4)
      try await ferry("rollback", try first.run()).exits(0)
      #expect(try ask("SELECT COUNT(*) FROM item WHERE collection = 'pictures'") == "0")
      // A file that is found there stays, also one of which only the answer was lost.
      if losing > 3 { #expect(try ask("SELECT COUNT(*) FROM item") == "0") }
    }
  }

  private static func profile(_ backend: Backend) -> String {
    """
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
      preset: \(backend.preset)
      \(backend.more)
      media: { enabled: true }
      entities:
        Picture: { collection: pictures }
    """
  }

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
