import Foundation
import JSONText
import TestSupport
import Testing

/// What a plan says beforehand, held against what the upload then did.
@Suite(.timeLimit(.minutes(3))) struct ForecastTests {
  private func package(_ crossing: Crossing, _ name: String = "a") async throws -> String {
    let path = "\(crossing.folder)/\(name).ferry"
    #expect(try await crossing.export(to: path).status == 0)
    return path
  }

  private func plan(_ crossing: Crossing, _ package: String, _ more: [String] = []) async throws
    -> Answer
  {
    let answer = try await crossing.ferry(["plan", package] + crossing.destination + more)
    #expect(answer.status == 0, "\(answer.standardError)")
    return answer
  }

  private func expected(_ answer: Answer, _ name: String) -> Int64? {
    answer.value("plan")?["expects"]?[name]?.integer
  }

  /// How often the destination was asked to change something.
  private func writes(_ crossing: Crossing, _ body: () async throws -> Void) async throws -> Int64 {
    let before = try crossing.backend.writeCount()
    try await body()
    return try crossing.backend.writeCount() - before
  }

  @Test(arguments: [StoreChoice.small, .legacy, .later])
  func `a first upload takes the requests that its plan expected`(choice: StoreChoice) async throws
  {
    try await withCrossing(choice) { crossing in
      let package = try await package(crossing)
      let plan = try await plan(crossing, package)
      #expect((expected(plan, "bytes") ?? 0) > 0)
      let writes = try await writes(crossing) {
        let done = try await crossing.ferry(["upload", package] + crossing.destination)
        #expect(done.status == 0, "\(done.standardError)")
      }
      #expect(writes == expected(plan, "sends"))
    }
  }

  @Test func `a plan names the fields that the updates then change, and no other`() async throws {
    try await withCrossing { crossing in
      #expect(try await crossing.migrate().status == 0)
      let before = try crossing.backend.rows("heroes")
      try Python.edit(crossing.sample.store, "UPDATE ZHERO SET ZNAME = 'Neu' WHERE Z_PK IN (1, 2)")
      let package = try await package(crossing)
      let plan = try await plan(crossing, package)
      let changes = plan.value("plan")?["changes"]?.array ?? []
      let heroes = try #require(changes.first { $0["entity"] == "Hero" })
      #expect(heroes["told"]?.integer == 2)
      #expect(heroes["fields"] == ["name": 2] as JSONValue)
      let writes = try await writes(crossing) {
        let done = try await crossing.ferry(["upload", package] + crossing.destination)
        #expect(done.count("updated") == 2, "\(done.standardError)")
      }
      #expect(writes == expected(plan, "sends"))
      var changed: [String: Int64] = [:]
      for (id, row) in try crossing.backend.rows("heroes") {
        for member in row.object?.members ?? [] where before[id]?[member.name] != member.value {
          changed[member.name, default: 0] += 1
        }
      }
      #expect(changed["name"] == 2)
      #expect(Set(changed.keys).isSubset(of: ["name", "updatedAt", "version"]), "\(changed)")
    }
  }

  @Test func `every operation is listed, an update with its fields`() async throws {
    try await withCrossing { crossing in
      #expect(try await crossing.migrate().status == 0)
      try Python.edit(crossing.sample.store, "UPDATE ZHERO SET ZNAME = 'Neu' WHERE Z_PK = 1")
      let plan = try await plan(crossing, try await package(crossing), ["--list"])
      let operations = plan.values.filter { $0["type"] == "operation" }
      #expect(operations.count == 1)
      #expect(operations.first?["action"] == "update")
      #expect(operations.first?["fields"] == ["name"] as JSONValue)
    }
  }

  @Test func `under a rate limit, the time is that of its requests`() async throws {
    try await withCrossing { crossing in
      let plan = try await plan(crossing, try await package(crossing), ["--rate", "50"])
      let expects = try #require(plan.value("plan")?["expects"])
      let requests = (expected(plan, "sends") ?? 0) + (expected(plan, "reads") ?? 0)
      #expect(expects["rate"]?.double == 50)
      #expect((expects["seconds"]?.double ?? 0) >= Double(requests) / 50 - 0.001)
    }
  }

  @Test func `a file takes a ticket, itself and a confirmation, and the plan expects each`()
    async throws
  {
    try await withCrossing(takesMedia: true) { crossing in
      let package = try await package(crossing)
      let plan = try await plan(crossing, package)
      let files = try #require(expected(plan, "files"))
      #expect(files > 0)
      let done = try await crossing.ferry(["upload", package] + crossing.destination)
      #expect(done.status == 0, "\(done.standardError)")
      let requests = try crossing.backend.state()["requests"]?.object?.members ?? []
      let ofFiles = requests.filter { $0.name.contains("/files/") || $0.name.contains("/uploads/") }
        .reduce(0) { $0 + ($1.value.integer ?? 0) }
      #expect(ofFiles == 3 * files, "\(requests)")
      #expect(expected(plan, "sends").map { $0 >= 3 * files } == true)
    }
  }

  @Test func `no flag has CloudKit asked more often than it allows`() async throws {
    try await withCloudVoyage { voyage in
      let package = "\(voyage.folder)/a.ferry"
      _ = try await voyage.program.run(
        ["export", voyage.store, "--profile", voyage.profile, "-o", package],
        state: "\(voyage.folder)/state"
      )
      let plan = try await voyage.ferry(["plan", package, "--rate", "1000"])
      #expect(plan.status == 0, "\(plan.standardError)")
      #expect(plan.value("plan")?["expects"]?["rate"]?.double == 40)
    }
  }

  @Test func `an offline plan asks nobody, and says what the asked one says`() async throws {
    try await withCrossing { crossing in
      let package = try await package(crossing)
      let asked = try await plan(crossing, package)
      let before = try crossing.backend.state()
      let offline = try await plan(crossing, package, ["--offline"])
      #expect(try crossing.backend.state() == before)
      #expect(offline.value("plan")?["offline"] == true)
      #expect(offline.value("plan")?["operations"] == asked.value("plan")?["operations"])
      #expect(expected(offline, "sends") == expected(asked, "sends"))
    }
  }

  @Test func `an offline plan knows what earlier runs brought there`() async throws {
    try await withCrossing { crossing in
      #expect(try await crossing.migrate().status == 0)
      try Python.edit(crossing.sample.store, "UPDATE ZHERO SET ZNAME = 'Neu' WHERE Z_PK = 1")
      let package = try await package(crossing)
      let asked = try await plan(crossing, package)
      await crossing.backend.stop()
      let offline = try await plan(crossing, package, ["--offline"])
      #expect(offline.value("plan")?["operations"] == asked.value("plan")?["operations"])
      #expect(offline.count("unchanged", in: "plan") == asked.count("unchanged", in: "plan"))
    }
  }

  @Test(arguments: [["--offline", "-o", "x.plan"], ["--offline", "--full"]])
  func `what an offline plan cannot do is refused`(flags: [String]) async throws {
    try await withCrossing { crossing in
      let words = ["plan", "x.ferry"] + crossing.destination + flags
      let refused = try await crossing.ferry(words)
      #expect(refused.status == 64)
    }
  }
}
