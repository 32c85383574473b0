import Foundation
import JSONText
import TestSupport
import Testing

/// The data folder of an Android app, from the folder to a package and a destination.
@Suite(.timeLimit(.minutes(3))) struct AndroidStoreTests {
  func run(_ arguments: [String], in folder: String) async throws -> Answer {
    try await Answer(
      FerryProgram().run(
        arguments + ["--format", "ndjson", "--progress", "none"],
        state: "\(folder)/state"
      )
    )
  }

  static let hash = "5f1d3c0b9a8e7d6c5b4a39281706f5e4"

  static let making = """
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

  static let preferences = """
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

  func makeApp(in folder: String) throws -> String {
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
}
