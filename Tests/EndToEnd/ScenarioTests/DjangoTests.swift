import JSONText
import TestSupport
import Testing

/// A server that is written with Django REST framework, and the profile that
/// `ferry init --preset django-rest-framework` drafts, unchanged.
@Suite(
  .enabled(
    if: Servers.django != nil,
    "skipped: FERRY_DJANGO does not name a Python that has Django REST framework"
  ),
  .timeLimit(.minutes(5))
)
struct DjangoTests {
  @Test func `a drafted profile is sent as it is, repeated, changed, and rolled back`() async throws
  {
    try await withDjango { scenario, _ in
      let preflight = try await scenario.ferry(["preflight"])
      #expect(preflight.status == 0, "\(preflight.standardOutput)\(preflight.standardError)")
      let first = try await scenario.ferry(["migrate", scenario.store])
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      #expect(first.value("verification")?["clean"] == true)
      #expect(try scenario.count() == 424)
      for state in ["state", "elsewhere"] {
        let again = try await scenario.ferry(["migrate", scenario.store], state: state)
        #expect(again.count("unchanged") == 424, "\(again.standardOutput)\(again.standardError)")
      }
      try Python.edit(
        scenario.store,
        "UPDATE ZSTORY SET ZTITLE = '  Neu – neu  ' WHERE Z_PK IN (1, 2)"
      )
      let second = try await scenario.ferry(["migrate", scenario.store])
      #expect(second.status == 0 && second.count("updated") == 2, "\(second.standardError)")
      #expect(second.value("verification")?["clean"] == true)
      for run in [try second.run(), try first.run()] {
        let back = try await scenario.ferry(["rollback", run])
        #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      }
      #expect(try scenario.count() == 0)
    }
  }

  @Test func `a record that the app deleted is deleted at the server`() async throws {
    try await withDjango { scenario, _ in
      #expect(try await scenario.ferry(["migrate", scenario.store]).status == 0)
      try Python.edit(
        scenario.store,
        "DELETE FROM ZSTORYILLUSTRATION WHERE Z_PK IN (SELECT Z_PK FROM ZSTORYILLUSTRATION LIMIT 3)"
      )
      let second = try await scenario.ferry(["migrate", scenario.store, "--delete"])
      #expect(second.status == 0, "\(second.standardOutput)\(second.standardError)")
      #expect(second.count("deleted") == 3)
      #expect(try scenario.count() == 421)
    }
  }

  @Test func `a run that is killed five times, with lost answers, stores each record once`()
    async throws
  {
    try await withDjango(losing: 7) { scenario, _ in
      for number in 1...5 {
        _ = try await FerryProgram().run(
          ["migrate", scenario.store] + scenario.flags,
          state: "\(scenario.folder)/state",
          stop: .kill(after: .milliseconds(120 * number), line: "upload …")
        )
      }
      let last = try await scenario.ferry(["migrate", scenario.store])
      #expect(last.status == 0, "\(last.standardOutput)\(last.standardError)")
      #expect(try scenario.count() == 424)
    }
  }

  @Test func `a record that another user has is a conflict, and stays as it is`() async throws {
    try await withDjango { scenario, origin in
      #expect(try await scenario.ferry(["migrate", scenario.store]).status == 0)
      try secret("other-token", "\(scenario.folder)/other")
      let other = try await Answer(
        FerryProgram().run(
          ["migrate", scenario.store, "--profile", "\(scenario.folder)/draft/profile.yaml"]
            + ["--to", origin, "--credential", "token=file:\(scenario.folder)/other"]
            + ["--format", "ndjson", "--progress", "none"],
          state: "\(scenario.folder)/other-state"
        )
      )
      #expect(other.count("conflicted", of: "Hero") == 24, "\(other.standardError)")
      #expect(other.count("created") == 0)
      #expect(try scenario.count() == 424)
    }
  }
}

/// Lends the server and a copy of the sample store.
///
/// With `losing`, a proxy keeps back every answer of that
/// number to a request that may change something.
private func withDjango(
  losing number: Int? = nil,
  _ body: (RealServerScenario, _ origin: String) async throws -> Void
) async throws {
  let python = try #require(Servers.django)
  try await withTemporaryFolder { folder in
    let sample = try Samples.infiniteStories.copied(into: folder)
    let drafted = try await FerryProgram().run(
      ["init", sample.store, "--preset", "django-rest-framework", "-o", "\(folder)/draft"],
      state: "\(folder)/state"
    )
    #expect(drafted.status == 0, "\(drafted.standardError)")
    let server = try RealServer.django(python, in: folder)
    let proxy = try number.map { try RealServer.losing($0, before: server.origin, in: folder) }
    try secret("drf-token", "\(folder)/token")
    let collections = [
      "custom_story_events", "heros", "hero_visual_profiles", "stories", "story_illustrations",
    ]
    let scenario = RealServerScenario(
      folder: folder,
      store: sample.store,
      flags: [
        "--profile", "\(folder)/draft/profile.yaml", "--to", proxy?.origin ?? server.origin,
        "--credential", "token=file:\(folder)/token",
      ],
      count: {
        try collections.reduce(0) { sum, name in
          let page = try RealServer.get(
            "\(server.origin)/api/\(name)/",
            ["--header", "Authorization: Token drf-token"]
          )
          return sum + Int(page["count"]?.integer ?? 0)
        }
      }
    )
    try await body(scenario, server.origin)
    withExtendedLifetime(proxy) {}
  }
}
