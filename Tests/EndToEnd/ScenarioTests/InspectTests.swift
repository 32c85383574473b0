import Foundation
import JSONText
import TestSupport
import Testing

/// `ferry inspect`, as a person meets it.
@Suite(.timeLimit(.minutes(2))) struct InspectTests {
  private func inspect(_ arguments: [String]) async throws -> FerryProgram.Finished {
    var finished: FerryProgram.Finished?
    try await withTemporaryFolder { folder in
      finished = try await FerryProgram().run(["inspect"] + arguments, state: folder)
    }
    return try #require(finished)
  }

  private func values(_ finished: FerryProgram.Finished) throws -> [JSONValue] {
    try finished.standardOutput.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
  }

  private let store = Samples.infiniteStories.store
  private let later = "\(Samples.infiniteStories.folder)/later.store"

  @Test func `a folder is searched, and its stores and files are reported`() async throws {
    let finished = try await inspect([Samples.infiniteStories.folder, "--format", "ndjson"])
    #expect(finished.status == 0)
    let container = try #require(try values(finished).first { $0["type"] == "container" })
    let paths = container["stores"]?.array?.compactMap { $0["path"]?.text }
    #expect(paths == ["default.store", "later.store"])
    #expect(container["media"]?.array?.isEmpty == false)
  }

  // 001-21.
  @Test func `a later model version that only adds loses no data`() async throws {
    let finished = try await inspect([store, later, "--format", "json"]).exits(0)
    let comparison = try JSONValue(parsing: finished.standardOutput)
    #expect(comparison["lossy"] == false)
    #expect(comparison["differences"]?.array?.isEmpty == false)
  }

  @Test func `going back loses the data that only the later version has`() async throws {
    let finished = try await inspect([later, store, "--format", "json"]).exits(6)
    let codes = try JSONValue(parsing: finished.standardOutput)["differences"]?.array?
      .compactMap { $0["code"]?.text }
    #expect(codes?.contains("model.attribute-removed") == true)
  }

  @Test func `the model is drawn as a Mermaid diagram`() async throws {
    let finished = try await inspect([store, "--format", "mermaid"]).exits(0)
    let lines = finished.standardOutput.split(separator: "\n")
    #expect(lines.first == "erDiagram")
    #expect(lines.contains { $0.contains("Hero") && $0.contains("o{ Story") })
  }

  @Test func `a plain database is inspected as a store`() async throws {
    try await withTemporaryFolder { folder in
      let path = "\(folder)/plain.db"
      try Python.run([
        "-c",
        "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); "
          + "c.execute('CREATE TABLE bottle(id INTEGER PRIMARY KEY, name TEXT NOT NULL)'); "
          + "c.execute(\"INSERT INTO bottle VALUES(1,'a')\"); c.commit()",
        path,
      ])
      let finished = try await inspect([path, "--format", "ndjson"])
      let inspection = try #require(try values(finished).first)
      #expect(inspection["kind"] == "sqlite")
      #expect(inspection["entities"]?.array?.first?["rows"] == 1)
    }
  }

  @Test func `keys of the system are reported with the option that reads them`() async throws {
    try await withTemporaryFolder { folder in
      let path = "\(folder)/com.example.notes.plist"
      let text =
        "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>AppleLocale</key>"
        + "<string>de</string></dict></plist>"
      try text.save(to: path)
      let lines = try await inspect([path]).standardOutput.split(separator: "\n")
      let line = lines.first { $0.contains("AppleLocale") } ?? ""
      #expect(line.contains("--system-keys") && !line.contains("tables"))
    }
  }

  @Test func `unread tables are reported as unread`() async throws {
    try await withTemporaryFolder { folder in
      let path = "\(folder)/plain.db"
      try Python.edit(path, "CREATE TABLE bottle (id)", "CREATE VIEW full AS SELECT * FROM bottle")
      let finished = try await inspect([path])
      #expect(finished.standardOutput.contains("tables that are not read: full"))
    }
  }
}
