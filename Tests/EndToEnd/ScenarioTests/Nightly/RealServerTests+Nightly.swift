import Foundation
import JSONText
import TestSupport
import Testing

extension KintoTests {
  @Test func `a record that another device removed there is a conflict, and is not made again`()
    async throws
  {
    try await withKinto { scenario, server in
      try await scenario.ferry(["migrate", scenario.store]).exits(0)
      let gone = try #require(try KintoServer.records("stories", server).first?["id"]?.text)
      _ = try RealServer.get(
        "\(server.origin)/v1/buckets/default/collections/stories/records/\(gone)",
        ["--user", "demo:s3cret-word", "--request", "DELETE"]
      )
      let second = try await scenario.ferry(["migrate", scenario.store]).exits(6)
      #expect(second.count("conflicted", of: "Story") == 1)
      #expect(try scenario.count() == 189)
    }
  }

  @Test func `a run is rolled back below its own address path`() async throws {
    try await withKinto { scenario, _ in
      let first = try await scenario.ferry(["migrate", scenario.store]).exits(0)
      var flags = scenario.flags
      let place = try #require(flags.firstIndex(of: "--to"))
      flags.removeSubrange(place...place + 1)
      try await FerryProgram().run(
        ["rollback", try first.run()] + flags,
        state: "\(scenario.folder)/state"
      ).exits(0)
      #expect(try scenario.count() == 0)
    }
  }

  @Test func `every later run reports a record that another device removed`() async throws {
    try await withKinto { scenario, server in
      let package = "\(scenario.folder)/p.ferry"
      try await scenario.ferry(["migrate", scenario.store, "-o", package]).exits(0)
      let gone = try #require(try KintoServer.records("stories", server).first?["id"]?.text)
      _ = try RealServer.get(
        "\(server.origin)/v1/buckets/default/collections/stories/records/\(gone)",
        ["--user", "demo:s3cret-word", "--request", "DELETE"]
      )
      for _ in 1...3 {
        let later = try await scenario.ferry(["upload", package]).exits(6)
        #expect(later.count("conflicted", of: "Story") == 1)
      }
    }
  }

  // 001-66.
  @Test func `a run that loses every fourth answer stores each of 1,000 records once`()
    async throws
  {
    try await withKinto(losing: 4) { scenario, server in
      let store = try madeStore(in: "\(scenario.folder)/many", heroes: 100, stories: 1_000)
      let moved = try await scenario.ferry(["migrate", store.store, "--retries", "20"]).exits(0)
      #expect(moved.value("verification")?["clean"] == true)
      #expect(try scenario.count() == Int(moved.count("created")))
      #expect(try scenario.count() >= 1_000)
      #expect(try server.lostCount() > 10)
    }
  }

  @Test func `a server that takes fewer requests in one is asked how many, and sent no more`()
    async throws
  {
    try await withKinto(settings: "kinto.batch_max_requests = 7") { scenario, _ in
      let preflight = try await scenario.ferry(["preflight"]).exits(0)
      #expect(preflight.standardOutput.contains("no more than 7 go together"))
      try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(try scenario.count() == 190)
    }
  }

  @Test func `a run that is asked to wait with every answer waits, and ends as usual`()
    async throws
  {
    try await withKinto(settings: "kinto.backoff = 1") { scenario, _ in
      let began = ContinuousClock.now
      let moved = try await scenario.ferry(["migrate", scenario.store, "--concurrency", "1"])
      #expect(moved.status == 0, "\(moved)")
      #expect(moved.value("verification")?["clean"] == true)
      #expect(try scenario.count() == 190)
      // Eight requests at least carry what is sent alone, and each waits for a second.
      #expect(ContinuousClock.now - began > .seconds(8))
    }
  }

  @Test func `a run that is asked to wait too long ends, and reports the time`()
    async throws
  {
    try await withKinto(settings: "kinto.backoff = 3600") { scenario, _ in
      let moved = try await scenario.ferry(["migrate", scenario.store]).exits(5)
      #expect(moved.standardError.contains("asks to wait"), "\(moved)")
    }
  }

  @Test func `a killed run stores every record exactly once when repeated`() async throws {
    try await withKinto { scenario, _ in
      try await FerryProgram().kill(
        ["migrate", scenario.store] + scenario.flags,
        state: "\(scenario.folder)/state",
        after: [0.3, 0.6, 1.0]
      )
      try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(try scenario.count() == 190)
    }
  }
}

extension PocketBaseTests {
  @Test func `a drafted profile is sent as it is, changed, and rolled back`() async throws {
    try await withDraftedPocketBase { scenario in
      let preflight = try await scenario.ferry(["preflight"])
      #expect(preflight.status == 0, "\(preflight.standardOutput)\(preflight.standardError)")
      let dry = try await scenario.ferry(["migrate", scenario.store, "-n"])
      #expect(dry.status == 0, "\(dry.standardError)")
      #expect(try scenario.count() == 0)
      let first = try await scenario.ferry(["migrate", scenario.store])
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      #expect(first.value("verification")?["clean"] == true)
      #expect(try scenario.count() == 424)
      try Python.edit(scenario.store, "UPDATE ZSTORY SET ZTITLE = 'Neu' WHERE Z_PK IN (1, 2)")
      let second = try await scenario.ferry(["migrate", scenario.store])
      #expect(second.status == 0 && second.count("updated") == 2, "\(second.standardError)")
      for run in [try second.run(), try first.run()] {
        let back = try await scenario.ferry(["rollback", run])
        #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      }
      #expect(try scenario.count() == 0)
    }
  }

  @Test(
    .enabled(if: CocktailStore.path != nil, "set FERRY_STORES to the folder of the real stores"),
    arguments: ["id", "look-up"]
  )
  func `a real store is migrated and rolled back`(replay: String) async throws {
    let store = try #require(CocktailStore.path)
    try await withTemporaryFolder { folder in
      let sample = Sample(folder: "\(folder)/cocktails")
      try makeFolder(sample.folder)
      try FileManager.default.copyItem(atPath: store, toPath: sample.store)
      try CocktailStore.cut(sample.store, to: 12)
      let profile = "\(Samples.folder)/collections/cocktails.profile.yaml"
      try await withPocketBase(sample, profile: profile, replay: replay) { scenario in
        let first = try await scenario.ferry(["migrate", scenario.store]).exits(0)
        #expect(first.value("verification")?["clean"] == true)
        #expect(try scenario.count() == Int(first.count("created")))
        let second = try await scenario.ferry(["migrate", scenario.store])
        #expect(second.status == 0 && second.count("unchanged") == first.count("created"))
        try await scenario.ferry(["rollback", try first.run()]).exits(0)
        #expect(try scenario.count() == 0)
      }
    }
  }
}
