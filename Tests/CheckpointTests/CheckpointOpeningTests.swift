import CheckedDatabases
import Checkpoint
import CheckpointMending
import Files
import struct Foundation.Data
import class Foundation.FileHandle
import class Foundation.FileManager
import class Foundation.ProcessInfo
import struct Foundation.URL
import GRDB
import Testing

struct CheckpointOpeningTests {
  private let bench: CheckpointBench

  init() throws { bench = try CheckpointBench() }

  // 001-30.
  @Test func `a second opener is refused while the first holds the lock`() throws {
    let first = try bench.open()
    let error = #expect(throws: CheckpointError.self) { try bench.open() }
    let holder = String(ProcessInfo.processInfo.processIdentifier)
    #expect(error == .locked(path: bench.path, holder: holder))
    withExtendedLifetime(first) {}
  }

  @Test func `a folder says of a held checkpoint who holds it, and takes no lock`() throws {
    let folder = CheckpointFolder(path: bench.folder)
    let binding = CheckpointBinding.sample()
    try folder.expectFree(binding)
    let path = folder.file(for: binding)
    #expect(!InputFile.isPresent(path + ".lock"))
    let first = try CheckpointFile(path: path, binding: binding)
    let error = #expect(throws: CheckpointError.self) { try folder.expectFree(binding) }
    let holder = String(ProcessInfo.processInfo.processIdentifier)
    #expect(error == .locked(path: path, holder: holder))
    withExtendedLifetime(first) {}
  }

  @Test func `a process that looks whether a run is at work keeps no run from its checkpoint`()
    async throws
  {
    let lock = bench.path + ".lock"
    let looks = Task.detached {
      while !Task.isCancelled { _ = LockFile.isHeld(lock) }
    }
    defer { looks.cancel() }
    for _ in 1...100 { _ = try bench.open() }
  }

  @Test func `a checkpoint whose creation was killed does not stop the next run`() throws {
    for name in ["empty.sqlite", "headed.sqlite"] {
      let path = "\(bench.folder)/\(name)"
      #expect(FileManager.default.createFile(atPath: path, contents: nil))
      if name == "headed.sqlite" {
        try CheckedPages.open(path).writeWithoutTransaction { database in
          try database.execute(sql: "PRAGMA journal_mode = WAL")
        }
      }
      let view = try CheckpointView(path)
      #expect(view == nil)
    }
    _ = try bench.open()
    #expect(try CheckpointFolder(path: bench.folder).views().count == 1)
  }

  /// SQLite rolls that journal back and then removes the file that it names.
  @Test func `a journal beside a checkpoint cannot cause the removal of a file that it names`()
    throws
  {
    try bench.fill()
    let victim = "\(bench.folder)/victim"
    try Data("mine".utf8).write(to: URL(filePath: victim))
    let pages = UInt32(try Data(contentsOf: URL(filePath: bench.path)).count / 4_096)
    func number(_ value: UInt32) -> [UInt8] {
      withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
    let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    let header = magic + number(0) + number(0) + number(pages) + number(512) + number(4_096)
    let name = Array(victim.utf8)
    let sum = name.reduce(UInt32(0)) { $0 &+ UInt32($1) }
    let journal =
      header + [UInt8](repeating: 0, count: 512 - header.count) + number(262_145) + name
      + number(UInt32(name.count)) + number(sum) + magic
    try Data(journal).write(to: URL(filePath: bench.path + "-journal"))
    // Whether it can be opened beside that journal is another question.
    do throws(CheckpointError) { _ = try CheckpointView(bench.path) } catch { print("\(error)") }
    do throws(CheckpointError) { _ = try bench.open() } catch { print("\(error)") }
    #expect(FileManager.default.contents(atPath: victim) == Data("mine".utf8))
  }

  /// What a power cut may leave of the making of a checkpoint, before anything is committed to it: the
  /// bytes of its first page, and whether SQLite's journal of it is still, or again, there, and its log
  /// already.
  @Test(arguments: ["", "zeros", "headed"], [[], ["-journal"], ["-journal", "-wal"]])
  func `a half-made checkpoint after a power cut does not stop the next run`(
    page: String,
    endings: [String]
  ) throws {
    let url = URL(filePath: bench.path)
    try Data(count: page == "zeros" ? 4_096 : 0).write(to: url)
    if page == "headed" {
      let queue = try CheckedPages.open(bench.path)
      try queue.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA journal_mode = WAL")
      }
      try queue.close()
    }
    if endings.contains("-wal") { try Data().write(to: URL(filePath: bench.path + "-wal")) }
    if endings.contains("-journal") {
      // No page, of a file that was empty. <https://www.sqlite.org/fileformat2.html#the_rollback_journal>
      let head: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
      let counts: [UInt8] = [0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0x10, 0]
      try (Data(head + counts) + Data(count: 484)).write(to: URL(filePath: bench.path + "-journal"))
    }
    #expect(try CheckpointView(bench.path) == nil)
    #expect(try CheckpointFolder(path: bench.folder).views().isEmpty)
    _ = try bench.openWithRun([.hero(1)])
    #expect(try CheckpointFolder(path: bench.folder).views().map { try $0.runs().count } == [1])
    #expect(try CheckpointView(bench.path)?.faults() == [])
  }

  @Test func `zeros are an unwritten checkpoint up to the largest page, unless a log says more`()
    throws
  {
    let url = URL(filePath: bench.path)
    let log = URL(filePath: bench.path + "-wal")
    try Data(count: 65_536).write(to: url)
    try Data().write(to: log)
    #expect(try CheckpointView(bench.path) == nil)
    try Data(count: 32).write(to: log)
    #expect(throws: CheckpointError.self) { try CheckpointView(bench.path) }
    try FileManager.default.removeItem(at: log)
    try Data(count: 65_537).write(to: url)
    #expect(throws: CheckpointError.self) { try CheckpointView(bench.path) }
  }

  @Test func `a killed run's snapshot of the destination is removed by the next run`()
    throws
  {
    let left = CheckpointFile.snapshotPath(beside: bench.path)
    #expect(FileManager.default.createFile(atPath: left, contents: nil))
    _ = try bench.open()
    #expect(!FileManager.default.fileExists(atPath: left))
  }

  @Test func `the lock is released with its owner`() throws {
    _ = try bench.open()
    _ = try bench.open()
  }

  @Test func `an opening that was refused leaves no lock`() throws {
    _ = try bench.open()
    _ = #expect(throws: CheckpointError.self) { try bench.open(.sample(store: "store-2")) }
    _ = try bench.open()
  }

  @Test(arguments: [
    (CheckpointBinding.sample(store: "x"), "store", "store-1"),
    (.sample(origin: "x"), "origin", "https://api.example.com"),
    (.sample(account: "x"), "account", "ada"),
    (.sample(profile: "x"), "profile", "heroes"),
  ])
  func `a checkpoint of another kind is refused by its path`(
    binding: CheckpointBinding,
    what: String,
    recorded: String
  ) throws {
    _ = try bench.open()
    let error = #expect(throws: CheckpointError.self) { try bench.open(binding) }
    #expect(error == .belongsElsewhere(what: what, recorded: recorded, now: "x"))
  }

  @Test(arguments: [1, 99]) func `a checkpoint of another format is refused`(format: Int) throws {
    _ = try bench.open()
    try tamper(bench, "PRAGMA user_version = \(format)")
    let error = #expect(throws: CheckpointError.self) { try bench.open() }
    #expect(error == .otherFormat(path: bench.path, format: format))
  }

  @Test func `another program's database is refused and left as it is`() throws {
    let theirs = try DatabaseQueue(path: bench.path)
    try theirs.writeWithoutTransaction { try $0.execute(sql: "CREATE TABLE theirs (x)") }
    try theirs.close()
    let error = #expect(throws: CheckpointError.self) { try bench.open() }
    #expect(error == .notACheckpoint(path: bench.path))
    let tables = try DatabaseQueue(path: bench.path).read { database in
      try String.fetchAll(database, sql: "SELECT name FROM sqlite_master")
    }
    #expect(tables == ["theirs"])
  }

  @Test(arguments: [false, true])
  func `an app's store in the place of a checkpoint is refused by its bytes, without SQLite`(
    isInLog: Bool
  ) throws {
    let theirs = try DatabaseQueue(path: isInLog ? bench.folder + "/theirs" : bench.path)
    try theirs.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL")
      try database.execute(sql: "CREATE TABLE theirs (x)")
    }
    if isInLog {
      for ending in ["", "-wal"] {
        try Data(contentsOf: URL(filePath: bench.folder + "/theirs" + ending))
          .write(to: URL(filePath: bench.path + ending))
      }
    }
    try theirs.close()
    let names = try Folder.names(in: bench.folder).sorted()
    let expected = CheckpointError.notACheckpoint(path: bench.path)
    #expect(throws: expected) { try CheckpointView(bench.path) }
    #expect(throws: expected) { try CheckpointRepair.run(bench.path) }
    #expect(throws: expected) { try bench.open() }
    #expect(try Folder.names(in: bench.folder).sorted() == names)
  }

  @Test func `another program's log is not merged into the checkpoint`() throws {
    let theirs = try DatabaseQueue(path: bench.folder + "/theirs")
    try theirs.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL")
      try database.execute(sql: "CREATE TABLE theirs (x)")
    }
    let contents = try ["", "-wal"].map { ending in
      let bytes = try Data(contentsOf: URL(filePath: bench.folder + "/theirs" + ending))
      try bytes.write(to: URL(filePath: bench.path + ending))
      return bytes
    }
    try theirs.close()
    let error = #expect(throws: CheckpointError.self) { try bench.open() }
    #expect(error == .notACheckpoint(path: bench.path))
    #expect(
      try ["", "-wal"].map { try Data(contentsOf: URL(filePath: bench.path + $0)) } == contents
    )
  }

  @Test func `a file of random bytes is damaged`() throws {
    var random = SystemRandomNumberGenerator()
    let bytes = (0..<8192).map { _ in UInt8.random(in: 0...255, using: &random) }
    try Data(bytes).write(to: URL(fileURLWithPath: bench.path))
    expectDamage { try bench.open() }
  }

  @Test(arguments: [100, 4096, 5000, 12_288])
  func `a truncated file is damaged`(size: Int) throws {
    _ = try bench.openWithRun([.hero(1)])
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: bench.path))
    try handle.truncate(atOffset: UInt64(size))
    try handle.close()
    expectDamage {
      let file = try bench.open()
      let run = try file.runs().first
      _ = try run.map { try file.operations(of: $0, phase: 0, after: 0, limit: 10) }
    }
  }

  @Test func `an operation with an unknown state is damaged`() throws {
    let run = try bench.openWithRun([.hero(1)]).run
    try tamper(bench, "UPDATE operation SET action = 'juggle'")
    expectDamage { try bench.open().operations(of: run, phase: 0, after: 0, limit: 1) }
  }

  @Test func `an unreadable file is not reported as unwritable`() throws {
    let error = #expect(throws: CheckpointError.self) { try CheckpointView(bench.folder) }
    guard case .unreadable = error else {
      Issue.record("it said \(String(describing: error))")
      return
    }
  }

  @Test func `a checkpoint in a missing folder cannot be written`() throws {
    let error = #expect(throws: CheckpointError.self) {
      try CheckpointFile(
        path: "/nonexistent/folder/c.sqlite",
        binding: .sample()
      )
    }
    guard case .unwritable = error else {
      Issue.record("it said \(String(describing: error))")
      return
    }
  }

  @Test func `a run whose checkpoint another run took over writes no more`() throws {
    let first = try bench.open()
    // Another device removed the lock by hand, so that a second run could begin.
    try FileManager.default.removeItem(atPath: bench.path + ".lock")
    let second = try bench.open()
    let error = #expect(throws: CheckpointError.self) { try first.beginSampleRun() }
    #expect(error == .overtaken(path: bench.path))
    _ = try second.beginSampleRun()
    #expect(try second.runs().count == 1)
  }

  @Test func `SQLite is set to sync every write to the disk`() throws {
    let file = try bench.open()
    func setting(_ name: String) throws -> String? {
      try file.read { try String.fetchOne($0, sql: "PRAGMA \(name)") }
    }
    #expect(try setting("journal_mode") == "wal")
    #expect(try setting("synchronous") == "2")
    #expect(try setting("fullfsync") == "1")
    #expect(try setting("checkpoint_fullfsync") == "1")
    #expect(try setting("temp_store") == "1", "what is sorted does not fill the memory")
    #expect(try setting("cache_size") == "-8192")
    #expect(try setting("wal_autocheckpoint") == "4000")
    #expect(try setting("foreign_keys") == "0")
  }

  @Test func `no other user can read a checkpoint or the files beside it`() throws {
    let file = try bench.openWithRun([.hero(1)]).file
    let names = try FileManager.default.contentsOfDirectory(atPath: bench.folder)
    #expect(names.count > 2)
    for name in names {
      let found = try FileManager.default.attributesOfItem(atPath: "\(bench.folder)/\(name)")
      #expect(found[.posixPermissions] as? Int == 0o600, "\(name)")
    }
    withExtendedLifetime(file) {}
  }

  @Test func `checkpoints of other stores, accounts and profiles lie in other files`() {
    let folder = CheckpointFolder(path: "/state")
    let bindings: [CheckpointBinding] = [
      .sample(), .sample(store: "x"), .sample(origin: "x"), .sample(account: "x"),
      .sample(profile: "x"), .sample(store: "a", origin: "bc"), .sample(store: "ab", origin: "c"),
    ]
    #expect(Set(bindings.map(folder.file)).count == bindings.count)
    #expect(folder.file(for: .sample()).hasPrefix("/state/heroes-"))
  }

  @Test func `checkpoints in a folder are found by name among other files`() throws {
    let folder = CheckpointFolder(path: bench.folder)
    #expect(try folder.files().isEmpty)
    for name in ["b", "a"] {
      _ = try CheckpointFile(
        path: "\(bench.folder)/\(name).sqlite",
        binding: .sample(account: name)
      )
    }
    #expect(FileManager.default.createFile(atPath: bench.folder + "/c.sqlite", contents: nil))
    #expect(FileManager.default.createFile(atPath: bench.folder + "/notes", contents: Data([1])))
    #expect(try folder.files() == ["a", "b", "c"].map { "\(bench.folder)/\($0).sqlite" })
    #expect(try folder.views().map(\.binding.account) == ["a", "b"])
    #expect(try CheckpointFolder(path: bench.folder + "/none").files().isEmpty)
  }

  @Test func `a listing of the other checkpoints leaves out the caller's own`() throws {
    let folder = CheckpointFolder(path: bench.folder)
    for account in ["a", "b"] {
      let binding = CheckpointBinding.sample(account: account)
      let path = folder.file(for: binding)
      _ = try CheckpointFile(path: path, binding: binding)
    }
    let views = try folder.views(butNotOf: .sample(account: "a"))
    #expect(views.map(\.binding.account) == ["b"])
  }

  @Test func `viewing chosen checkpoints leaves no file beside them`()
    throws
  {
    let folder = CheckpointFolder(path: bench.folder)
    for account in ["a", "b", "c"] {
      let binding = CheckpointBinding.sample(account: account)
      let path = folder.file(for: binding)
      _ = try CheckpointFile(path: path, binding: binding)
    }
    let torn = "\(bench.folder)/torn.sqlite"
    try Data(repeating: 0x5A, count: 9_000).write(to: URL(filePath: torn))
    let before = try Folder.names(in: bench.folder).sorted()
    let found = try folder.found(where: { $0.account == "b" })
    #expect(found.views.map { $0.binding.account } == ["b"])
    #expect(found.unread.map { $0.path } == [torn])
    #expect(try Folder.names(in: bench.folder).sorted() == before)
  }

  private func tamper(_ bench: CheckpointBench, _ sql: String) throws {
    try CheckpointBench.edit(bench.path, [sql])
  }

  private func expectDamage(_ body: () throws -> some Any) {
    let error = #expect(throws: CheckpointError.self) { _ = try body() }
    guard case .damaged = error else {
      Issue.record("it said \(String(describing: error))")
      return
    }
  }
}
