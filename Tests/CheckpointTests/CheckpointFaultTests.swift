import Checkpoint
import Files
import Foundation
import GRDB
import Records
import Testing
import UploadPlanning
import ScratchFiles

/// Rows that are not whole, and files that cannot be made, read or locked: what is said of them.
struct CheckpointFaultTests {
  private let bench: CheckpointBench

  init() throws { bench = try CheckpointBench() }

  private func reason(_ body: () throws -> some Any) -> String {
    let error = #expect(throws: CheckpointError.self) { _ = try body() }
    return error?.description ?? ""
  }

  private func spoil(_ file: CheckpointFile, _ sql: String) throws {
    try file.write { try $0.execute(sql: sql) }
  }

  // MARK: - Rows

  @Test func `a record whose digest is torn is named, not guessed`() throws {
    let (file, run) = try bench.openWithRun([.hero(1)])
    try file.commit([.confirm(1, serverID: "s1", version: "1")], now: 1)
    try file.setStage(.finished, of: run, now: 2)
    try spoil(file, "UPDATE record SET content = x'00'")
    let said = reason { try file.known(.hero(1)) }
    #expect(said.contains("the digest of its record Hero/h1 is not whole"), "\(said)")
  }

  @Test(arguments: ["earlier", "agreed"])
  func `a torn digest of what was once agreed on is named, and no answer`(column: String) throws {
    let (file, _) = try bench.openWithRun([.hero(1)])
    try spoil(
      file,
      """
      INSERT INTO superseded (entity, key, run, earlier, agreed)
      VALUES ('Hero', 'h1', 1, zeroblob(32), zeroblob(32))
      """
    )
    try spoil(file, "UPDATE superseded SET \(column) = x'00'")
    let said = reason { try file.isSuperseded(.hero(1), .sample("a")) }
    #expect(said.contains("an earlier digest of its record Hero/h1 is not whole"), "\(said)")
  }

  @Test func `a merge's base with a torn digest is named`() throws {
    let (file, _) = try bench.openWithRun([.hero(1)])
    try file.write { database in
      try database.execute(
        sql:
          "INSERT INTO image (entity, key, content, request_digest, base) VALUES (?, ?, ?, ?, ?)",
        arguments: ["Hero", "h1", Data(repeating: 7, count: 32), Data([1]), Data("{}".utf8)]
      )
    }
    let content = try #require(Digest(bytes: Data(repeating: 7, count: 32)))
    let said = reason { try file.image(of: .hero(1), content: content) }
    #expect(said.contains("the digest of its image of Hero/h1 is not whole"), "\(said)")
  }

  @Test func `a confirmed operation whose digest is torn stops a rollback by name`() throws {
    let (file, run) = try bench.openWithRun([.hero(1)])
    try file.commit([.confirm(1, serverID: "s1", version: "1")], now: 1)
    try spoil(file, "UPDATE operation SET request_digest = x'00'")
    let said = reason { try file.confirmed(of: run, before: .max, limit: 10) }
    #expect(said.contains("operation 1"), "\(said)")
  }

  @Test func `an operation whose digest is torn is not adopted`() throws {
    let (file, _) = try bench.openWithRun([.hero(1)])
    try spoil(file, "UPDATE operation SET request_digest = x'00'")
    let said = reason { try file.commit([.adopt(1, serverID: "s1", version: nil)], now: 1) }
    #expect(said.contains("operation 1"), "\(said)")
    // The commit left nothing of itself.
    #expect(try file.known(.hero(1)) == nil)
  }

  @Test func `a missing operation cannot be adopted`() throws {
    let (file, _) = try bench.openWithRun([.hero(1)])
    let said = reason { try file.commit([.adopt(9, serverID: "s1", version: nil)], now: 1) }
    #expect(said.contains("operation 9") && said.contains("it is not whole"), "\(said)")
  }

  // MARK: - Files

  @Test func `a lock that fails for lack of file descriptors is not blamed on another run`() throws
  {
    try Folder.make(bench.path + ".lock")
    let error = #expect(throws: CheckpointError.self) { try bench.open() }
    guard case .unwritable(bench.path, let reason) = error else {
      Issue.record("it said \(String(describing: error))")
      return
    }
    #expect(reason.contains(bench.path + ".lock"))
  }

  @Test func `scratch files that cannot be created are reported as unwritable`() throws {
    let path = "/nonexistent/folder/scratch"
    for make in [
      { _ = try DestinationSnapshot(path: path) }, { _ = try ScratchKeys(path: path) },
    ] as [() throws -> Void] {
      let error = #expect(throws: CheckpointError.self) { try make() }
      guard case .unwritable(path, _) = error else {
        Issue.record("it said \(String(describing: error))")
        continue
      }
    }
  }

  @Test func `a checkpoint copy into a missing folder is reported as unwritable`() throws {
    _ = try bench.openWithRun([.hero(1)])
    let view = try #require(try CheckpointView(bench.path))
    #expect(reason { try view.copy(to: "/nonexistent/folder/copy") }.contains("cannot be written"))
  }

  #if os(Linux)
  @Test func `a checkpoint that the system fails to read is unreadable, not damaged`() throws {
    // This file of the kernel's can be opened, and fails to be read at its beginning.
    try FileManager.default.createSymbolicLink(
      atPath: bench.path,
      withDestinationPath: "/proc/self/mem"
    )
    let error = #expect(throws: CheckpointError.self) {
      try CheckpointView(bench.path, followsLink: true)
    }
    guard case .unreadable(bench.path, _) = error else {
      Issue.record("it said \(String(describing: error))")
      return
    }
  }
  #endif

  @Test func `each store, account and destination has its own checkpoint file`() {
    let folder = CheckpointFolder(path: "/state")
    let bindings: [CheckpointBinding] = [
      .sample(), .sample(store: "s"), .sample(origin: "o"), .sample(account: "a"),
      .sample(profile: "p"), .sample(store: "store-1h", origin: "ttps://api.example.com"),
    ]
    let files = bindings.map { folder.file(for: $0) }
    #expect(Set(files).count == bindings.count)
    #expect(files[0].hasPrefix("/state/heroes-") && files[0].hasSuffix(".sqlite"))
  }

  @Test func `a missing folder holds no checkpoints`() throws {
    #expect(try CheckpointFolder(path: "/nonexistent").views().isEmpty)
  }
}
