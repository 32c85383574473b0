import Foundation
import JSONText
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A Realm database from the file to a destination, as a person moves it.
@Suite(.timeLimit(.minutes(3))) struct RealmTests {
  @Test func `a Realm file is migrated into a folder, repeated, and rolled back`() async throws {
    try await withRealm { realm in
      let before = try Data(contentsOf: URL(filePath: realm.path))
      let first = try await realm.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      #expect(first.value("verification")?["clean"] == true)
      let rex = try realm.document("rexford")
      #expect(rex["data"] == ["name": "rexford", "friends": ["idalina", "rexford"]])
      let again = try await realm.migrate()
      #expect(again.count("unchanged") == 2 && again.count("created") == 0)
      let back = try await realm.run(["rollback", try first.run()] + realm.destination)
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try realm.documents().isEmpty)
      #expect(try Data(contentsOf: URL(filePath: realm.path)) == before)
    }
  }

  @Test func `a run on a Realm file that is killed stores each object once when repeated`()
    async throws
  {
    try await withRealm { realm in
      try await FerryProgram().kill(
        ["migrate", realm.path] + realm.destination,
        state: realm.state,
        after: [0.0, 0.02, 0.1]
      )
      let last = try await realm.migrate()
      #expect(last.status == 0, "\(last.standardOutput)\(last.standardError)")
      #expect(try realm.documents() == ["idalina.json", "rexford.json"])
    }
  }

  @Test func `inspect shows the classes of a Realm file, their keys and links`() async throws {
    try await withRealm { realm in
      let inspected = try await FerryProgram().run(["inspect", realm.path], state: realm.state)
      #expect(inspected.status == 0, "\(inspected.standardError)")
      for words in ["Realm database", "Dog (2 rows)", "name: String", "friends →→ Dog"] {
        #expect(inspected.standardOutput.contains(words), "\(inspected.standardOutput)")
      }
    }
  }

  @Test func `a Realm file in a folder is exported, and what Realm keeps beside it is known`()
    async throws
  {
    try await withRealm { realm in
      try Data([1]).write(to: URL(filePath: realm.path + ".lock"))
      try FileManager.default.createDirectory(
        atPath: realm.path + ".management",
        withIntermediateDirectories: true
      )
      #expect(mkfifo(realm.path + ".note", 0o600) == 0)
      let inspected = try await realm.run(["inspect", realm.app])
      let container = try #require(inspected.value("container"))
      #expect(container["stores"]?.array?.compactMap { $0["kind"]?.text } == ["realm"])
      #expect(container["otherFiles"] == 0)
      let package = "\(realm.folder)/one.ferry"
      let exported = try await realm.run(["export", realm.app, "-o", package])
      #expect(exported.status == 0, "\(exported.standardOutput)\(exported.standardError)")
      #expect(try PackageLines(package).records("Dog").count == 2)
    }
  }

  @Test
  func `an encrypted Realm file in a folder is named with status 3, and the others are exported`()
    async throws
  {
    try await withRealm { realm in
      // Its first page has the shape of the entries of 64 encrypted pages.
      var pages = [UInt8](repeating: 0, count: 8192)
      pages[0] = 1
      for place in 4..<32 { pages[place] = UInt8(truncatingIfNeeded: place &* 73 &+ 11) }
      for place in 4096..<8192 { pages[place] = UInt8(truncatingIfNeeded: place &* place >> 5) }
      try Data(pages).write(to: URL(filePath: "\(realm.app)/secret.realm"))
      let exported = try await realm.run(["export", realm.app, "-o", "\(realm.folder)/one.ferry"])
      #expect(exported.status == 3, "\(exported.standardOutput)\(exported.standardError)")
      let unread = exported.findings("container.store-unread")
      #expect(unread.map { $0["file"]?.text } == ["secret.realm"])
      #expect(unread.first?["cause"]?.text?.contains("encrypted Realm file") == true)
      #expect(unread.first?["cure"]?.text?.contains("--credential realm-key=file:") == true)
    }
  }

  @Test func `values of a redacted export of a Realm file are not the store's`() async throws {
    try await withRealm { realm in
      let package = "\(realm.folder)/one.ferry"
      let exported = try await realm.run(["export", realm.path, "-o", package, "--redact"])
      #expect(exported.status == 0, "\(exported.standardOutput)\(exported.standardError)")
      let text = try PackageLines(package).records("Dog").map { "\($0)" }.joined()
      #expect(!text.contains("rexford") && !text.contains("idalina"))
    }
  }
}

/// Real Realm files of formats 2 to 24, with the values that Realm's own library read from them.
@Suite(
  .enabled(
    if: RealRealm.folder != nil,
    "skipped: FERRY_STORES names no folder of real Realm files"
  ),
  .timeLimit(.minutes(10))
)
struct RealRealmTests {
  @Test(arguments: RealRealm.names { !$0.hasPrefix("bad-") })
  func `a real Realm file is drafted, exported and valid, and each cell is the library's`(
    name: String
  ) async throws {
    let file = try RealRealm(name)
    try await withTemporaryFolder { folder in
      let more = try file.key.map { try Self.credential($0, in: folder) } ?? []
      func run(_ arguments: [String]) async throws {
        let finished = try await FerryProgram().run(
          arguments + ["--quiet"],
          state: "\(folder)/state"
        )
        #expect(finished.status == 0, "\(arguments): \(finished.standardError)")
      }
      let package = "\(folder)/one.ferry"
      try await run(["inspect", file.path] + more)
      try await run(["init", file.path, "-o", "\(folder)/draft"] + more)
      try await run(
        ["export", file.path, "--profile", "\(folder)/draft/profile.yaml", "-o", package]
          + ["--allow-empty-source"] + more
      )
      try await run(["validate", package])
      #expect(try file.differences(in: package).hasSuffix(" cells, 0 differ\n"))
    }
  }

  @Test(arguments: RealRealm.names { $0.hasPrefix("bad-") })
  func `a Realm file that cannot be read ends with status 10, a cause and a cure, and no package`(
    name: String
  ) async throws {
    let file = try RealRealm(name)
    try await withTemporaryFolder { folder in
      let package = "\(folder)/one.ferry"
      let refused = try await FerryProgram().run(
        ["export", file.path, "-o", package],
        state: "\(folder)/state"
      )
      #expect(refused.status == 10, "\(refused.standardError)")
      #expect(refused.standardError.contains(file.path), "\(refused.standardError)")
      #expect(refused.standardError.contains("cure: "), "\(refused.standardError)")
      #expect(!FileManager.default.fileExists(atPath: package))
    }
  }

  @Test func `an encrypted Realm file is refused without its key, and with another`() async throws {
    let file = try RealRealm("f10-ios-encrypted.realm")
    try await withTemporaryFolder { folder in
      let wrong = try Self.credential(String(repeating: "ab", count: 64), in: folder)
      for (more, cause) in [([], "looks like an encrypted"), (wrong, "does not open the file")] {
        let refused = try await FerryProgram().run(
          ["inspect", file.path] + more,
          state: "\(folder)/state"
        )
        #expect(refused.status == 10, "\(refused.standardError)")
        #expect(refused.standardError.contains(cause), "\(refused.standardError)")
        #expect(refused.standardError.contains("--credential realm-key=file:PATH"))
      }
      let short = try Self.credential("0102", in: folder)
      let refused = try await FerryProgram().run(
        ["inspect", file.path] + short,
        state: "\(folder)/state"
      )
      #expect(refused.status == 64, "\(refused.standardError)")
      #expect(refused.standardError.contains("not a key of 64 bytes"))
    }
  }

  /// Writes the digits of a key to a private file; gives the flags that name it.
  private static func credential(_ digits: String, in folder: String) throws -> [String] {
    let path = "\(folder)/key"
    try Data(digits.utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    return ["--credential", "realm-key=file:\(path)"]
  }
}

/// A Realm file with two dogs, alone in the folder of an app, and a profile that sends them to a folder.
struct RealmSample {
  let folder: String

  var app: String { "\(folder)/app" }
  var path: String { "\(app)/default.realm" }
  var state: String { "\(folder)/state" }
  var destination: [String] {
    ["--profile", "\(folder)/profile.yaml", "--to", "file:\(folder)/kept"]
  }

  init(in folder: String) throws {
    self.folder = folder
    try FileManager.default.createDirectory(atPath: app, withIntermediateDirectories: true)
    try Data(Self.dogs()).write(to: URL(filePath: path))
    try Self.profile.write(toFile: "\(folder)/profile.yaml", atomically: true, encoding: .utf8)
  }

  /// Dogs with a name as their primary key, and friends.
  static func dogs() -> [UInt8] {
    var writer = RealmWriter()
    let friends = writer.references([writer.numbers([1, 0]), 0])
    let root = writer.cluster(count: 2, [writer.strings(["rexford", "idalina"]), friends])
    let columns: [SampleColumn] = [.init("name", 2), .init("friends", 12, SampleColumn.list)]
    let table = writer.table(columns, root: root, primaryKey: 0)
    return writer.file(tables: [("class_Dog", table)])
  }

  private static let profile = """
    ferry-profile: 1
    app: dogs
    entities:
      Dog:
        identity: { attribute: name }
        carry: listed
        fields: { name: name, friends: { references: friends } }
    api:
      kind: folder
      entities:
        Dog: { body: { name: name, friends: friends } }
    """

  func migrate() async throws -> Answer { try await run(["migrate", path] + destination) }

  func run(_ arguments: [String]) async throws -> Answer {
    try await Answer(
      FerryProgram().run(
        arguments + ["--format", "ndjson", "--progress", "none"],
        state: state
      )
    )
  }

  /// The names of the documents that lie in the destination.
  func documents() throws -> [String] {
    guard FileManager.default.fileExists(atPath: "\(folder)/kept/Dog") else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: "\(folder)/kept/Dog").sorted()
  }

  func document(_ name: String) throws -> JSONValue {
    try JSONValue(
      parsing: String(contentsOfFile: "\(folder)/kept/Dog/\(name).json", encoding: .utf8)
    )
  }
}

private func withRealm(_ body: (RealmSample) async throws -> Void) async throws {
  try await withTemporaryFolder { folder in try await body(RealmSample(in: folder)) }
}

/// One of the real files, which lie outside of the project.
struct RealRealm {
  static let folder = ProcessInfo.processInfo.environment["FERRY_STORES"].map { $0 + "/realm" }
    .flatMap { FileManager.default.fileExists(atPath: $0) ? $0 : nil }

  let path: String
  /// The 64 bytes that an encrypted file is opened with, in hexadecimal.
  let key: String?

  init(_ name: String) throws {
    let folder = try #require(Self.folder)
    path = "\(folder)/\(name)"
    let index = try String(contentsOfFile: "\(folder)/index.jsonl", encoding: .utf8)
    key = try index.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
      .first { $0["file"]?.text == name }?["key"]?.text
  }

  /// How many objects the library read of each class that is no part of another.
  func recordCounts() throws -> [String: Int] {
    let file = URL(filePath: path)
    let name = file.deletingPathExtension().lastPathComponent + ".json"
    let expected = file.deletingLastPathComponent().appending(path: "expected/\(name)").path
    let value = try JSONValue(parsing: String(contentsOfFile: expected, encoding: .utf8))
    let tables = (value["tables"]?.array ?? []).filter { $0["kind"]?.text != "embedded" }
    let names = tables.compactMap { $0["name"]?.text }
    let hasClasses = names.contains { $0.hasPrefix("class_") }
    var counts: [String: Int] = [:]
    for (table, name) in zip(tables, names) where name.hasPrefix("class_") || !hasClasses {
      guard name != "metadata", name != "pk" else { continue }
      counts[hasClasses ? String(name.dropFirst(6)) : name] = table["count"]?.integer.map {
        Int($0)
      }
    }
    return counts
  }

  static func names(_ isWanted: (String) -> Bool) -> [String] {
    let names = folder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) }
    return (names ?? []).filter { $0.hasSuffix(".realm") && isWanted($0) }.sorted()
  }

  /// The cells of a package that are not what the library read, and how many were compared.
  func differences(in package: String) throws -> String {
    let file = URL(filePath: path)
    let name = file.deletingPathExtension().lastPathComponent + ".json"
    let expected = file.deletingLastPathComponent().appending(path: "expected/\(name)").path
    let script = ServerScript.path("realm_cells.py")
    return try Python.run([script, expected, package])
  }
}
