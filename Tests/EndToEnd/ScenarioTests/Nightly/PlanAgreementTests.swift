import Foundation
import JSONText
import TestSupport
import Testing

/// A plan and the upload right after it, of every sample that the development backend is a
/// destination for: the one did what the other said, record for record.
@Suite(.timeLimit(.minutes(5))) struct PlanAgreementTests {
  @Test(arguments: [StoreChoice.small, .legacy, .later])
  func `plan and upload agree: infinite-stories, over REST`(choice: StoreChoice) async throws {
    try await withScenario(choice) { scenario in
      let package = "\(scenario.folder)/a.ferry"
      try await scenario.export(to: package).exits(0)
      try await expectAgreement(package) { try await scenario.ferry($0 + scenario.destination) }
    }
  }

  @Test func `plan and upload agree: infinite-stories, over CloudKit Web Services`() async throws {
    try await withCloudKitScenario { scenario in
      let package = "\(scenario.folder)/a.ferry"
      let flags = ["--profile", scenario.profile]
      try await scenario.program.run(
        ["export", scenario.store, "-o", package] + flags,
        state: "\(scenario.folder)/state"
      ).exits(0)
      try await expectAgreement(package) { try await scenario.ferry($0) }
    }
  }

  @Test func `plan and upload agree: noted, as changesets`() async throws {
    try await withTemporaryFolder { folder in
      var sample = try Sample(folder: "\(Samples.folder)/noted").copied(into: folder)
      sample.storeName = "Noted.sqlite"
      let noted = sample
      try await withBackend(in: "\(folder)/server") { backend in
        let scenario = MigrationScenario(
          folder: folder,
          backend: backend,
          program: try FerryProgram(),
          sample: noted,
          profile: noted.profile
        )
        let package = "\(folder)/a.ferry"
        try await scenario.export(to: package).exits(0)
        try await expectAgreement(package) {
          try await scenario.ferry($0 + scenario.destination)
        }
      }
    }
  }

  @Test func `plan and upload agree: peated, rows with a queue`() async throws {
    try await withPeated { peated in
      let scenario = peated.scenario
      let package = "\(scenario.folder)/a.ferry"
      try await scenario.export(to: package).exits(0)
      try await expectAgreement(package) { try await scenario.ferry($0 + scenario.destination) }
    }
  }

  @Test(
    .enabled(if: CocktailStore.path != nil, "set FERRY_STORES to the folder of the real stores")
  )
  func `plan and upload agree: cocktails, with client identities and entity tags`() async throws {
    try await withCocktails(keeping: 12) { scenario in
      let package = "\(scenario.folder)/a.ferry"
      try await scenario.export(to: package).exits(0)
      try await expectAgreement(package) { try await scenario.ferry($0 + scenario.destination) }
    }
  }

  @Test func `dependents of a quarantined record are refused by the plan as by the upload`()
    async throws
  {
    try await withScenario { scenario in
      try scenario.sql(
        "UPDATE ZHERO SET ZPRIMARYTRAIT = 'Bold' WHERE Z_PK = "
          + "(SELECT min(ZHERO) FROM ZSTORY WHERE ZHERO NOT NULL)"
      )
      let package = "\(scenario.folder)/a.ferry"
      try await scenario.export(to: package).exits(0)
      let flags = ["--on-invalid", "quarantine"] + scenario.destination
      let plan = try await scenario.ferry(["plan", package] + flags).exits(3)
      #expect(plan.count("rejected", of: "Hero", in: "plan") == 1)
      #expect(plan.count("rejected", of: "Story", in: "plan") > 0)
      #expect(!plan.findings("request.missing-reference").isEmpty)
      try await expectAgreement(package) { try await scenario.ferry($0 + flags) }
      // A later run reads less of the destination first, and still counts each of them.
      let again = try await scenario.ferry(["plan", package] + flags)
      for entity in ["Hero", "Story"] {
        let before = plan.count("rejected", of: entity, in: "plan")
        #expect(again.count("rejected", of: entity, in: "plan") == before)
      }
    }
  }

  @Test func `plan and upload agree: streaksync, over CloudKit Web Services`() async throws {
    try await withResults { scenario in
      let package = try await scenario.exported(scenario.preferences)
      try await expectAgreement(package) { try await scenario.ferry($0) }
    }
  }

  @Test func `a record that names one in conflict is refused by the plan as by the upload`()
    async throws
  {
    try await NoteStore.with { app in
      try app.sql(
        "INSERT INTO book VALUES ('b2', 'Other', 'new', NULL), ('b3', 'Third', 'new', NULL)",
        "DELETE FROM book WHERE id = 'b1'"
      )
      try app.add(.init(id: "n1", book: "b2"))
      try await app.scenario.migrate().exits(0)
      try app.seed("b1", ["title": "theirs"], in: "books")
      try app.sql(
        "INSERT INTO book VALUES ('b1', 'Main', 'new', NULL)",
        "UPDATE note SET book_id = 'b1' WHERE id = 'n1'"
      )
      try app.add(.init(id: "n2"), .init(id: "n3", book: "b3"))
      let package = "\(app.scenario.folder)/a.ferry"
      try await app.scenario.export(to: package).exits(0)
      let flags = app.scenario.destination + ["--on-conflict", "fail"]
      let plan = try await app.scenario.ferry(["plan", package] + flags)
      #expect(plan.count("conflicted", of: "book", in: "plan") == 1, "\(plan)")
      #expect(plan.count("rejected", of: "note", in: "plan") == 2)
      let causes = plan.findings("request.missing-reference").compactMap { $0["cause"]?.text }
      #expect(causes.allSatisfy { $0.contains("book/b1, which was not sent") }, "\(causes)")
      try await expectAgreement(package) { try await app.scenario.ferry($0 + flags) }
    }
  }

  /// Plans, lists and uploads, and holds the three against each other.
  private func expectAgreement(
    _ package: String,
    _ ferry: ([String]) async throws -> Answer
  ) async throws {
    let answer = try await ferry(["plan", package, "--diff"])
    let plan = try #require(answer.value("plan"), "\(answer)")
    let done = try await ferry(["upload", package])
    let upload = try #require(done.value("upload"), "\(done)")
    let outcomes = [("create", "created"), ("update", "updated"), ("delete", "deleted")]
    var entities: Set<String> = []
    for line in upload["records"]?.array ?? [] {
      let entity = try #require(line["entity"]?.text)
      entities.insert(entity)
      let operations = plan["operations"]?.array?.first { $0["entity"]?.text == entity }
      let planned = plan["records"]?.array?.first { $0["entity"]?.text == entity }
      for (action, outcome) in outcomes {
        let count = operations?[action]?.integer ?? 0
        #expect(line[outcome]?.integer ?? 0 == count, "\(entity) \(outcome)")
        let listed = answer.values.count {
          $0["type"] == "operation" && $0["entity"]?.text == entity && $0["action"]?.text == action
        }
        #expect(Int64(listed) == count, "\(entity) \(action)")
      }
      for bucket in ["unchanged", "duplicate", "conflicted", "skipped", "unmapped", "rejected"] {
        #expect(line[bucket] == planned?[bucket], "\(entity) \(bucket)")
      }
      #expect(line["read"] == planned?["read"], "\(entity)")
      #expect(line["remaining"]?.integer == 0)
    }
    #expect(!entities.isEmpty)
    #expect(done.count("created") > 0)
    let again = try await ferry(["plan", package])
    #expect(again.count("remaining", in: "plan") == 0, "\(again)")
    #expect(again.value("plan")?["expects"]?["sends"]?.integer == 0)
  }
}
