import Foundation
import JSONText
import TestSupport
import Testing

/// Databases whose bytes hold values: keyed archives, property lists, JSON, UUIDs, and YapDatabase.
@Suite(.timeLimit(.minutes(3))) struct ContainedValueTests {
  private func run(_ arguments: [String], in folder: String) async throws -> Answer {
    try await Answer(
      FerryProgram().run(
        arguments + ["--format", "ndjson", "--progress", "none"],
        state: "\(folder)/state"
      )
    )
  }

  /// Makes a database; `archive(value)` is what `NSKeyedArchiver` writes of a text or a dictionary of texts.
  private func make(_ statements: String, at path: String) throws {
    try Python.run(["-c", Self.making + statements + "\nc.commit()", path])
  }

  private static let making = """
    import json, plistlib, sqlite3, sys, uuid
    from plistlib import UID
    def archive(value):
        objects = ["$null"]
        def add(v):
            objects.append(None); n = len(objects) - 1
            if isinstance(v, dict):
                keys = [add(k) for k in v]; values = [add(x) for x in v.values()]
                objects[n] = {"NS.keys": keys, "NS.objects": values, "$class": kind()}
            else:
                objects[n] = v
            return UID(n)
        def kind():
            objects.append({"$classname": "NSDictionary", "$classes": ["NSDictionary", "NSObject"]})
            return UID(len(objects) - 1)
        root = add(value)
        return plistlib.dumps({"$archiver": "NSKeyedArchiver", "$version": 100000,
            "$top": {"root": root}, "$objects": objects}, fmt=plistlib.FMT_BINARY)
    def plist(value): return plistlib.dumps(value, fmt=plistlib.FMT_BINARY)
    c = sqlite3.connect(sys.argv[1])

    """

  /// Drafts, exports and validates a store; gives the draft's text and the package.
  private func export(_ store: String, in folder: String) async throws -> (String, PackageLines) {
    let drafted = try await run(["init", store, "-o", "\(folder)/my"], in: folder)
    #expect(drafted.status == 0, "\(drafted.standardError)")
    let profile = "\(folder)/my/profile.yaml"
    let package = "\(folder)/one.ferry"
    let exported = try await run(
      ["export", store, "--profile", profile, "-o", package],
      in: folder
    )
    #expect(exported.status == 0, "\(exported.standardOutput)\(exported.standardError)")
    #expect(exported.findings.filter { $0["severity"] != "note" }.isEmpty)
    let validated = try await run(["validate", package], in: folder)
    #expect(validated.status == 0, "\(validated.standardOutput)")
    return (try String(contentsOfFile: profile, encoding: .utf8), PackageLines(package))
  }

  @Test func `bytes that hold values are drafted, exported as values, and valid`() async throws {
    try await withTemporaryFolder { folder in
      let store = "\(folder)/notes.sqlite"
      try make(
        """
        c.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, a BLOB, p BLOB, j BLOB, uid BLOB, b BLOB)")
        for n in (1, 2):
            c.execute("INSERT INTO note VALUES (?, ?, ?, ?, ?, ?)", (n, archive({"title": "t%d" % n}),
                plist({"count": n}), json.dumps({"tags": [n]}).encode(),
                uuid.UUID("0123456789ab4cde801122334455667%d" % n).bytes, b"\\x00\\x01"))
        """,
        at: store
      )
      let (draft, package) = try await export(store, in: folder)
      for (name, reading) in [("a", "archive"), ("p", "plist"), ("j", "json"), ("uid", "uuid")] {
        #expect(
          draft.contains("\"\(name)\": { attribute: \"\(name)\", as: \(reading) }"),
          "\(draft)"
        )
      }
      let record = try #require(try package.records("note").first)
      #expect(record["a"] == ["title": "t1"], "\(record)")
      #expect(record["p"] == ["count": 1] && record["j"] == ["tags": [1]], "\(record)")
      #expect(record["uid"] == "01234567-89AB-4CDE-8011-223344556671" && record["b"] == "AAE=")
    }
  }

  @Test func `each collection of YapDatabase becomes records with the values of their archives`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let store = "\(folder)/app.sqlite"
      try make(
        """
        c.execute('CREATE TABLE "yap2" ("extension" CHAR NOT NULL, "key" CHAR NOT NULL, "data" BLOB, '
            'PRIMARY KEY ("extension", "key"))')
        c.execute('CREATE TABLE "database2" ("rowid" INTEGER PRIMARY KEY, "collection" CHAR NOT NULL, '
            '"key" CHAR NOT NULL, "data" BLOB, "metadata" BLOB)')
        c.execute('CREATE UNIQUE INDEX "true_primary_key" ON "database2" ("collection", "key")')
        for collection, key, value in (("books", "b1", "Peat"), ("people", "p1", "Ada"), ("books", "b2", "Sea")):
            c.execute('INSERT INTO database2 (collection, key, data) VALUES (?, ?, ?)',
                (collection, key, archive({"name": value})))
        """,
        at: store
      )
      let (draft, package) = try await export(store, in: folder)
      #expect(draft.contains("identity: { attribute: \"key\" }"), "\(draft)")
      let books = try package.records("books")
      #expect(books.map { $0["key"]?.text } == ["b1", "b2"])
      #expect(books.map { $0["data"]?["name"]?.text } == ["Peat", "Sea"])
      #expect(try package.records("people").map { $0["data"]?["name"]?.text } == ["Ada"])
    }
  }

  @Test func `a value that is no archive any more is kept as base64 and reported`() async throws {
    try await withTemporaryFolder { folder in
      let store = "\(folder)/notes.sqlite"
      try make(
        """
        c.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, a BLOB)")
        c.execute("INSERT INTO note VALUES (1, ?)", (archive("one"),))
        """,
        at: store
      )
      _ = try await export(store, in: folder)
      try Python.edit(store, "INSERT INTO note VALUES (2, x'0102')")
      let package = "\(folder)/two.ferry"
      let exported = try await run(
        ["export", store, "--profile", "\(folder)/my/profile.yaml", "-o", package],
        in: folder
      )
      #expect(exported.findings("value.not-decoded").count == 1, "\(exported.standardOutput)")
      let records = try PackageLines(package).records("note")
      #expect(records.map { $0["a"] } == ["one", ["$base64": "AQI="]])
    }
  }
}
