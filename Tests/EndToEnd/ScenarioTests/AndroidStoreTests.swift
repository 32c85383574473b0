import Foundation
import JSONText
import TestSupport
import Testing

/// The data folder of an Android app, from the folder to a package and a destination.
@Suite(.timeLimit(.minutes(3))) struct AndroidStoreTests {
  private func run(_ arguments: [String], in folder: String) async throws -> Answer {
    try await Answer(
      FerryProgram().run(
        arguments + ["--format", "ndjson", "--progress", "none"],
        state: "\(folder)/state"
      )
    )
  }

  private static let hash = "5f1d3c0b9a8e7d6c5b4a39281706f5e4"

  private static let making = """
    import os, sqlite3, sys
    os.makedirs(sys.argv[1] + "/databases")
    c = sqlite3.connect(sys.argv[1] + "/databases/notes")
    c.execute("CREATE TABLE android_metadata (locale TEXT)")
    c.execute("INSERT INTO android_metadata VALUES ('en_US')")
    c.execute("CREATE TABLE room_master_table (id INTEGER PRIMARY KEY, identity_hash TEXT)")
    c.execute("INSERT INTO room_master_table VALUES (42, ?)", (sys.argv[2],))
    c.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
    c.executemany("INSERT INTO note VALUES (?, ?)", [(1, "one"), (2, "two")])
    c.commit()
    """

  private static let preferences = """
    <?xml version='1.0' encoding='utf-8' standalone='yes' ?>
    <map>
        <string name="theme">dark &amp; quiet</string>
        <int name="launches" value="7" />
        <long name="lastSync" value="1714521600000" />
        <float name="scale" value="1.5" />
        <boolean name="isPro" value="false" />
        <set name="tags"><string>b</string><string>a</string></set>
    </map>
    """

  private func makeApp(in folder: String) throws -> String {
    let app = "\(folder)/com.example.notes"
    try Python.run(["-c", Self.making, app, Self.hash])
    for name in ["shared_prefs", "cache", "files"] {
      try FileManager.default.createDirectory(
        atPath: "\(app)/\(name)",
        withIntermediateDirectories: true
      )
    }
    try Self.preferences.save(to: "\(app)/shared_prefs/settings.xml")
    try "x".save(to: "\(app)/cache/old.db")
    return app
  }

  @Test func `an app's folder is inspected, with Room's tables named and its hash as the version`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let app = try makeApp(in: folder)
      let answer = try await run(["inspect", app], in: folder)
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      let container = try #require(answer.value("container"))
      #expect(container["form"] == "appContainer")
      let inspection = try #require(answer.value("inspection"))
      let entities = inspection["entities"]?.array?.compactMap { $0["entity"]?.text }
      #expect(entities == ["note", "Preferences"])
      let others = inspection["otherTables"]?.array?.compactMap(\.text)
      #expect(others == ["notes: android_metadata", "notes: room_master_table"])
      #expect(inspection["modelVersions"]?.array?.compactMap(\.text) == [Self.hash])
    }
  }

  @Test func `an app's folder is drafted, exported and valid, and its values are kept`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let app = try makeApp(in: folder)
      let drafted = try await run(["init", app, "-o", "\(folder)/my"], in: folder)
      #expect(drafted.status == 0, "\(drafted.standardError)")
      let package = "\(folder)/one.ferry"
      let exported = try await run(
        ["export", app, "--profile", "\(folder)/my/profile.yaml", "-o", package],
        in: folder
      )
      #expect(exported.status == 0, "\(exported.standardOutput)\(exported.standardError)")
      let validated = try await run(["validate", package], in: folder)
      #expect(validated.status == 0, "\(validated.standardOutput)")
      let lines = PackageLines(package)
      #expect(try lines.records("note").map { $0["title"]?.text } == ["one", "two"])
      let record = try #require(try lines.records("Preferences").first)
      #expect(record["theme"] == "dark & quiet" && record["launches"] == 7)
      #expect(record["lastSync"]?.integer == 1_714_521_600_000)
      #expect(record["isPro"] == false && record["tags"] == ["a", "b"])
      let manifest = try JSONValue(
        parsing: String(contentsOfFile: "\(package)/manifest.json", encoding: .utf8)
      )
      let versions = manifest["source"]?["model"]?["versions"]?.array?.compactMap(\.text)
      #expect(versions == [Self.hash])
    }
  }

  @Test func `preferences by DataStore are named with status 3, and left out on request`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let app = try makeApp(in: folder)
      let data = Data([0x0A, 0x02, 0x0A, 0x00])
      let place = "\(app)/files/datastore"
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      try data.write(to: URL(filePath: "\(place)/flags.preferences_pb"))
      let inspected = try await run(["inspect", app], in: folder)
      #expect(inspected.status == 3, "\(inspected.standardOutput)\(inspected.standardError)")
      let unread = inspected.findings("container.database-unread")
      #expect(unread.map { $0["file"]?.text } == ["files/datastore/flags.preferences_pb"])
      let known = try await run(["inspect", app, "--ignore", "*.preferences_pb"], in: folder)
      #expect(known.status == 0, "\(known.standardOutput)\(known.standardError)")
    }
  }

  @Test func `preferences alone are migrated, and unchanged when repeated`() async throws {
    try await withTemporaryFolder { folder in
      let store = "\(try makeApp(in: folder))/shared_prefs/settings.xml"
      let drafted = try await run(["init", store, "-o", "\(folder)/my"], in: folder)
      #expect(drafted.status == 0, "\(drafted.standardError)")
      let profile = "\(folder)/my/profile.yaml"
      let text = try String(contentsOfFile: profile, encoding: .utf8)
      let api = """
        api:
          kind: folder
          entities:
            Preferences:
              body: { launches: launches }
              unmapped: [isPro, lastSync, scale, tags, theme]

        """
      try (text + api).save(to: profile)
      let line = ["migrate", store, "--profile", profile, "--to", "file:\(folder)/kept"]
      let first = try await run(line, in: folder)
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      #expect(first.count("created") == 1)
      let again = try await run(line, in: folder)
      #expect(again.count("unchanged") == 1 && again.count("created") == 0)
    }
  }

  @Test func `preferences that are cut end with status 10 and the line`() async throws {
    try await withTemporaryFolder { folder in
      let store = "\(folder)/settings.xml"
      try String(Self.preferences.prefix(200)).save(to: store)
      let answer = try await run(["inspect", store], in: folder)
      #expect(answer.status == 10, "\(answer.standardOutput)")
      #expect(answer.standardError.contains("settings.xml, line"), "\(answer.standardError)")
    }
  }
}
