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
      try await tags.scenario.migrate(["--retries", "0"]).exits(5)
      let last = try await tags.scenario.migrate().exits(0)
      #expect(last.value("verification")?["clean"] == true)
      #expect(try tags.notes().sorted() == ["one", "two"])
    }
  }

  @Test func `the record that cannot be read is reported, and the other one is decided`()
    async throws
  {
    try await SpelledTags.with(["one", "two"]) { tags in
      #expect(try await tags.scenario.migrate().count("created") == 2)
      try tags.scenario.sql("UPDATE Tag SET note = note || ' mine'")
      for name in ["caf%C3%A9", "cafe%CC%81"] {
        try tags.send("PATCH", "tags/\(name)", ["note": "theirs"])
      }
      try tags.set(["broken": [.string(SpelledTags.one)]])
      let answer = try await tags.scenario.migrate(["--retries", "0"]).exits(6)
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
      #expect(preview.count("remaining", in: "rollback") == 1, "\(preview)")
      try await tags.scenario.rollback(run).exits(0)
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
    func prepare(_ sample: Sample, _ origin: String) throws -> String {
      try Python.edit(
        sample.store,
        "CREATE TABLE Tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL, note TEXT)"
      )
      for (number, note) in notes.enumerated() {
        let name = number == 0 ? "'caf' || char(233)" : "'cafe' || char(769)"
        try Python.edit(sample.store, "INSERT INTO Tag VALUES (\(number + 1), \(name), '\(note)')")
      }
      return profile
    }
    try await withServer("spelled", editsAll: true, prepare: prepare) { scenario, origin in
      try await body(SpelledTags(scenario: scenario, origin: origin))
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
