import Files
import Records
import SQLiteStores
import StoreFiles
import StoreReading
import StoreSamples
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The private copy: what it takes along, what it refuses, what it leaves alone.
struct `Copying a store` {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  @Test func `rows that lie only in the log are read, and the source stays as it is`() throws {
    let path = try SampleStore.build(in: folder, also: "PRAGMA journal_mode = WAL")
    // The writer stays, as a running app would, so that the log is not folded in.
    let writer = try SampleDatabase(path)
    try writer.run("PRAGMA wal_autocheckpoint = 0; INSERT INTO ZTAG (Z_PK, Z_ENT) VALUES (4, 5)")
    let store = try SampleStore.open(path, in: folder)
    #expect(try store.rowCount(of: "Tag") == 4)
    #expect(store.writeAheadLog?.committedFrameCount == store.writeAheadLog?.frameCount)
    #expect(store.copy.sourceFiles.map(\.part) == [.main, .writeAheadLog, .sharedMemory])
    #expect(try store.copy.differences().isEmpty)
    try writer.run("INSERT INTO ZTAG (Z_PK, Z_ENT) VALUES (5, 5)")
    let differences = try store.copy.differences()
    #expect(differences.contains { $0.hasPrefix("Sample.sqlite-wal had ") })
    #expect(try store.rowCount(of: "Tag") == 4)
  }

  @Test func `one changed byte of the source is noticed afterwards`() throws {
    let path = try SampleStore.build(in: folder)
    let store = try SampleStore.open(path, in: folder)
    #expect(try store.copy.differences().isEmpty)
    var bytes = try InputFile.contents(of: path)
    bytes[bytes.count - 1] ^= 1
    try WholeFile.replace(path, with: bytes)
    #expect(try store.copy.differences() == ["Sample.sqlite has other content"])
  }

  @Test func `a log that breaks off counts up to its last whole commit`() throws {
    let path = try SampleStore.build(in: folder, also: "PRAGMA journal_mode = WAL")
    let writer = try SampleDatabase(path)
    try writer.run("PRAGMA wal_autocheckpoint = 0; INSERT INTO ZTAG (Z_PK, Z_ENT) VALUES (4, 5)")
    try writer.run("INSERT INTO ZTAG (Z_PK, Z_ENT) VALUES (5, 5)")
    try Folder.make(folder.path + "/torn")
    var log = try InputFile.contents(of: path + "-wal")
    log[log.count - 1] ^= 1
    try folder.write("torn/Sample.sqlite", InputFile.contents(of: path))
    try folder.write("torn/Sample.sqlite-wal", log)
    let store = try SampleStore.open(folder.path + "/torn/Sample.sqlite", in: folder)
    let state = try #require(store.writeAheadLog)
    #expect(state.committedFrameCount < state.frameCount)
    #expect(store.findings.contains { $0.code == "store.log-tail" })
    #expect(try store.rowCount(of: "Tag") == 4)
  }

  @Test func `a hot journal is rolled back in the copy`() throws {
    let path = try SampleStore.build(in: folder)
    let writer = try SampleDatabase(path)
    // A cache of one page makes SQLite write into the file before the commit.
    try writer.run(
      """
      PRAGMA cache_size = 1; BEGIN; UPDATE ZTAG SET ZLABEL = 'changed';
      INSERT INTO ZTAG (Z_PK, Z_ENT, ZLABEL)
        WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
        SELECT i, 5, hex(zeroblob(500)) FROM n;
      """
    )
    try #require(InputFile.isPresent(path + "-journal"))
    let store = try SampleStore.open(path, in: folder)
    #expect(store.copy.sourceFiles.map(\.part) == [.main, .rollbackJournal])
    #expect(try store.rowCount(of: "Tag") == 3)
    #expect(try store.copy.differences().isEmpty)
  }

  @Test(arguments: ["EXCLUSIVE", "IMMEDIATE"])
  func `a store that another process has locked is read as last committed`(lock: String) throws {
    let path = try SampleStore.build(in: folder)
    let writer = try SampleDatabase(path)
    try writer.run("BEGIN \(lock); DELETE FROM ZTAG")
    let store = try SampleStore.open(path, in: folder)
    #expect(try store.rowCount(of: "Tag") == 3)
    try writer.run("ROLLBACK")
  }

  @Test func `while a writer is at work the copy is consistent, or refused as unsteady`()
    async throws
  {
    let path = folder.path + "/busy.sqlite"
    let maker = try SampleDatabase(path)
    try maker.run("PRAGMA journal_mode = WAL; CREATE TABLE a (x); CREATE TABLE b (x)")
    let writing = Task.detached {
      let writer = try SampleDatabase(path)
      var count = 0
      while !Task.isCancelled, count < 20_000 {
        try writer.run("BEGIN; INSERT INTO a VALUES (1); INSERT INTO b VALUES (1); COMMIT")
        count += 1
      }
    }
    for attempt in 0..<8 {
      do throws(StoreError) {
        let store = try Source(path, into: folder.path + "/busy-\(attempt)").store
        #expect(try store.rowCount(of: "a") == store.rowCount(of: "b"))
      } catch {
        guard case .unsteady = error else { throw error }
      }
    }
    writing.cancel()
    try await writing.value
  }

  @Test func `a link is not followed, and a missing file is reported as missing`() throws {
    let path = try SampleStore.build(in: folder)
    let link = folder.path + "/link.sqlite"
    try #require(makeLink(to: path, at: link))
    let error = #expect(throws: StoreError.self) { try SampleStore.open(link, in: folder) }
    guard case .file(let refusal) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(refusal.cure?.contains("the link leads to") == true)
    do throws(StoreError) {
      _ = try StoreCopy(of: folder.path + "/none", into: folder.path + "/private")
      Issue.record("a missing file was copied")
    } catch {
      #expect(error.cure == "check the path")
    }
  }

  /// Whether the file system of temporary files clones: a copy needs no space there.
  private static let clones: Bool = {
    do {
      let folder = try SampleFolder()
      try folder.write("original", [1])
      return FileClone.make(of: folder.path + "/original", at: folder.path + "/clone")
    } catch {
      return false
    }
  }()

  @Test(.enabled(if: !clones, "skipped: where files are cloned, a copy needs no space"))
  func `a source that is larger than the disk's free space is refused before it is copied`()
    throws
  {
    let path = try SampleStore.build(in: folder)
    let free = try #require(Folder.freeBytes(at: folder.path))
    try #require(truncate(path, off_t(free + 1 << 32)) == 0)
    let copying = { () throws(StoreError) in
      _ = try StoreCopy(of: path, into: folder.path + "/private")
    }
    let error = #expect(throws: StoreError.self, performing: copying)
    guard case .diskFull(path, let size, _, let left) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(size == free + 1 << 32 && left < size)
    #expect(error?.cure.contains("TMPDIR") == true)
    #expect(try Folder.names(in: folder.path + "/private").isEmpty)
  }

  @Test func `a database whose header cannot be one is refused before it is copied`() throws {
    try folder.write("huge.sqlite", Array("SQLite format 3\0".utf8))
    let path = folder.path + "/huge.sqlite"
    try #require(truncate(path, 1 << 40) == 0)
    let error = #expect(throws: StoreError.self) {
      try StoreCopy(of: path, into: folder.path + "/private")
    }
    #expect(error?.description.hasSuffix("it says that its pages have 0 bytes") == true)
    #expect(!Folder.exists(folder.path + "/private"))
  }

  @Test(
    arguments: [
      ("", .empty), ("SQLite format 3\0rest", .sqlite), ("CoreData\0\0", .coreDataBinary),
      ("bplist00", .binaryPropertyList), ("{ \"a b\" = 1; }", .oldStylePropertyList),
      ("{ /* ä */ größe = 1; }", .oldStylePropertyList), ("{\u{1}k=", .unknown),
      ("{ \"a b\": \"= \" }", .unknown), ("<?xml version=\"1.0\"?>\n<plist>", .xmlPropertyList),
      ("<?xml version=\"1.0\"?><!DOCTYPE database SYSTEM \"x\">", .coreDataXML),
      ("<html>", .unknown), ("hello", .unknown),
    ] as [(String, SourceKind)]
  )
  func `a file is known by its beginning`(text: String, kind: SourceKind) {
    #expect(SourceKind(start: Array(text.utf8), size: Int64(text.utf8.count)) == kind)
  }

  @Test func `logs, random files and folders are recognised too`() throws {
    #expect(SourceKind(start: [0x37, 0x7F, 0x06, 0x83], size: 4) == .writeAheadLog)
    var numbers = SeededNumbers(seed: .random(in: 0...UInt64.max))
    let noise = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &numbers) }
    #expect(SourceKind(start: noise, size: 8192) == .encrypted, "seed \(numbers.seed)")
    #expect(SourceKind(start: noise, size: 8191) == .unknown, "seed \(numbers.seed)")
    #expect(throws: StoreError.unsupported(path: folder.path, kind: .folder)) {
      try StoreCopy(of: folder.path, into: folder.path + "/private")
    }
  }
}
