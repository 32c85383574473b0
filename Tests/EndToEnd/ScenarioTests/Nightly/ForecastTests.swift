import Foundation
import JSONText
import TestSupport
import Testing

/// What a plan says beforehand, held against what the upload then did.
@Suite(.timeLimit(.minutes(3))) struct ForecastTests {
  private func package(_ scenario: MigrationScenario, _ name: String = "a") async throws -> String {
    let path = "\(scenario.folder)/\(name).ferry"
    try await scenario.export(to: path).exits(0)
    return path
  }

  private func plan(_ scenario: MigrationScenario, _ package: String, _ more: [String] = [])
    async throws
    -> Answer
  {
    let answer = try await scenario.ferry(["plan", package] + scenario.destination + more).exits(0)
    return answer
  }

  private func expected(_ answer: Answer, _ name: String) -> Int64? {
    answer.value("plan")?["expects"]?[name]?.integer
  }

  /// How often the destination was asked to change something.
  private func writes(_ scenario: MigrationScenario, _ body: () async throws -> Void) async throws
    -> Int64
  {
    let before = try scenario.backend.writeCount()
    try await body()
    return try scenario.backend.writeCount() - before
  }

  @Test(arguments: [StoreChoice.small, .legacy, .later])
  func `a first upload needs the requests that its plan expected`(choice: StoreChoice) async throws
  {
    try await withScenario(choice) { scenario in
      let package = try await package(scenario)
      let plan = try await plan(scenario, package)
      #expect((expected(plan, "bytes") ?? 0) > 0)
      let writes = try await writes(scenario) {
        try await scenario.ferry(["upload", package] + scenario.destination).exits(0)
      }
      #expect(writes == expected(plan, "sends"))
    }
  }

  @Test func `a plan lists exactly the fields that its updates change`() async throws {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let before = try scenario.backend.rows("heroes")
      try scenario.sql("UPDATE ZHERO SET ZNAME = 'Neu' WHERE Z_PK IN (1, 2)")
      let package = try await package(scenario)
      let plan = try await plan(scenario, package)
      let changes = plan.value("plan")?["changes"]?.array ?? []
      let heroes = try #require(changes.first { $0["entity"] == "Hero" })
      #expect(heroes["reported"]?.integer == 2)
      #expect(heroes["fields"] == ["name": 2] as JSONValue)
      let writes = try await writes(scenario) {
        let done = try await scenario.ferry(["upload", package] + scenario.destination)
        #expect(done.count("updated") == 2, "\(done)")
      }
      #expect(writes == expected(plan, "sends"))
      var changed: [String: Int64] = [:]
      for (id, row) in try scenario.backend.rows("heroes") {
        for member in row.object?.members ?? [] where before[id]?[member.name] != member.value {
          changed[member.name, default: 0] += 1
        }
      }
      #expect(changed["name"] == 2)
      #expect(Set(changed.keys).isSubset(of: ["name", "updatedAt", "version"]), "\(changed)")
    }
  }

  @Test func `every operation is listed, an update with its fields`() async throws {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      try scenario.sql("UPDATE ZHERO SET ZNAME = 'Neu' WHERE Z_PK = 1")
      let plan = try await plan(scenario, try await package(scenario), ["--diff"])
      let operations = plan.values.filter { $0["type"] == "operation" }
      #expect(operations.count == 1)
      #expect(operations.first?["action"] == "update")
      #expect(operations.first?["fields"]?.array?.map { $0["name"]?.text } == ["name"])
    }
  }

  @Test func `under a rate limit, the forecast's time follows the number of requests`() async throws
  {
    try await withScenario { scenario in
      let plan = try await plan(scenario, try await package(scenario), ["--rate", "50"])
      let expects = try #require(plan.value("plan")?["expects"])
      let requests = (expected(plan, "sends") ?? 0) + (expected(plan, "reads") ?? 0)
      #expect(expects["rate"]?.double == 50)
      #expect((expects["seconds"]?.double ?? 0) >= Double(requests) / 50 - 0.001)
    }
  }

  @Test func `the plan's forecast counts a file's ticket, upload and confirmation`()
    async throws
  {
    try await withScenario(takesMedia: true) { scenario in
      let package = try await package(scenario)
      let plan = try await plan(scenario, package)
      let files = try #require(expected(plan, "files"))
      #expect(files > 0)
      func requestsOfFiles() throws -> Int64 {
        (try scenario.backend.state()["requests"]?.object?.members ?? [])
          .filter { $0.name.contains("/files/") || $0.name.contains("/uploads/") }
          .reduce(0) { $0 + ($1.value.integer ?? 0) }
      }
      let before = try requestsOfFiles()
      try await scenario.ferry(["upload", package] + scenario.destination).exits(0)
      // One look shows that the ticket route is there.
      #expect(try requestsOfFiles() - before == 3 * files + 1)
      #expect(expected(plan, "sends").map { $0 >= 3 * files } == true)
    }
  }

  @Test func `no flag raises the rate above CloudKit's limit`() async throws {
    try await withCloudKitScenario { scenario in
      let package = "\(scenario.folder)/a.ferry"
      _ = try await scenario.program.run(
        ["export", scenario.store, "--profile", scenario.profile, "-o", package],
        state: "\(scenario.folder)/state"
      )
      let plan = try await scenario.ferry(["plan", package, "--rate", "1000"]).exits(0)
      #expect(plan.value("plan")?["expects"]?["rate"]?.double == 40)
    }
  }

  @Test func `an offline plan sends no request, and agrees with the online one`() async throws {
    try await withScenario { scenario in
      let package = try await package(scenario)
      let asked = try await plan(scenario, package)
      let before = try scenario.backend.state()
      let offline = try await plan(scenario, package, ["--offline"])
      #expect(try scenario.backend.state() == before)
      #expect(offline.value("plan")?["offline"] == true)
      #expect(offline.value("plan")?["operations"] == asked.value("plan")?["operations"])
      #expect(expected(offline, "sends") == expected(asked, "sends"))
    }
  }

  @Test func `an offline plan knows the records that earlier runs sent`() async throws {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      try scenario.sql("UPDATE ZHERO SET ZNAME = 'Neu' WHERE Z_PK = 1")
      let package = try await package(scenario)
      let asked = try await plan(scenario, package)
      await scenario.backend.stop()
      let offline = try await plan(scenario, package, ["--offline"])
      #expect(offline.value("plan")?["operations"] == asked.value("plan")?["operations"])
      #expect(offline.count("unchanged", in: "plan") == asked.count("unchanged", in: "plan"))
    }
  }

  @Test(arguments: [["--offline", "-o", "x.plan"], ["--offline", "--full"]])
  func `an operation that needs the server is refused by an offline plan`(flags: [String])
    async throws
  {
    try await withScenario { scenario in
      let words = ["plan", "x.ferry"] + scenario.destination + flags
      try await scenario.ferry(words).exits(64)
    }
  }
}
