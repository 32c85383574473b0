import JSONText
import TestSupport
import Testing

/// A server that is written with Django REST framework, also as it speaks JSON:API, and the profile that
/// `ferry init` drafts for it, unchanged.
@Suite(
  .enabled(
    if: Servers.django != nil,
    "skipped: FERRY_DJANGO does not name a Python that has Django REST framework JSON:API"
  ),
  .timeLimit(.minutes(5))
)
struct DjangoTests {
  enum Preset: String, CaseIterable {
    case rest = "django-rest-framework"
    case jsonAPI = "json-api"

    /// What comes behind the server's address.
    var path: String { self == .jsonAPI ? "/api" : "" }
  }

  @Test(arguments: Preset.allCases)
  func `a drafted profile is sent as it is, repeated, changed, and rolled back`(preset: Preset)
    async throws
  {
    try await withDjango(preset) { scenario, _ in
      try await scenario.ferry(["preflight"]).exits(0)
      let first = try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(first.value("verification")?["clean"] == true)
      #expect(try scenario.count() == 424)
      for state in ["state", "elsewhere"] {
        let again = try await scenario.ferry(["migrate", scenario.store], state: state)
        #expect(again.count("unchanged") == 424, "\(again)")
      }
      try Python.edit(
        scenario.store,
        "UPDATE ZSTORY SET ZTITLE = '  Neu – neu  ' WHERE Z_PK IN (1, 2)"
      )
      let second = try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(second.count("updated") == 2)
      #expect(second.value("verification")?["clean"] == true)
      for run in [try second.run(), try first.run()] {
        try await scenario.ferry(["rollback", run]).exits(0)
      }
      #expect(try scenario.count() == 0)
    }
  }

  @Test(arguments: Preset.allCases)
  func
    `a reference that the app changed is changed at the server, and a deleted record is deleted`(
      preset: Preset
    ) async throws
  {
    try await withDjango(preset) { scenario, _ in
      try await scenario.ferry(["migrate", scenario.store]).exits(0)
      try Python.edit(
        scenario.store,
        "UPDATE ZSTORY SET ZHERO = (SELECT MAX(Z_PK) FROM ZHERO WHERE Z_PK <> ZHERO) WHERE Z_PK = 3",
        "DELETE FROM ZSTORYILLUSTRATION WHERE Z_PK IN (SELECT Z_PK FROM ZSTORYILLUSTRATION LIMIT 3)"
      )
      let second = try await scenario.ferry(["migrate", scenario.store, "--delete"]).exits(0)
      #expect(second.count("updated") == 1 && second.count("deleted") == 3)
      #expect(second.value("verification")?["clean"] == true)
      #expect(try scenario.count() == 421)
    }
  }

  @Test(arguments: Preset.allCases)
  func `a run that is killed five times, with lost answers, stores each record once`(
    preset: Preset
  ) async throws {
    try await withDjango(preset, losing: 7) { scenario, _ in
      for number in 1...5 {
        _ = try await FerryProgram().run(
          ["migrate", scenario.store] + scenario.flags,
          state: "\(scenario.folder)/state",
          stop: .kill(after: .milliseconds(120 * number), line: "upload …")
        )
      }
      try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(try scenario.count() == 424)
    }
  }

  @Test(arguments: Preset.allCases)
  func `a record that another user has is a conflict, and stays as it is`(preset: Preset)
    async throws
  {
    try await withDjango(preset) { scenario, origin in
      try await scenario.ferry(["migrate", scenario.store]).exits(0)
      try secret("other-token", "\(scenario.folder)/other")
      let other = try await FerryProgram().answer(
        [
          "migrate", scenario.store, "--profile", "\(scenario.folder)/draft/profile.yaml",
          "--to", origin + preset.path, "--credential", "token=file:\(scenario.folder)/other",
        ],
        state: "\(scenario.folder)/other-state"
      )
      #expect(other.count("conflicted", of: "Hero") == 24, "\(other)")
      #expect(other.count("created") == 0)
      #expect(try scenario.count() == 424)
    }
  }

  @Test func `a wrong token is named by preflight, and nothing is sent`() async throws {
    try await withDjango(.jsonAPI) { scenario, _ in
      try secret("none", "\(scenario.folder)/token")
      let preflight = try await scenario.ferry(["preflight"]).exits(7)
      #expect(preflight.standardOutput.contains("401 authentication_failed: Invalid token."))
      let migrate = try await scenario.ferry(["migrate", scenario.store]).exits(7)
      #expect(migrate.standardError.contains("--credential"))
      try secret("drf-token", "\(scenario.folder)/token")
      #expect(try scenario.count() == 0)
    }
  }

  @Test func `a refused record is listed with the member that the server names`() async throws {
    try await withDjango(.jsonAPI) { scenario, _ in
      try Python.edit(
        scenario.store,
        "UPDATE ZSTORY SET ZPLAYCOUNT = 31999 WHERE Z_PK = 5"
      )
      let place = "\(scenario.folder)/draft/profile.yaml"
      let profile = try String(at: place)
      try profile.replacing(
        "      collection: stories\n",
        with: "      collection: stories\n"
          + "      body: { play_count: { field: playCount, map: { \"31999\": many } } }\n"
      ).save(to: place)
      let answer = try await scenario.ferry(["migrate", scenario.store]).exits(3)
      #expect(answer.count("rejected", of: "Story") == 1, "\(answer)")
      #expect(
        answer.standardOutput.contains("/data/attributes/play_count: A valid biginteger is")
      )
    }
  }
}

/// Lends the server and a copy of the sample store.
///
/// With `losing`, a proxy keeps back every answer of that number to a request that may change something.
private func withDjango(
  _ preset: DjangoTests.Preset,
  losing number: Int? = nil,
  _ body: (RealServerScenario, _ origin: String) async throws -> Void
) async throws {
  let python = try #require(Servers.django)
  try await withTemporaryFolder { folder in
    let sample = try Samples.infiniteStories.copied(into: folder)
    try await FerryProgram().run(
      ["init", sample.store, "--preset", preset.rawValue, "-o", "\(folder)/draft"],
      state: "\(folder)/state"
    ).exits(0)
    let server = try RealServer.django(python, in: folder, isJSONAPI: preset == .jsonAPI)
    let proxy = try number.map { try RealServer.losing($0, before: server.origin, in: folder) }
    try secret("drf-token", "\(folder)/token")
    let tables = ["customstoryevent", "hero", "herovisualprofile", "story", "storyillustration"]
    let scenario = RealServerScenario(
      folder: folder,
      store: sample.store,
      flags: [
        "--profile", "\(folder)/draft/profile.yaml",
        "--to", (proxy?.origin ?? server.origin) + preset.path,
        "--credential", "token=file:\(folder)/token",
      ],
      count: {
        let counts = try tables.map { table in
          try Python.run(["-c", counting, "\(folder)/django.sqlite", "stories_\(table)"])
        }
        return counts.reduce(0) { $0 + (Int($1.filter(\.isNumber)) ?? 0) }
      }
    )
    try await body(scenario, server.origin)
    withExtendedLifetime(proxy) {}
  }
}

/// Counts the rows of a table in the server's own database.
private let counting = """
  import sqlite3, sys
  print(sqlite3.connect(sys.argv[1]).execute(f'SELECT COUNT(*) FROM "{sys.argv[2]}"').fetchone()[0])
  """
