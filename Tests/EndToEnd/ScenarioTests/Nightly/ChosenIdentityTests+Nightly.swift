import JSONText
import TestSupport
import Testing

extension ChosenIdentityTests {
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
      // Which keys are UUIDs is seen once they are read: until then it is said of those that are none.
      #expect(preflight.standardOutput.contains(words) == isLost, "\(preflight)")
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
