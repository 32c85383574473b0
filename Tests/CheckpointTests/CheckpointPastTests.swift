import Checkpoint
import Records
import Testing
import UploadPlanning

/// What a checkpoint says of the past of records whose destination may have been restored from a backup.
struct CheckpointPastTests {
  private let bench: CheckpointBench

  init() throws { bench = try CheckpointBench() }

  @Test func `the changes of a record are those since it was made, newest first`() throws {
    let (file, _) = try bench.openWithRun([.hero(1), .hero(2), .on(.story(1))])
    try file.commit([.confirm(1, "s1"), .confirm(2, "s2"), .confirm(3, "t1")], now: 1)
    #expect(try file.lastChanges(of: .hero(1), limit: 9).isEmpty)
    _ = try file.beginRun(
      "run-2",
      [
        .hero(1, action: .update, content: "b", serverID: "s1"),
        .hero(2, action: .update, content: "x", serverID: "s2"),
        .on(.story(1), action: .update, content: "y", serverID: "t1"),
      ]
    )
    try file.commit([.confirm(4, "s1"), .confirm(5, "s2"), .confirm(6, "t1")], now: 2)
    _ = try file.beginRun(
      "run-3",
      [.hero(1, action: .update, content: "c", serverID: "s1")]
    )
    let waiting = try file.lastChanges(of: .hero(1), limit: 9)
    #expect(waiting.map(\.change.number) == [4], "what is only planned is not a change")
    try file.commit([.confirm(7, "s1")], now: 3)
    let changes = try file.lastChanges(of: .hero(1), limit: 9)
    #expect(changes.map(\.change.number) == [7, 4])
    #expect(changes.map(\.requestDigest) == [.sample("request c"), .sample("request b")])
    #expect(try file.lastChanges(of: .hero(1), limit: 1).map(\.change.number) == [7])
  }

  @Test func `a rejected change does not count, nor one before a rollback`() throws {
    let (file, _) = try bench.openWithRun([.hero(1)])
    try file.commit([.confirm(1, "s1")], now: 1)
    _ = try file.beginRun(
      "run-2",
      [.hero(1, action: .update, content: "b", serverID: "s1")]
    )
    try file.commit([.confirm(2, "s1")], now: 2)
    _ = try file.beginRun(
      "run-3",
      [.hero(1, action: .update, content: "c", serverID: "s1")]
    )
    try file.commit([.reject(3, code: "c", reason: "r")], now: 3)
    #expect(try file.lastChanges(of: .hero(1), limit: 9).map(\.change.number) == [2])
    _ = try file.beginRun(
      "undo",
      kind: .rollback,
      [.hero(1, action: .restore, serverID: "s1", undoes: 2)]
    )
    try file.commit([.confirm(4, "s1")], now: 4)
    #expect(try file.lastChanges(of: .hero(1), limit: 9).isEmpty)
  }

  @Test func `a deleted record lists how it was deleted until another change follows`()
    throws
  {
    let (file, _) = try bench.openWithRun([.hero(1), .hero(2), .hero(3), .on(.story(1))])
    try file.commit(
      [.confirm(1, "s1"), .confirm(2, "s2"), .confirm(3, "s3"), .confirm(4, "t1")],
      now: 1
    )
    _ = try file.beginRun(
      "run-2",
      [
        .hero(1, action: .delete, serverID: "s1"), .hero(2, action: .delete, serverID: "s2"),
        .hero(3, action: .delete, serverID: "s3"),
      ]
    )
    #expect(try file.deletion(of: .hero(1)) == nil, "it is only planned")
    try file.commit([.confirm(5, "s1"), .confirm(6, "s2"), .conflict(7, reason: "r")], now: 2)
    #expect(try file.deletion(of: .hero(1))?.number == 5)
    #expect(try file.deletion(of: .hero(2))?.number == 6)
    #expect(try file.deletion(of: .hero(3)) == nil)
    #expect(try file.deletion(of: .story(1)) == nil)
    #expect(try file.deletion(of: .hero(9)) == nil)
    #expect(try file.deletedKeys(of: "Hero", after: "", limit: 9) == ["h1", "h2"])
    #expect(try file.deletedKeys(of: "Hero", after: "h1", limit: 9) == ["h2"])
    #expect(try file.deletedKeys(of: "Hero", after: "", limit: 1) == ["h1"])
    #expect(try file.deletedKeys(of: "Story", after: "", limit: 9).isEmpty)
    _ = try file.beginRun("run-3", [.hero(1)])
    #expect(try file.deletion(of: .hero(1)) == nil)
    try file.commit([.confirm(8, "s9")], now: 3)
    #expect(try file.deletedKeys(of: "Hero", after: "", limit: 9) == ["h2"])
  }

  @Test func `places shared by several records of an entity are counted beyond the first record`()
    throws
  {
    let (file, _) = try bench.openWithRun((1...5).map { .hero($0) } + [.on(.story(1))])
    try file.commit([.confirm(1, "s1"), .confirm(2, "s2"), .confirm(6, "s1")], now: 1)
    #expect(try file.doubleCount(of: "Hero") == 0)
    try file.commit([.confirm(3, "s1"), .confirm(4, "s1")], now: 2)
    #expect(try file.doubleCount(of: "Hero") == 2)
    #expect(try file.doubleCount(of: "Story") == 0)
    #expect(try file.recordCount(of: "Hero") == 4)
  }

  @Test func `a rollback's deletions are listed with their remote place, a page at a time`() throws
  {
    let (file, _) = try bench.openWithRun((1...4).map { .hero($0) } + [.on(.story(1))])
    try file.commit((1...4).map { .confirm(Int64($0), "s\($0)") } + [.confirm(5, "t1")], now: 1)
    _ = try file.beginRun(
      "undo",
      kind: .rollback,
      [
        .on(.story(1), action: .uncreate, serverID: "t1", undoes: 5),
        .hero(3, action: .uncreate, serverID: "s3", undoes: 3),
        .hero(2, action: .uncreate, serverID: "s2", undoes: 2),
        .hero(1, action: .uncreate, serverID: "s1", undoes: 1),
      ]
    )
    let body = Array("{}".utf8)
    try file.commit([.begin(6, before: body, version: "1"), .confirm(6, "t1")], now: 2)
    try file.commit([.begin(7, before: body, version: "1"), .confirm(7, "s3")], now: 2)
    // Another device had deleted the second, and the first was left.
    try file.commit([.confirm(8, "s2"), .conflict(9, reason: "another device changed it")], now: 2)
    let view = try #require(try CheckpointView(bench.path))
    let removals = try view.removals(after: 0, limit: 9)
    #expect(removals.map(\.number) == [6, 7])
    #expect(removals.map(\.entity) == ["Story", "Hero"])
    #expect(removals.map(\.serverID) == ["t1", "s3"])
    #expect(try view.removals(after: 6, limit: 9).map(\.number) == [7])
    #expect(try view.removals(after: 0, limit: 1).map(\.number) == [6])
  }

  @Test func `findings of an operation are written down once for its run`()
    throws
  {
    let (file, run) = try bench.openWithRun([.hero(1), .hero(2)])
    let other = try file.beginRun("run-2", [.hero(3)])
    func finding(_ code: String, _ record: String?) -> Finding {
      Finding(code: code, severity: .note, entity: "Hero", record: record, cause: "a", cure: "b")
    }
    for number in [1, 2, 3] as [Int64] {
      try file.add(finding("c", "h1"), ofRunOf: number)
      try file.add(finding("d", "h1"), ofRunOf: number)
      try file.add(finding("c", "h2"), ofRunOf: number)
      try file.add(finding("c", nil), ofRunOf: number)
    }
    #expect(try file.findings(of: run, limit: 99).count == 4)
    #expect(try file.findings(of: other, limit: 99).count == 4)
  }
}
