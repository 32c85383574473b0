import Foundation
import JSONText
import TestSupport
import Testing

extension RedactionTests {
  private func hits(in folder: String, _ words: [String]) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).filter { name in
      guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)") else {
        return false
      }
      return words.contains {
        name.contains($0) || bytes.firstRange(of: Data($0.utf8)) != nil
      }
    }
  }

  @Test func `a redacted package and its report reveal no record content`()
    async throws
  {
    try await withScenario(takesMedia: true) { scenario in
      try Canary.plant(in: scenario.sample.store)
      let out = "\(scenario.folder)/out"
      let reports = ["json", "ndjson", "md", "html", "xml", "sarif"]
      try await export(
        scenario,
        to: "\(out)/p.ferry",
        ["--redact"] + reports.flatMap { ["--report", "\(scenario.folder)/r.\($0)"] }
      ).exits(0)
      #expect(try hits(in: out, Canary.all).isEmpty)
      for ending in reports {
        let text = try String(at: "\(scenario.folder)/r.\(ending)")
        #expect(Canary.all.allSatisfy { !text.contains($0) }, "\(ending)")
        #expect(!text.contains(scenario.folder), "\(ending)")
      }
      #expect(try hits(in: "\(scenario.state).temporary", Canary.all).isEmpty)
      #expect(!FileManager.default.fileExists(atPath: "\(out)/p.ferry/media/sha256/00"))
      let manifest = try JSONValue(
        parsing: [UInt8](Data(contentsOf: URL(filePath: "\(out)/p.ferry/manifest.json")))
      )
      #expect(manifest["redacted"]?["mediaLeftOut"]?["files"]?.integer != nil)
      let checked = try await scenario.ferry(
        ["validate", "\(out)/p.ferry", "--redact", "--report", "\(out)/validated.json"]
      )
      #expect([0, 4].contains(checked.status), "\(checked)")
      #expect(try hits(in: out, Canary.all).isEmpty)
    }
  }

  @Test func `a redacted package of sound records is sound, and has as many`() async throws {
    try await withScenario { scenario in
      let (open, redacted) = ("\(scenario.folder)/open.ferry", "\(scenario.folder)/r.ferry")
      try await scenario.export(to: open).exits(0)
      try await export(scenario, to: redacted, ["--redact"]).exits(0)
      try await scenario.ferry(["validate", redacted]).exits(0)
      func counts(_ package: String) throws -> [JSONValue?] {
        let bytes = try Data(contentsOf: URL(filePath: "\(package)/manifest.json"))
        return (try JSONValue(parsing: [UInt8](bytes))["entities"]?.array ?? [])
          .map { $0["records"] }
      }
      #expect(try counts(open) == counts(redacted))
    }
  }

  @Test func `with the same key the placeholders are the same, and without one they are not`()
    async throws
  {
    try await withScenario { scenario in
      let key = "\(scenario.folder)/key"
      try "sixteen bytes or more".save(to: key)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
      func data(_ name: String, _ flags: [String]) async throws -> [String: Data] {
        let package = "\(scenario.folder)/\(name).ferry"
        try await export(scenario, to: package, ["--redact"] + flags).exits(0)
        var files: [String: Data] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: "\(package)/data") {
          files[file] = try Data(contentsOf: URL(filePath: "\(package)/data/\(file)"))
        }
        return files
      }
      let keyed = try await data("a", ["--pseudonyms", "file:\(key)"])
      #expect(try await data("b", ["--pseudonyms", "file:\(key)"]) == keyed)
      let one = try await data("c", [])
      #expect(one != keyed)
      #expect(try await data("d", []) != one)
    }
  }

  @Test func `a redacted chat has neither texts nor senders`() async throws {
    try await withScenario { scenario in
      let chat = "\(scenario.folder)/WhatsApp Chat with canary-name-0c55.txt"
      try """
      canary-chat-b3e8
      Wordle 1,234 3/6

      ⬛🟨⬛⬛⬛
      🟩🟩⬛🟩⬛
      🟩🟩🟩🟩🟩
      Wordle canary-chat-b3e8 9/6

      🟩🟩
      """.save(to: chat)
      let out = "\(scenario.folder)/out"
      let answer = try await scenario.ferry(["import", chat, "-o", "\(out)/c.ferry", "--redact"])
      #expect([0, 3].contains(answer.status), "\(answer)")
      #expect(try hits(in: out, Canary.all + ["1,234", "🟩"]).isEmpty)
    }
  }

  /// Exports a store with a profile that was drafted from it, to be handed over; gives the package.
  private func handOver(_ store: String, in folder: String) async throws -> String {
    let program = try FerryProgram()
    let package = "\(folder)/out/p.ferry"
    let lines = [
      ["init", store, "-o", "\(folder)/draft"],
      ["export", store, "--profile", "\(folder)/draft/profile.yaml", "-o", package, "--redact"],
      ["validate", package],
    ]
    for line in lines {
      let finished = try await program.run(line + ["--quiet"], state: "\(folder)/state")
      #expect(finished.status == 0, "\(line[0]): \(finished.standardError)")
    }
    return package
  }

  @Test func `texts that a draft saw in rows are in no file of a redacted package`() async throws {
    try await withTemporaryFolder { folder in
      let store = "\(folder)/entries.db"
      try Python.run(["-c", Self.diary, store])
      let package = try await handOver(store, in: folder)
      let words = ["HIV positive", "alice.smith", "a note of mine"]
      #expect(try hits(in: "\(folder)/out", words).isEmpty)
      #expect(try hits(in: "\(folder)/draft", ["HIV positive"]).count == 1)
      #expect(try PackageLines(package).records("entry").count == 30)
    }
  }

  @Test func `keys that a person typed are in no file of a redacted package`() async throws {
    try await withTemporaryFolder { folder in
      let store = "\(folder)/com.example.app.plist"
      let people: [String: Any] = ["Bob Jones +49 170": 4, "alice@example.com": ["Carla": [1, 2]]]
      let list: [String: Any] = ["scores": people, "lists": [[["Dora": 1]]], "level": 7]
      try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        .write(to: URL(filePath: store))
      let package = try await handOver(store, in: folder)
      #expect(
        try hits(in: "\(folder)/out", ["Bob Jones", "alice", "Carla", "Dora", folder]).isEmpty
      )
      let record = try PackageLines(package).records("Preferences").first
      #expect(record?["scores"]?.object?.count == 2 && record?["level"] == 7)
    }
  }

  /// A table in which few words come again and again.
  private static let diary = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1])
    db.execute("CREATE TABLE entry (id INTEGER PRIMARY KEY, email TEXT, diagnosis TEXT, note TEXT)")
    for number in range(30):
        db.execute(
            "INSERT INTO entry VALUES (?, 'alice.smith@example.com', 'HIV positive', ?)",
            (number, f"a note of mine, the one with the number {number}"),
        )
    db.commit()
    """
}
