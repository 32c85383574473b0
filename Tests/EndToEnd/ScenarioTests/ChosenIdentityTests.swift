import JSONText
import TestSupport
import Testing

/// A server that has its own mind about the identities that clients choose.
@Suite(.timeLimit(.minutes(2))) struct ChosenIdentityTests {
  @Test(arguments: [200, 201])
  func `a server that chooses identities gets one record, which a rollback removes`(
    status: Int
  ) async throws {
    try await Notes.with { notes in
      try notes.set(["identity": "own", "status": .number(JSONNumber(Int64(status)))])
      let first = try await notes.scenario.migrate().exits(7)
      #expect(first.standardError.contains("“replay: look-up” for Note"), "\(first)")
      #expect(first.count("created") == 1)
      #expect(try notes.ids() == ["s1"])
      // The same line makes no further one.
      try await notes.scenario.migrate().exits(7)
      #expect(try notes.ids() == ["s1"])
      try await notes.scenario.rollback(try first.run()).exits(0)
      #expect(try notes.ids().isEmpty)
    }
  }

  @Test func `a run that a server's own identities ended goes on with the profile that is named`()
    async throws
  {
    try await Notes.with { notes in
      try notes.set(["identity": "own"])
      try await notes.scenario.migrate().exits(7)
      let text = Notes.profile.replacing("replay: id", with: "replay: look-up")
        .replacing(
          "body: { id: id, title: title }",
          with: "body: { title: title }\n      unmapped: [id]"
        )
      try text.save(to: notes.scenario.profile)
      let second = try await notes.scenario.migrate(["--accept-change", "profile"]).exits(0)
      #expect(second.value("verification")?["clean"] == true)
      #expect(try notes.ids() == ["s1", "s2", "s3"])
    }
  }

  @Test(arguments: [["bare": true], ["lose": true]] as [JSONValue])
  func `a record that the server made without naming its ID is found and remembered`(
    mind: JSONValue
  ) async throws {
    try await Notes.with { notes in
      try notes.set(["identity": "own"])
      try notes.set(mind)
      let first = try await notes.scenario.migrate().exits(7)
      #expect(try notes.ids() == ["s1"])
      try await notes.scenario.rollback(try first.run()).exits(0)
      #expect(try notes.ids().isEmpty)
    }
  }

  @Test
  func
    `a record that the server created and does not show is created once, and named by a rollback`()
    async throws
  {
    try await Notes.with { notes in
      try notes.set(["identity": "own", "bare": true, "hidden": true])
      let first = try await notes.scenario.migrate().exits(7)
      for _ in 1...2 { #expect(try await notes.scenario.migrate().status == 7) }
      #expect(try notes.ids() == ["s1"])
      let back = try await notes.scenario.rollback(try first.run()).exits(6)
      #expect(back.findings("upload.conflict").compactMap { $0["record"]?.text } == ["A1"])
      #expect(try notes.ids() == ["s1"])
    }
  }

  @Test(arguments: ["id: already exists", "validation_pk_invalid", "no"])
  func `if the first answers are lost, each record is created once, whatever a repeat says`(
    words: String
  ) async throws {
    try await Notes.with { notes in
      try notes.set(["lose": true, "words": .string(words)])
      let first = try await notes.scenario.migrate().exits(0)
      #expect(first.count("created") == 3 && first.count("rejected") == 0)
      #expect(first.value("verification")?["clean"] == true)
      #expect(try notes.ids().count == 3)
      try await notes.scenario.rollback(try first.run()).exits(0)
      #expect(try notes.ids().isEmpty)
    }
  }

  @Test(arguments: ["POST /notes", "PUT /notes/{id}"])
  func `a server that keeps identities in lower case takes all records, and gives them back`(
    create: String
  ) async throws {
    try await Notes.with { notes in
      try Notes.profile.replacing("POST /notes", with: "\"\(create)\"")
        .save(to: notes.scenario.profile)
      try notes.set(["identity": "lower"])
      let first = try await notes.scenario.migrate().exits(0)
      #expect(first.value("verification")?["clean"] == true)
      let spelling = first.findings("destination.spelling")
      #expect(spelling.count == 1)
      #expect(spelling.first?["cure"]?.text?.contains("client-id: lower") == true)
      #expect(try await notes.scenario.migrate().count("unchanged") == 3)
      // A machine without a checkpoint finds the same records, and makes none.
      var elsewhere = notes.scenario
      elsewhere.stateName = "elsewhere"
      let adopted = try await elsewhere.migrate().exits(0)
      #expect(adopted.count("unchanged") == 3)
      try notes.scenario.sql("UPDATE Note SET title = 'new' WHERE title = 'one'")
      let changed = try await notes.scenario.migrate()
      #expect(changed.count("updated") == 1, "\(changed)")
      for run in [try changed.run(), try first.run()] {
        try await notes.scenario.rollback(run).exits(0)
      }
      #expect(try notes.ids().isEmpty)
    }
  }

  @Test func `a lost answer of a server that keeps identities in lower case is found`() async throws
  {
    try await Notes.with { notes in
      try notes.set(["identity": "lower", "lose": true])
      try await notes.scenario.migrate().exits(0)
      #expect(try notes.ids().count == 3)
    }
  }

  @Test
  func `a record that cannot be looked up is named, and the others are rolled back`()
    async throws
  {
    try await Notes.with { notes in
      try notes.set(["lose": ["two"], "confused": ["A2"]])
      let first = try await notes.scenario.migrate().exits(7)
      let back = try await notes.scenario.rollback(try first.run()).exits(6)
      #expect(back.findings("upload.conflict").compactMap { $0["record"]?.text } == ["A2"])
      #expect(try notes.ids() == ["A2"])
    }
  }

  @Test func `two records whose identities the server equates are refused as duplicates`()
    async throws
  {
    try await Notes.with { notes in
      try notes.scenario.sql("INSERT INTO Note VALUES ('a1', 'four')")
      try notes.set(["identity": "lower"])
      let first = try await notes.scenario.migrate()
      #expect(first.count("created") == 3, "\(first)")
      #expect(try notes.ids().count == 3)
      try await notes.scenario.rollback(try first.run()).exits(0)
      #expect(try notes.ids().isEmpty)
    }
  }

  @Test(arguments: ["sha256", "uuid5", "lower"])
  func `a body has the identity by which a record is looked for`(form: String) async throws {
    try await Notes.with { notes in
      try Notes.profile.replacing("client-id: as-is", with: "client-id: \(form)")
        .save(to: notes.scenario.profile)
      try notes.set(["lose": true])
      let first = try await notes.scenario.migrate().exits(0)
      #expect(first.value("verification")?["clean"] == true)
      #expect(try notes.ids().count == 3)
      try await notes.scenario.rollback(try first.run()).exits(0)
      #expect(try notes.ids().isEmpty)
    }
  }

  /// `preflight`, `plan` and `verify` follow one rule.
  @Test(arguments: [
    ("sha256", "{ id: id, title: title }", true), ("uuid", "{ id: id, title: title }", true),
    ("sha256", "{ id: id, title: title, key: id }", false),
    ("lower", "{ id: id, title: title }", false),
  ])
  func `a key that no field has is reported wherever a field without a place is`(
    form: String,
    body: String,
    isLost: Bool
  ) async throws {
    try await Notes.with { notes in
      try Notes.profile.replacing("client-id: as-is", with: "client-id: \(form)")
        .replacing("body: { id: id, title: title }", with: "body: \(body)")
        .save(to: notes.scenario.profile)
      let words = "no field has"
      let preflight = try await notes.scenario.ferry(["preflight"] + notes.scenario.destination)
      // Which keys are UUIDs is seen once they are read.
      #expect(
        preflight.standardOutput.contains(words) == (isLost && form != "uuid"),
        "\(preflight)"
      )
      let first = try await notes.scenario.migrate()
      for type in ["upload", "verification"] {
        let findings = try #require(first.value(type)?["findings"]?.array, "\(type): \(first)")
        let found = findings.filter {
          $0["cause"]?.text?.contains("\(words) the key itself (3 records)") == true
        }
        #expect(
          found.map { $0["code"]?.text } == (isLost ? ["plan.unmapped"] : []),
          "\(type): \(first)"
        )
        #expect(found.allSatisfy { $0["severity"] == "warning" && $0["entity"] == "Note" })
      }
    }
  }
}

/// A plain database with three notes, and the server that they go to.
private struct Notes {
  let scenario: MigrationScenario
  let origin: String

  /// The identities of all notes at the server, in the order in which they were made.
  func ids() throws -> [String] {
    let notes = try RealServer.get("\(origin)/state")["notes"]?.array ?? []
    return notes.compactMap { $0["id"]?.text }
  }

  func set(_ mind: JSONValue) throws {
    _ = try RealServer.get("\(origin)/set", ["-X", "POST", "-d", mind.canonicalText])
  }

  static func with(_ body: (Notes) async throws -> Void) async throws {
    try await withServer("identity", prepare: prepare) { scenario, origin in
      try await body(Notes(scenario: scenario, origin: origin))
    }
  }

  private static func prepare(_ sample: Sample, _ origin: String) throws -> String {
    try Python.edit(
      sample.store,
      "CREATE TABLE Note (id TEXT PRIMARY KEY, title TEXT)",
      "INSERT INTO Note VALUES ('A1', 'one'), ('A2', 'two'), ('A3', 'three')"
    )
    return profile
  }

  static let profile = """
    ferry-profile: 1
    app: notes
    entities:
      Note:
        identity: { attribute: id }
        carry: listed
        fields: { id: id, title: title }
    api:
      account: { request: GET /me, member: id }
      settle: 300ms
      retry: { limit: 3, first: 20ms, longest: 100ms }
      client-id: as-is
      entities:
        Note:
          replay: id
          list: { request: GET /notes, items: items }
          read: { request: "GET /notes/{id}" }
          create: { request: POST /notes }
          update: { request: "PATCH /notes/{id}" }
          delete: { request: "DELETE /notes/{id}" }
          natural-key: [title]
          body: { id: id, title: title }
    """
}
