import Checkpoint
import Files
import JSONText
import RunHistory
import StageSupport
import TestSupport
import Testing

struct PrunePlanTests {
  private static let day: Int64 = 86_400
  private static let now: Int64 = 100 * day

  private func item(_ name: String, daysAgo: Int64, _ needs: [PruneNeed] = []) -> PruneItem {
    PruneItem(
      kind: .package,
      path: "/state/packages/\(name)",
      byteCount: 10,
      lastUsed: Self.now - daysAgo * Self.day,
      runs: ["2735d6-1"],
      needs: needs
    )
  }

  private func removed(_ items: [PruneItem], _ rule: PruneRule) throws -> [String] {
    try PrunePlan(items, rule: rule, now: Self.now).removed.map { Folder.lastName(of: $0.path) }
  }

  @Test(arguments: [
    ("30d", 2_592_000 as Int64?), ("2w", 1_209_600), ("12h", 43_200), ("30", nil), ("d", nil),
    ("-1d", nil), ("1.5d", nil), ("", nil),
  ])
  func `an age is a number with its unit`(text: String, seconds: Int64?) {
    #expect(PruneRule.seconds(text) == seconds)
  }

  @Test func `what no run needs goes`() throws {
    #expect(try removed([item("a.ferry", daysAgo: 1)], PruneRule()) == ["a.ferry"])
  }

  @Test(arguments: [
    PruneNeed.resume(run: "2735d6-1"), .rollback(run: "2735d6-1"), .base(recordCount: 3), .export,
    .fresh, .unreadable(path: "/state/checkpoints/x.sqlite"), .inUse,
  ])
  func `what is needed stays, with the reason`(need: PruneNeed) throws {
    let plan = try PrunePlan(
      [item("a.ferry", daysAgo: 90, [need])],
      rule: PruneRule(keepLast: 0, olderThan: 0),
      now: Self.now
    )
    #expect(plan.removed.isEmpty)
    #expect(plan.kept.map(\.reasons) == [[need.words]])
  }

  @Test func `what was used since the age stays`() throws {
    let items = [item("old.ferry", daysAgo: 30), item("new.ferry", daysAgo: 29)]
    #expect(try removed(items, PruneRule(olderThan: 30 * Self.day)) == ["old.ferry"])
  }

  @Test func `the last ones stay however old they are`() throws {
    let items = [
      item("one.ferry", daysAgo: 50), item("three.ferry", daysAgo: 70),
      item("two.ferry", daysAgo: 60),
    ]
    #expect(try removed(items, PruneRule(keepLast: 2)) == ["three.ferry"])
  }

  @Test(arguments: ["2735d6-1", "a.ferry", "/state/packages/a.ferry"])
  func `what is named goes although it is needed, and the loss is said`(name: String) throws {
    let need = PruneNeed.rollback(run: "2735d6-1")
    let plan = try PrunePlan(
      [item("a.ferry", daysAgo: 1, [need])],
      rule: PruneRule(forced: [name]),
      now: Self.now
    )
    let text = PruneText(plan, isDryRun: true)
    #expect(text.lines.contains("  lost: \(need.loss)"))
    #expect(text.value["freedBytes"]?.integer == 10)
  }

  @Test func `with a name alone, nothing else goes`() throws {
    var items = [item("a.ferry", daysAgo: 1)]
    items.append(
      PruneItem(kind: .checkpoint, path: "/state/checkpoints/b.sqlite", byteCount: 1, lastUsed: 0)
    )
    #expect(try removed(items, PruneRule(forced: ["a.ferry"])) == ["a.ferry"])
  }

  @Test func `a name that nothing has is refused`() throws {
    #expect(throws: MigrationError.self) {
      try removed([item("a.ferry", daysAgo: 1)], PruneRule(forced: ["b.ferry"]))
    }
  }

  @Test func `what a process is at work on is refused even by name`() throws {
    #expect(throws: MigrationError.self) {
      try removed([item("a.ferry", daysAgo: 1, [.inUse])], PruneRule(forced: ["a.ferry"]))
    }
  }

  // MARK: - In a state folder

  private func plan(_ bench: StateBench, _ rule: PruneRule = PruneRule()) throws -> PrunePlan {
    // The files were written by the clock of this machine: far enough ahead that none is fresh.
    try PrunePlan(of: bench.state, rule: rule, now: 1 << 40)
  }

  private func names(_ plan: PrunePlan) -> [String] {
    plan.removed.map { Folder.lastName(of: $0.path) }
  }

  @Test func `an interrupted run keeps its package and its checkpoint`() async throws {
    try await withState { bench in
      try bench.putPackage("a.ferry")
      let run = try bench.begin(try bench.open())
      let plan = try plan(bench)
      #expect(plan.removed.isEmpty)
      let need = PruneNeed.resume(run: run.id).words
      #expect(plan.kept.map(\.reasons) == [[need], [need]])
    }
  }

  @Test func `a run that changed the destination keeps its package until it is rolled back`()
    async throws
  {
    try await withState { bench in
      try bench.putPackage("a.ferry")
      let file = try bench.open()
      let run = try bench.begin(file, operations: 1, confirmed: 1)
      try file.setStage(.finished, of: run, now: 1_001)
      let kept = try plan(bench).kept.first { $0.item.kind == .package }
      #expect(kept?.reasons == [PruneNeed.rollback(run: run.id).words])
    }
  }

  @Test func `a package of a run that changed nothing goes, and one that no run knows`()
    async throws
  {
    try await withState { bench in
      try bench.putPackage("a.ferry")
      try bench.putPackage("b.ferry")
      let file = try bench.open()
      let run = try bench.begin(file, operations: 0)
      try file.setStage(.finished, of: run, now: 1_001)
      #expect(Set(try names(plan(bench))).isSuperset(of: ["a.ferry", "b.ferry"]))
    }
  }

  @Test func `a package that no run knows stays within its first hour`() async throws {
    try await withState { bench in
      try bench.putPackage("b.ferry")
      let written = try #require(Folder.changedAt(bench.path("b.ferry")))
      let early = try PrunePlan(of: bench.state, rule: PruneRule(), now: written + 3_599)
      let late = try PrunePlan(of: bench.state, rule: PruneRule(), now: written + 3_600)
      #expect(early.removed.isEmpty && late.removed.count == 1)
    }
  }

  @Test func `an unfinished package stays`() async throws {
    try await withState { bench in
      try bench.putPackage("a.ferry.partial")
      #expect(try plan(bench).kept.map(\.reasons) == [[PruneNeed.export.words]])
    }
  }

  @Test func `beside a checkpoint that cannot be read no package goes`() async throws {
    try await withState { bench in
      try bench.putPackage("a.ferry")
      let torn = bench.state.checkpoints.path + "/heroes-torn.sqlite"
      var file = try OutputFile(creating: torn)
      try file.write([UInt8](repeating: 0x5A, count: 9_000))
      _ = try file.finish()
      #expect(try plan(bench).removed.isEmpty)
    }
  }

  @Test func `a checkpoint without a record at the destination goes, and its log`() async throws {
    try await withState { bench in
      // Let go before anything is removed.
      try { () throws in
        let file = try bench.open()
        let run = try bench.begin(file, operations: 0)
        try file.setStage(.finished, of: run, now: 1_001)
      }()
      #expect(try plan(bench).carryOut().isEmpty)
      #expect(try Folder.names(in: bench.state.checkpoints.path).isEmpty)
    }
  }

  @Test func `a checkpoint that a run holds is left`() async throws {
    try await withState { bench in
      let file = try bench.open()
      let run = try bench.begin(file, operations: 0)
      try file.setStage(.finished, of: run, now: 1_001)
      let plan = try plan(bench)
      #expect(plan.removed.isEmpty)
      #expect(plan.kept.map(\.reasons) == [[PruneNeed.inUse.words]])
    }
  }

  @Test func `what an interrupted removal left goes`() async throws {
    try await withState { bench in
      try bench.putPackage("a.ferry.pruned")
      #expect(try plan(bench, PruneRule(keepLast: 5)).carryOut().isEmpty)
      #expect(try Folder.names(in: bench.state.packages).isEmpty)
    }
  }

  @Test func `a plan removes nothing by itself, and then what it says`() async throws {
    try await withState { bench in
      try bench.putPackage("a.ferry")
      let plan = try plan(bench)
      #expect(Folder.exists(bench.path("a.ferry")))
      #expect(try plan.carryOut().isEmpty)
      #expect(try Folder.names(in: bench.state.packages).isEmpty)
    }
  }

  @Test func `the bytes of each part of the state folder are counted`() async throws {
    try await withState { bench in
      try bench.putPackage("a.ferry")
      let sizes = try StateSizes(of: bench.state)
      #expect(sizes.parts.map(\.name) == ["checkpoints", "packages"])
      #expect(sizes.parts.last?.byteCount == 1_000)
      #expect(sizes.lines.first?.hasSuffix(": 1 kB (packages 1 kB)") == true)
    }
  }
}
