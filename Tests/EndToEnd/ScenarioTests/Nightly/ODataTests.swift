import JSONText
import TestSupport
import Testing

/// The profile that `ferry init --preset odata` drafts, sent to a stand-in that is written from the standard.
///
/// The entities are counted in the stand-in's own database.
@Suite(.timeLimit(.minutes(5)))
struct ODataTests {
  static func backend(
    token: String = "ada-token",
    with values: String = "",
    sets: String = "",
    more: String = "",
    folder: String = ""
  ) -> StandInScenario.Backend {
    StandInScenario.Backend(
      preset: "odata",
      script: "odata_server.py",
      credentials: ["token": token],
      path: "/odata",
      filled: { draft in
        draft
          .replacing("preset: odata", with: "preset: odata\n  with: { \(values) }\(more)")
          .replacing("collection: folders\n", with: "collection: \(sets)folders\n      \(folder)\n")
          .replacing("      collection: notes\n", with: "      collection: \(sets)notes\n\(notes)")
      }
    )
  }

  /// What a person adds to the draft: the reference has the property of its key, and the text of a date is a moment.
  private static let notes = """
          body: { folder: { reference: folder_ref } }
          unmapped: [folder]
          compare: { made: instant }

    """

  /// The draft by the service's own metadata, sent as it is.
  static var described: StandInScenario.Backend {
    StandInScenario.Backend(
      preset: "odata",
      script: "odata_server.py",
      credentials: ["token": "ada-token"],
      initial: ["--to", "{server}/odata", "--credential", "token=command:echo ada-token"],
      path: "/odata"
    )
  }

  private static let ada = ["Authorization: Bearer ada-token", "If-Match: *"]

  @Test func `keys of text are in quotes, and many requests go in one batch`() async throws {
    let backend = Self.backend(with: "quote: \"'\", batch: 50", sets: "text")
    try await withStandIn(backend) { scenario in
      try await scenario.migrate().exits(0)
      #expect(try scenario.count() == 250)
      try scenario.edit(
        "UPDATE Note SET title = title || '!' WHERE id < 'n031'",
        "DELETE FROM Note WHERE id > 'n230'"
      )
      try scenario.seen(reset: true)
      let second = try await scenario.migrate(["--delete"]).exits(0)
      #expect(second.count("updated") == 30)
      #expect(second.count("deleted") == 10)
      #expect(second.value("verification")?["clean"] == true)
      #expect(try scenario.seen("batches") == 2)
      try await scenario.ferry(["rollback", try second.run()]).exits(6)
      #expect(try scenario.count() == 240)
    }
  }

  @Test func `without batches, no batch is sent`() async throws {
    try await withStandIn(Self.backend(), notes: 3) { scenario in
      try scenario.ask("POST", "/__set", ["batches": 0])
      try await scenario.migrate().exits(0)
      #expect(try scenario.count() == 13)
    }
  }

  @Test func `an entity that another device changed is kept, and named`() async throws {
    try await withStandIn(Self.backend(), notes: 3) { scenario in
      try await scenario.keepsTheirs {
        try scenario.ask(
          "PATCH",
          "/odata/notes(\(try scenario.firstNote()))",
          ["title": "theirs"],
          Self.ada
        )
      }
    }
  }

  @Test(arguments: ["", "batch: 20"])
  func `an entity that is too long is named with the server's reason, and the others arrive`(
    with values: String
  ) async throws {
    try await withStandIn(Self.backend(with: values), notes: 20) { scenario in
      try await scenario.refusesOne("The value of title has more than 200 characters.")
    }
  }

  @Test
  func `a busy service, one that heeds no preference, and one without ETags get every entity`()
    async throws
  {
    for fault in ["busy", "quiet", "lenient"] {
      try await withStandIn(Self.backend(), notes: 20) { scenario in
        try scenario.ask("POST", "/__set", .object([fault: 1]))
        try await scenario.migrate().exits(0)
        try scenario.edit("UPDATE Note SET title = title || '!' WHERE id = 'n001'")
        let second = try await scenario.migrate().exits(0)
        #expect(second.count("updated") == 1, "\(fault)")
        #expect(try scenario.count() == 30, "\(fault)")
      }
    }
  }

  @Test func `a wrong token and an account that may not write are named, and nothing is sent`()
    async throws
  {
    for (token, words) in [("wrong", "Unauthorized"), ("eve-token", "Forbidden")] {
      try await withStandIn(Self.backend(token: token), notes: 1) { scenario in
        let answer = try await scenario.migrate().exits(7)
        #expect(answer.standardError.contains(words))
        #expect(try scenario.count() == 0)
      }
    }
  }

  @Test func `a draft by the service's metadata is sent as it is`() async throws {
    try await withStandIn(Self.described, notes: 20) { scenario in
      let draft = try String(at: scenario.profile)
      #expect(!draft.contains("# unchecked:"))
      #expect(draft.contains("      # at the server: title\n"))
      #expect(draft.contains("\"folder\": { reference: \"folder_ref\" }"))
      #expect(draft.contains("      compare: { \"made\": instant }\n"))
      try await scenario.ferry(["preflight"]).exits(0)
      #expect(try scenario.count() == 0)
      let first = try await scenario.migrate().exits(0)
      #expect(first.count("created") == 30)
      #expect(first.value("verification")?["clean"] == true)
    }
  }

  @Test(arguments: ["forbidden", "missing", "empty", "entities", "large", "deep", "cycle"])
  func `without metadata that can be read, a draft follows the conventions and says so`(
    kind: String
  ) async throws {
    try await withStandIn(Self.backend(), notes: 1) { scenario in
      try scenario.ask("POST", "/__set", ["metadata": .string(kind)])
      let start = ContinuousClock.now
      let drafted = try await FerryProgram().run(
        [
          "init", scenario.store, "--preset", "odata", "--to", scenario.origin, "--credential",
          "token=command:echo ada-token", "-o", "\(scenario.folder)/again",
        ],
        state: "\(scenario.folder)/state"
      )
      #expect(drafted.status == 0, "\(drafted.standardError)")
      #expect(drafted.standardError.contains("gave nothing to read"))
      let draft = try String(at: "\(scenario.folder)/again/profile.yaml")
      #expect(draft.contains("      # unchecked: title\n"))
      let answer = try await scenario.ferry(["preflight"]).exits(0)
      #expect(answer.standardOutput.contains("were not looked at"))
      #expect(ContinuousClock.now - start < .seconds(120))
      #expect(try scenario.seen("metadata") == 2)
    }
  }

  /// The lines are those of the guide.
  @Test func `without ETags, the date of the last change is the revision`() async throws {
    let lines = """

        defaults:
          version: changed
          list: { since: { name: $filter, value: "changed ge {since}" } }
          update: { if-match: false }
          delete: { if-match: false }
      """
    let backend = Self.backend(more: lines, folder: "version: null\n      list: { since: null }")
    try await withStandIn(backend, notes: 20) { scenario in
      try scenario.ask("POST", "/__set", ["lenient": 1])
      try await scenario.migrate().exits(0)
      for _ in 1...2 {
        try scenario.edit("UPDATE Note SET title = title || '!' WHERE id = 'n001'")
        let later = try await scenario.migrate().exits(0)
        #expect(later.count("updated") == 1)
        #expect(later.count("unchanged") == 29)
      }
    }
  }
}
