import Foundation
import JSONText
import TestSupport
import Testing

/// Encrypted packages, by the program itself and against the `age` of the system.
@Suite(
  .timeLimit(.minutes(5)),
  .enabled(if: AgeProgram.isHere, "\(AgeProgram.missing)")
) struct SealedPackageTests {
  /// Keys of one test: an identity file and its recipient.
  struct Key {
    let path: String
    let recipient: String

    init(_ name: String, in scenario: MigrationScenario) throws {
      path = "\(scenario.folder)/\(name).txt"
      recipient = try AgeProgram().makeIdentity(at: path)
    }

    var reading: [String] { ["--identity", path] }
    var writing: [String] { ["--encrypt-to", recipient] }
  }

  func export(
    _ scenario: MigrationScenario,
    to package: String,
    _ flags: [String]
  ) async throws -> Answer {
    try await scenario.ferry(
      ["export", scenario.sample.store, "--profile", scenario.profile, "-o", package] + flags
    )
  }

  /// The files below a folder in which any of the planted words is, but for those that the test
  /// wrote itself.
  func hits(in folder: String, _ words: [String]) throws -> [String] {
    guard FileManager.default.fileExists(atPath: folder) else { return [] }
    return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { name in
      guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)") else {
        return false
      }
      return words.contains { bytes.firstRange(of: Data($0.utf8)) != nil }
    }
  }

  static let planted = ["canary-title-31d0", "canary-text-62b7", "canary-name-0c55"]

  func plant(in store: String) throws {
    try Python.edit(
      store,
      "UPDATE ZSTORY SET ZTITLE = 'canary-title-31d0 ' || Z_PK",
      "UPDATE ZSTORY SET ZCONTENT = 'canary-text-62b7 ' || Z_PK",
      "UPDATE ZHERO SET ZNAME = 'canary-name-0c55 ' || Z_PK"
    )
  }

  @Test func `age decrypts every file of a package to its unencrypted content`()
    async throws
  {
    try await withScenario { scenario in
      let key = try Key("key", in: scenario)
      let (open, sealed) = ("\(scenario.folder)/open.ferry", "\(scenario.folder)/sealed.ferry")
      try await scenario.export(to: open).exits(0)
      try await export(scenario, to: sealed, key.writing).exits(0)
      var plain: Set<[UInt8]> = []
      for name in try FileManager.default.subpathsOfDirectory(atPath: sealed)
      where name.hasSuffix(".age") {
        plain.insert(try AgeProgram().decrypt("\(sealed)/\(name)", identity: key.path))
      }
      var count = 0
      for name in try FileManager.default.subpathsOfDirectory(atPath: open) {
        var isFolder: ObjCBool = false
        let path = "\(open)/\(name)"
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
          !isFolder.boolValue
        else { continue }
        count += 1
        #expect(plain.contains([UInt8](try Data(contentsOf: URL(filePath: path)))), "\(name)")
      }
      #expect(count > 5)
      // And sealing.json, which only an encrypted package has.
      #expect(plain.count == count + 1)
    }
  }

  @Test func `a migration stores only names and digests unencrypted`() async throws {
    try await withScenario { scenario in
      try plant(in: scenario.sample.store)
      let key = try Key("key", in: scenario)
      let flags = key.reading + key.writing
      let first = try await scenario.migrate(flags).exits(0)
      #expect(first.value("verification")?["clean"] == true)
      // An update, whose before-image the checkpoint has to keep.
      try scenario.sql(
        "UPDATE ZSTORY SET ZTITLE = 'canary-title-31d0 again ' || Z_PK WHERE Z_PK IN (1, 2)"
      )
      let second = try await scenario.migrate(flags).exits(0)
      #expect(second.count("updated") == 2)
      for folder in [scenario.state, "\(scenario.state).temporary"] {
        #expect(try hits(in: folder, Self.planted).isEmpty)
      }
      // What was kept is enough to put back the content there before.
      let back = try await scenario.rollback(try second.run(), key.reading).exits(0)
      #expect(back.count("undone", in: "rollback") + back.count("reversed", in: "rollback") >= 0)
      #expect(try hits(in: scenario.state, Self.planted).isEmpty)
      let third = try await scenario.migrate(flags)
      #expect(third.count("updated") == 2, "\(third)")
    }
  }
}
