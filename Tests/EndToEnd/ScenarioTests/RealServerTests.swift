import Foundation
import JSONText
import TestSupport
import Testing

@Suite(
  .enabled(if: Servers.kinto != nil, "skipped: FERRY_KINTO does not name the program of Kinto"),
  .timeLimit(.minutes(5))
)
struct KintoTests {
  // 001-62.
  @Test func `a store is migrated, repeated, and rolled back`() async throws {
    try await withKinto { scenario, _ in try await scenario.goTheWholeWay() }
  }
}

@Suite(
  .enabled(
    if: Servers.datasette != nil,
    "skipped: FERRY_DATASETTE does not name the program of Datasette"
  ),
  .timeLimit(.minutes(5))
)
struct DatasetteTests {
  @Test func `a store is migrated into tables, repeated, and rolled back`() async throws {
    let program = try #require(Servers.datasette)
    try await withTemporaryFolder { folder in
      let server = try RealServer.datasette(
        program,
        in: folder,
        tables: try String(at: "\(Samples.folder)/datasette/tables.sql")
      )
      let sample = try Samples.infiniteStories.copied(into: folder)
      try secret(try RealServer.datasetteToken(program), "\(folder)/token")
      let scenario = RealServerScenario(
        folder: folder,
        store: sample.store,
        flags: [
          "--profile", "\(Samples.folder)/datasette/profile.yaml",
          "--to", "\(server.origin)/stories", "--credential", "token=file:\(folder)/token",
        ],
        count: {
          let counting =
            "select (select count(*) from heroes) + (select count(*) from stories)"
            + " + (select count(*) from events)"
          let text = try Python.run([
            "-c",
            "import sqlite3,sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])",
            "\(folder)/stories.db", counting,
          ])
          return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? -1
        }
      )
      try await scenario.goTheWholeWay()
    }
  }
}

@Suite(
  .enabled(
    if: Servers.pocketbase != nil,
    "skipped: FERRY_POCKETBASE does not name the program of PocketBase"
  ),
  .timeLimit(.minutes(5))
)
struct PocketBaseTests {
  static let kinto = "\(Samples.folder)/kinto/profile.yaml"

  @Test(arguments: ["id", "look-up"])
  func `a store is migrated, repeated, and rolled back`(replay: String) async throws {
    try await withPocketBase(Samples.infiniteStories, profile: Self.kinto, replay: replay) {
      scenario in
      try await scenario.goTheWholeWay()
    }
  }

  @Test(arguments: ["id", "look-up"])
  func `a run that is killed five times, with lost answers, stores each record once`(replay: String)
    async throws
  {
    try await withPocketBase(
      Samples.infiniteStories,
      profile: Self.kinto,
      replay: replay,
      losing: replay == "id" ? 7 : 60
    ) { scenario in
      for number in 1...5 {
        _ = try await FerryProgram().run(
          ["migrate", scenario.store] + scenario.flags,
          state: "\(scenario.folder)/state",
          stop: .kill(after: .milliseconds(60 * number), line: "upload …")
        )
      }
      let last = try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(try scenario.count() == 190)
      // A line that was killed when all was sent is followed by a run that sends nothing.
      for run in try last.runs() where try scenario.count() > 0 {
        try await scenario.ferry(["rollback", run]).exits(0)
      }
      #expect(try scenario.count() == 0)
    }
  }

  @Test func `files beside a drafted store go into the fields of their records, also when killed`()
    async throws
  {
    try await withDraftedPocketBase(takesBatches: true) { folder in
      try Python.run([
        "-c",
        """
        import os, sqlite3, sys
        folder = sys.argv[1]
        os.makedirs(folder + "/Covers")
        store = sqlite3.connect(folder + "/default.sqlite")
        store.executescript(
          "CREATE TABLE shelf(id TEXT PRIMARY KEY, name TEXT);"
          "CREATE TABLE book(id TEXT PRIMARY KEY, shelf_id TEXT, cover TEXT)")
        store.executemany("INSERT INTO shelf VALUES(?, ?)", [(f"s{n}", f"Shelf {n}") for n in range(3)])
        for n in range(40):
          name = f"{n}.png" if n % 4 else None
          if name: open(f"{folder}/Covers/{name}", "wb").write(bytes.fromhex("89504e470d0a1a0a") + bytes([n]) * 500)
          store.execute("INSERT INTO book VALUES(?, ?, ?)", (f"b{n}", f"s{n % 3}", name))
        store.commit()
        """,
        folder,
      ])
      return "\(folder)/default.sqlite"
    } body: { scenario, collections in
      for wait in [0, 80, 160] {
        _ = try await FerryProgram().run(
          ["migrate", scenario.store] + scenario.flags,
          state: "\(scenario.folder)/state",
          stop: .kill(after: .milliseconds(wait), line: "upload …")
        )
      }
      let last = try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(last.value("verification")?["clean"] == true)
      #expect(try collections.counts() == ["shelf": 3, "book": 40])
      let books = try collections.records(of: "book")
      let covers = try collections.texts(of: "book", "cover")
      #expect(covers.count == 30 && covers.allSatisfy { $0.hasSuffix(".png") })
      let shelves = Set(try collections.records(of: "shelf").compactMap { $0["id"]?.text })
      #expect(books.allSatisfy { shelves.contains($0["shelf_id"]?.text ?? "") })
      let again = try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(again.count("unchanged", of: "book") == 40)
      // A book gets its first file.
      try Python.edit(scenario.store, "UPDATE book SET cover = '1.png' WHERE id = 'b0'")
      let edited = try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(edited.count("updated", of: "book") == 1)
      #expect(edited.value("verification")?["clean"] == true)
      #expect(try collections.texts(of: "book", "cover").count == 31)
      try await scenario.ferry(["rollback", try edited.run()]).exits(0)
      #expect(try collections.texts(of: "book", "cover").count == 30)
      for run in try again.runs() where try scenario.count() > 0 {
        try await scenario.ferry(["rollback", run]).exits(0)
      }
      #expect(try scenario.count() == 0)
    }
  }
}

/// Writes a credential as only its owner may read it.
func secret(_ text: String, _ path: String) throws {
  let isMade = FileManager.default.createFile(
    atPath: path,
    contents: Data(text.utf8),
    attributes: [.posixPermissions: 0o600]
  )
  guard isMade else { throw TestSupportError("\(path) cannot be written") }
}
