import Files
import Foundation
import Testing

/// A folder of its own, gone when the test is over.
final class Workplace {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "files-tests-\(UUID().uuidString)"
    try Folder.make(path)
  }

  deinit { try? Folder.remove(path) }

  func mode(of name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
  }
}

struct InputFileKindTests {
  @Test func `a special file is reported by its kind, with a cure`() throws {
    let place = try Workplace()
    #expect(mkfifo(place.path + "/pipe", 0o600) == 0)
    for path in [place.path, place.path + "/pipe"] {
      let error = #expect(throws: FileError.self) { _ = try InputFile.contents(of: path) }
      #expect(error?.description == "cannot open \(path): it is not a plain file")
      #expect(error?.cure == "name a file; what a folder, a pipe or a device holds is not read")
    }
  }
}

struct FolderChangeTests {
  @Test func `a file that was written later, or is gone, is not unchanged`() throws {
    let place = try Workplace()
    func write(_ name: String, at seconds: Double) throws -> String {
      let path = "\(place.path)/\(name)"
      _ = try OutputFile(creating: path).finish()
      let date = Date(timeIntervalSince1970: seconds)
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
      return path
    }
    let (early, late) = (try write("early", at: 1_000.25), try write("late", at: 1_000.5))
    #expect(Folder.isUnchanged(early, since: late))
    #expect(!Folder.isUnchanged(late, since: early))
    #expect(!Folder.isUnchanged(early, since: early))
    #expect(!Folder.isUnchanged(early, since: "\(place.path)/none"))
    #expect(!Folder.isUnchanged("\(place.path)/none", since: late))
  }
}

struct OutputFileTests {
  @Test func `a new file is private`() throws {
    let place = try Workplace()
    let file = try OutputFile(creating: place.path + "/a")
    _ = try file.finish()
    #expect(try place.mode(of: "a") == 0o600)
  }

  @Test func `an existing file is not opened for writing`() throws {
    let place = try Workplace()
    _ = try OutputFile(creating: place.path + "/a").finish()
    let error = #expect(throws: FileError.self) { try create(place.path + "/a") }
    #expect(error?.operation == .create)
  }

  @Test func `a link is never followed on output`() throws {
    let place = try Workplace()
    try FileManager.default.createSymbolicLink(
      atPath: place.path + "/link",
      withDestinationPath: place.path + "/target"
    )
    #expect(throws: FileError.self) { try create(place.path + "/link") }
    #expect(!InputFile.isPresent(place.path + "/target"))
  }

  private func create(_ path: String) throws {
    _ = try OutputFile(creating: path).finish()
  }

  @Test func `a file's digest covers all bytes, regardless of the writes' sizes`() throws {
    let place = try Workplace()
    var file = try OutputFile(creating: place.path + "/a")
    for _ in 0..<1000 { try file.write([UInt8](repeating: 7, count: 999)) }
    let size = file.size
    let digest = try file.finish()
    let read = try InputFile.sha256(of: place.path + "/a")
    #expect(size == 999_000)
    #expect(read.digest == digest)
    #expect(read.size == 999_000)
  }
}

struct WholeFileTests {
  @Test func `a replaced file has the new content and leaves no draft`() throws {
    let place = try Workplace()
    try WholeFile.replace(place.path + "/a", with: [1])
    try WholeFile.replace(place.path + "/a", with: [2, 3])
    #expect(try InputFile.contents(of: place.path + "/a") == [2, 3])
    #expect(try Folder.names(in: place.path) == ["a"])
  }

  @Test
  func `a killed writer's draft is removed by the next writer, and a living writer's draft stays`()
    throws
  {
    let place = try Workplace()
    // No process has the first number; the second is the first process of all.
    for writer in [Int32.max, 1] {
      _ = try OutputFile(creating: place.path + "/.a.ferry-\(writer).draft").finish()
    }
    _ = try OutputFile(creating: place.path + "/.a.ferry-txt.draft").finish()
    try WholeFile.replace(place.path + "/a", with: [1])
    #expect(
      try Folder.names(in: place.path) == [".a.ferry-1.draft", ".a.ferry-txt.draft", "a"]
    )
  }

  @Test func `a user's file beside an output is not taken for a draft`() throws {
    let place = try Workplace()
    try Folder.make(place.path + "/a.draft")
    for name in ["a.draft/kept", "a.1.draft", "b.draft"] {
      _ = try OutputFile(creating: place.path + "/" + name).finish()
    }
    try WholeFile.replace(place.path + "/a", with: [1])
    try begin(place.path + "/b")
    #expect(try Folder.names(in: place.path) == ["a", "a.1.draft", "a.draft", "b.draft"])
    #expect(try Folder.names(in: place.path + "/a.draft") == ["kept"])
  }

  @Test func `a pipe is written to and not replaced`() throws {
    let place = try Workplace()
    let path = place.path + "/pipe"
    #expect(mkfifo(path, 0o644) == 0)
    let error = #expect(throws: FileError.self) { try WholeFile.replace(path, with: [1]) }
    #expect(error?.cure?.contains("start what is to read it") == true)
    let reader = open(path, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    try WholeFile.replace(path, with: [1, 2])
    try AppendingFile.add([3], to: path)
    var bytes: [UInt8] = [0, 0, 0, 0]
    #expect(read(reader, &bytes, 4) == 3)
    #expect(bytes == [1, 2, 3, 0])
    #expect(try place.mode(of: "pipe") == 0o644)
    #expect(try Folder.names(in: place.path) == ["pipe"])
  }

  @Test func `a linked file is not appended to`() throws {
    let place = try Workplace()
    _ = try OutputFile(creating: place.path + "/kept").finish()
    #expect(symlink(place.path + "/kept", place.path + "/link") == 0)
    #expect(throws: FileError.self) { try AppendingFile.add([1], to: place.path + "/link") }
    #expect(try InputFile.contents(of: place.path + "/kept") == [])
  }

  @Test func `a file that is not a lock is not taken for one`() throws {
    let place = try Workplace()
    try WholeFile.replace(place.path + "/a.lock", with: Array("my notes".utf8))
    #expect(throws: FileError.self) { _ = try LockFile(taking: place.path + "/a.lock") }
    #expect(try InputFile.contents(of: place.path + "/a.lock") == Array("my notes".utf8))
    // A power cut leaves zeros where something was written and not synced.
    for left in [Array("4711\n".utf8), [], [0, 0, 0, 0, 0], Array("47".utf8) + [0, 0, 0]] {
      try WholeFile.replace(place.path + "/b.lock", with: left)
      #expect(try LockFile(taking: place.path + "/b.lock") != nil)
    }
  }

  @Test func `a file that cannot be replaced leaves no draft`() throws {
    let place = try Workplace()
    try Folder.make(place.path + "/a")
    #expect(throws: FileError.self) { try WholeFile.replace(place.path + "/a", with: [1]) }
    #expect(try Folder.names(in: place.path) == ["a"])
  }

  @Test func `an unpublished draft is not visible`() throws {
    let place = try Workplace()
    try begin(place.path + "/a")
    #expect(!InputFile.isPresent(place.path + "/a"))
  }

  private func begin(_ path: String) throws {
    var draft = try WholeFileDraft(for: path)
    try draft.write([1])
  }
}

struct FolderTests {
  @Test func `a new folder and its new parents are private`() throws {
    let place = try Workplace()
    try Folder.make(place.path + "/b/c")
    #expect(try place.mode(of: "b") == 0o700)
    #expect(try place.mode(of: "b/c") == 0o700)
  }

  @Test func `a lasting folder is created and synced with its parents`() throws {
    let place = try Workplace()
    try Folder.makeLasting(place.path + "/b/c")
    try Folder.makeLasting(place.path + "/b/c")
    #expect(try place.mode(of: "b") == 0o700)
    #expect(Folder.exists(place.path + "/b/c"))
  }

  @Test func `removing a folder removes links and never their targets`() throws {
    let place = try Workplace()
    try Folder.make(place.path + "/kept")
    try WholeFile.replace(place.path + "/kept/a", with: [1])
    try Folder.make(place.path + "/gone")
    try FileManager.default.createSymbolicLink(
      atPath: place.path + "/gone/link",
      withDestinationPath: place.path + "/kept"
    )
    try Folder.remove(place.path + "/gone")
    #expect(try Folder.names(in: place.path + "/kept") == ["a"])
  }

  @Test func `a folder is never published over another`() throws {
    let place = try Workplace()
    try Folder.make(place.path + "/new")
    try Folder.make(place.path + "/old")
    #expect(throws: FileError.self) {
      try Folder.publish(place.path + "/new", as: place.path + "/old")
    }
  }

  @Test(arguments: [("/a/b", "/a", "b"), ("b", ".", "b"), ("/b", "/", "b"), ("/a/b/", "/a", "b")])
  func `a path is taken apart by its text`(path: String, parent: String, last: String) {
    #expect(Folder.parentPath(of: path) == parent)
    #expect(Folder.lastName(of: path) == last)
  }
}

struct ReadingLimitTests {
  @Test func `a file over its size limit is refused with a cure`() throws {
    let place = try Workplace()
    try WholeFile.replace(place.path + "/a", with: [1, 2, 3])
    #expect(try InputFile.contents(of: place.path + "/a", limit: 3) == [1, 2, 3])
    let error = #expect(throws: FileError.self) {
      try InputFile.contents(of: place.path + "/a", limit: 2)
    }
    #expect(error?.description == "cannot read \(place.path)/a: File too large")
    #expect(error?.cure == "check that it is the right one: no such file is that large")
  }
}

struct LockFileTests {
  @Test func `a second taker of a lock is refused while the first holds it`() throws {
    let place = try Workplace()
    let isTaken = try holdingTwice(place.path + "/lock")
    #expect(isTaken)
  }

  private func holdingTwice(_ path: String) throws -> Bool {
    guard let first = try LockFile(taking: path) else { return false }
    let second = try LockFile(taking: path)
    let isRefused = second == nil
    return first.path == path && isRefused
  }

  @Test func `the lock file names its holder's process`() throws {
    let place = try Workplace()
    guard let lock = try LockFile(taking: place.path + "/lock") else {
      Issue.record("the lock was free")
      return
    }
    #expect(LockFile.holder(of: lock.path) == "\(getpid())")
  }

  /// A process that is being started has all that its parent has open, until it is another program.
  @Test func `a released lock is free, even if a child process has its file open`() throws {
    let place = try Workplace()
    let path = place.path + "/lock"
    let inherited = try inheriting(path)
    defer { close(inherited) }
    let isFree = try LockFile(taking: path) != nil
    #expect(isFree)
  }

  /// Takes a lock and lets it go; gives what a child born meanwhile has open of it.
  private func inheriting(_ path: String) throws -> Int32 {
    let lock = try LockFile(taking: path)
    var (named, open) = (stat(), stat())
    try #require(lock != nil && stat(path, &named) == 0)
    let descriptor = try #require(
      (0..<getdtablesize()).prefix(65_536).first {
        fstat($0, &open) == 0 && open.st_ino == named.st_ino && open.st_dev == named.st_dev
      }
    )
    return dup(descriptor)
  }
}

struct PrivateFolderTests {
  @Test func `a private folder is removed with its owner`() throws {
    var folder: PrivateFolder? = try PrivateFolder()
    let path = try #require(folder?.path)
    #expect(Folder.exists(path))
    folder = nil
    #expect(!Folder.exists(path))
    #expect(!InputFile.isPresent(path + ".lock"))
  }

  @Test func `many takers use a lock concurrently`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<200 { _ = try PrivateFolder() } }
      }
      try await group.waitForAll()
    }
  }

  @Test func `the files of a dead owner are removed by the next one`() throws {
    // The folder around all of them goes with the last one, in whichever process, so one stays.
    let living = try PrivateFolder()
    let left = "\(Folder.parentPath(of: living.path))/left-by-a-dead-process"
    try Folder.make(left)
    try WholeFile.replace(left + ".lock", with: [])
    _ = try PrivateFolder()
    #expect(!Folder.exists(left))
    #expect(Folder.exists(living.path))
  }
}
