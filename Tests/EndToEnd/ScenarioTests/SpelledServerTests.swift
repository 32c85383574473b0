import Foundation
import JSONText
import TestSupport
import Testing

/// A server that calls two tags by names that look alike: “café” with one code point at its end,
/// and with two.
@Suite(.timeLimit(.minutes(2))) struct SpelledServerTests {
  @Test func `two look-alike records with lost answers are found, and neither is created twice`()
    async throws
  {
    try await SpelledTags.with(["one", "two"]) { tags in
      try tags.set(["lose": [.string(SpelledTags.one), .string(SpelledTags.two)]])
      let stopped = try await tags.scenario.migrate(["--retries", "0"])
      #expect(stopped.status == 5, "\(stopped.standardOutput)\(stopped.standardError)")
      let last = try await tags.scenario.migrate()
      #expect(last.status == 0, "\(last.standardOutput)\(last.standardError)")
      #expect(last.value("verification")?["clean"] == true)
      #expect(try tags.notes().sorted() == ["one", "two"])
    }
  }

  @Test func `the record that cannot be read is reported, and the other one is decided`()
    async throws
  {
    try await SpelledTags.with(["one", "two"]) { tags in
      #expect(try await tags.scenario.migrate().count("created") == 2)
      try Python.edit(tags.scenario.sample.store, "UPDATE Tag SET note = note || ' mine'")
      for name in ["caf%C3%A9", "cafe%CC%81"] {
        try tags.send("PATCH", "tags/\(name)", ["note": "theirs"])
      }
      try tags.set(["broken": [.string(SpelledTags.one)]])
      let answer = try await tags.scenario.migrate(["--retries", "0"])
      #expect(answer.status == 6, "\(answer.standardOutput)\(answer.standardError)")
      #expect(
        answer.findings("destination.keeps-failing").compactMap { $0["record"]?.text } == ["1"]
      )
      #expect(answer.count("conflicted") == 1)
    }
  }

  @Test func `another device's record of the same name causes no second copy`()
    async throws
  {
    try await SpelledTags.with(["one"]) { tags in
      let run = try await tags.scenario.migrate().run()
      try tags.send("POST", "tags", ["name": .string(SpelledTags.two), "note": "theirs"])
      let preview = try await tags.scenario.rollback(run, ["-n"])
      #expect(preview.count("remaining", in: "rollback") == 1, "\(preview.standardOutput)")
      let back = try await tags.scenario.rollback(run)
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try tags.notes() == ["theirs"])
    }
  }
}

/// A plain database with up to two such tags, and the server that they go to.
private struct SpelledTags {
  static let one = "caf\u{E9}"
  static let two = "cafe\u{301}"

  let scenario: MigrationScenario
  let origin: String

  /// The notes of all tags at the server.
  func notes() throws -> [String] {
    let tags = try RealServer.get("\(origin)/state")["tags"]?.array ?? []
    return tags.compactMap { $0["note"]?.text }
  }

  func set(_ faults: JSONValue) throws { try send("POST", "set", faults) }

  func send(_ method: String, _ path: String, _ body: JSONValue) throws {
    _ = try RealServer.get("\(origin)/\(path)", ["-X", method, "-d", body.canonicalText])
  }

  /// Lends a store with a tag of each of the notes.
  static func with(
    _ notes: [String],
    _ body: (SpelledTags) async throws -> Void
  ) async throws {
    try await withScenario { scenario in
      let scripts = URL(filePath: #filePath).deletingLastPathComponent().path
      let server = try RealServer(
        "/usr/bin/env",
        ["python3", "\(scripts)/spelled_server.py", "{port}"],
        in: scenario.folder,
        answersAt: "/state"
      )
      let folder = "\(scenario.folder)/tags"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let sample = Sample(folder: folder)
      try Python.edit(
        sample.store,
        "CREATE TABLE Tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL, note TEXT)"
      )
      for (number, note) in notes.enumerated() {
        let name = number == 0 ? "'caf' || char(233)" : "'cafe' || char(769)"
        try Python.edit(sample.store, "INSERT INTO Tag VALUES (\(number + 1), \(name), '\(note)')")
      }
      try profile.write(toFile: sample.profile, atomically: true, encoding: .utf8)
      var copy = scenario.with(sample)
      copy.profile = sample.profile
      copy.credentials = []
      copy.origin = server.origin
      // Each tag is edited at once.
      copy.environment["FERRY_ACCEPT_CHANGE"] = "store"
      try await body(SpelledTags(scenario: copy, origin: server.origin))
      withExtendedLifetime(server) {}
    }
  }

  private static let profile = """
    ferry-profile: 1
    app: spelled
    accept-unmapped: [Tag.id]
    entities:
      Tag:
        identity: { attribute: id }
        carry: listed
        fields: { id: id, name: name, note: note }
    api:
      account: { request: GET /me, member: id }
      settle: 1s
      retry: { limit: 3, first: 50ms, longest: 200ms }
      entities:
        Tag:
          replay: look-up
          list: { request: GET /tags, items: items }
          read: { request: "GET /tags/{id}" }
          version: { header: ETag }
          create: { request: POST /tags }
          update: { request: "PATCH /tags/{id}" }
          delete: { request: "DELETE /tags/{id}" }
          body: { name: name, note: note }
          natural-key: [name]
          unmapped: [id]
    """
}
