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
  private struct Key {
    let path: String
    let recipient: String

    init(_ name: String, in crossing: Crossing) throws {
      path = "\(crossing.folder)/\(name).txt"
      recipient = try AgeProgram().makeIdentity(at: path)
    }

    var reading: [String] { ["--identity", path] }
    var writing: [String] { ["--encrypt-to", recipient] }
  }

  private func export(
    _ crossing: Crossing,
    to package: String,
    _ flags: [String]
  ) async throws -> Answer {
    try await crossing.ferry(
      ["export", crossing.sample.store, "--profile", crossing.profile, "-o", package] + flags
    )
  }

  /// The files below a folder in which any of the planted words stands, but for those that the test
  /// wrote itself.
  private func hits(in folder: String, _ words: [String]) throws -> [String] {
    guard FileManager.default.fileExists(atPath: folder) else { return [] }
    return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { name in
      guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)") else {
        return false
      }
      return words.contains { bytes.firstRange(of: Data($0.utf8)) != nil }
    }
  }

  private static let planted = ["canary-title-31d0", "canary-text-62b7", "canary-name-0c55"]

  private func plant(in store: String) throws {
    try Python.edit(
      store,
      "UPDATE ZSTORY SET ZTITLE = 'canary-title-31d0 ' || Z_PK",
      "UPDATE ZSTORY SET ZCONTENT = 'canary-text-62b7 ' || Z_PK",
      "UPDATE ZHERO SET ZNAME = 'canary-name-0c55 ' || Z_PK"
    )
  }

  @Test func `age opens every file of a package, and they are those of one in the open`()
    async throws
  {
    try await withCrossing { crossing in
      let key = try Key("key", in: crossing)
      let (open, sealed) = ("\(crossing.folder)/open.ferry", "\(crossing.folder)/sealed.ferry")
      #expect(try await crossing.export(to: open).status == 0)
      let answer = try await export(crossing, to: sealed, key.writing)
      #expect(answer.status == 0, "\(answer.standardError)")
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

  @Test func `every verb that reads a package takes the identity, and says so without it`()
    async throws
  {
    try await withCrossing { crossing in
      let (key, other) = (try Key("key", in: crossing), try Key("other", in: crossing))
      let package = "\(crossing.folder)/p.ferry"
      #expect(try await export(crossing, to: package, key.writing).status == 0)
      let lines = [
        ["validate", package], ["plan", package] + crossing.destination,
        ["upload", package] + crossing.destination, ["verify", package] + crossing.destination,
        ["upgrade", package, "-o", "\(crossing.folder)/new.ferry"],
      ]
      for line in lines {
        let without = try await crossing.ferry(line)
        #expect(without.status == 12, "\(line[0]): \(without.standardError)")
        #expect(without.standardError.contains("is encrypted; name the file of an identity"))
        let foreign = try await crossing.ferry(line + other.reading)
        #expect(foreign.status == 12, "\(line[0]): \(foreign.standardError)")
        #expect(foreign.standardError.contains("is encrypted to others"))
        let fitting = try await crossing.ferry(line + other.reading + key.reading)
        #expect(fitting.status == 0, "\(line[0]): \(fitting.standardError)")
      }
      // What the first of these lines sent.
      let again = try await crossing.ferry(
        ["upload", package] + crossing.destination + key.reading
      )
      let run = try #require(try again.runs().last)
      #expect(try await crossing.rollback(run).status == 12)
      let back = try await crossing.rollback(run, key.reading)
      #expect(back.status == 0, "\(back.standardError)")
    }
  }

  @Test func `a migration keeps nothing in the open but names and digests`() async throws {
    try await withCrossing { crossing in
      try plant(in: crossing.sample.store)
      let key = try Key("key", in: crossing)
      let flags = key.reading + key.writing
      let first = try await crossing.migrate(flags)
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      #expect(first.value("verification")?["clean"] == true)
      // An update, whose before-image the checkpoint has to keep.
      try Python.edit(
        crossing.sample.store,
        "UPDATE ZSTORY SET ZTITLE = 'canary-title-31d0 again ' || Z_PK WHERE Z_PK IN (1, 2)"
      )
      let second = try await crossing.migrate(flags)
      #expect(second.status == 0, "\(second.standardOutput)\(second.standardError)")
      #expect(second.count("updated") == 2)
      for folder in [crossing.state, "\(crossing.state).temporary"] {
        #expect(try hits(in: folder, Self.planted).isEmpty)
      }
      // What was kept is enough to put back what stood there.
      let back = try await crossing.rollback(try second.run(), key.reading)
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(back.count("undone", in: "rollback") + back.count("reversed", in: "rollback") >= 0)
      #expect(try hits(in: crossing.state, Self.planted).isEmpty)
      let third = try await crossing.migrate(flags)
      #expect(third.count("updated") == 2, "\(third.standardOutput)\(third.standardError)")
    }
  }

  @Test(arguments: [0.05, 0.3, 0.8])
  func `a migration that is killed goes on, sends nothing twice and leaves nothing in the open`(
    wait: Double
  ) async throws {
    try await withCrossing { crossing in
      try plant(in: crossing.sample.store)
      let key = try Key("key", in: crossing)
      let flags = key.reading + key.writing
      try await crossing.kill(after: wait, flags)
      #expect(try hits(in: crossing.state, Self.planted).isEmpty)
      let answer = try await crossing.migrate(flags)
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.value("verification")?["clean"] == true)
      #expect(try hits(in: crossing.state, Self.planted).isEmpty)
      #expect(try hits(in: "\(crossing.state).temporary", Self.planted).isEmpty)
    }
  }

  @Test func `media files are sent from an encrypted package`() async throws {
    try await withCrossing(takesMedia: true) { crossing in
      let key = try Key("key", in: crossing)
      let open = try await crossing.migrate()
      let rolled = try await crossing.rollbackAll(from: open)
      #expect(rolled.allSatisfy { $0.status == 0 })
      let answer = try await crossing.migrate(key.reading + key.writing)
      #expect(answer.status == open.status, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.value("verification")?["clean"] == open.value("verification")?["clean"])
    }
  }

  @Test func `what a destination holds is read into an encrypted package`() async throws {
    try await withCrossing { crossing in
      try plant(in: crossing.sample.store)
      let key = try Key("key", in: crossing)
      #expect(try await crossing.migrate(key.reading + key.writing).status == 0)
      let there = "\(crossing.folder)/there.ferry"
      let answer = try await crossing.ferry(
        ["export", "--from", crossing.backend.origin, "--profile", crossing.profile, "-o", there]
          + crossing.credentials + key.writing
      )
      #expect(answer.status == 0, "\(answer.standardError)")
      #expect(try hits(in: there, Self.planted).isEmpty)
      #expect(try hits(in: "\(crossing.state).temporary", Self.planted).isEmpty)
      let checked = try await crossing.ferry(["validate", there] + key.reading)
      #expect(checked.status == 0, "\(checked.standardError)")
    }
  }

  @Test func `shared texts go into an encrypted package, and more into the next`() async throws {
    try await withCrossing { crossing in
      let key = try Key("key", in: crossing)
      let recipients = "\(crossing.folder)/recipients.txt"
      try "# the office\n\(key.recipient)\n".write(
        toFile: recipients,
        atomically: true,
        encoding: .utf8
      )
      let (one, two) = ("\(crossing.folder)/one.txt", "\(crossing.folder)/two.txt")
      try "Wordle 1,234 3/6\n\n⬛🟨⬛⬛⬛\n🟩🟩⬛🟩⬛\n🟩🟩🟩🟩🟩\n"
        .write(toFile: one, atomically: true, encoding: .utf8)
      try "Wordle 1,235 2/6\n\n🟩🟩⬛🟩⬛\n🟩🟩🟩🟩🟩\n"
        .write(toFile: two, atomically: true, encoding: .utf8)
      let (first, second) = ("\(crossing.folder)/a.ferry", "\(crossing.folder)/b.ferry")
      let write = ["--encrypt-to", recipients]
      let made = try await crossing.ferry(["import", one, "-o", first] + write)
      #expect(made.status == 0, "\(made.standardError)")
      let line = ["import", two, "--into", first, "-o", second] + write
      #expect(try await crossing.ferry(line).status == 12)
      let joined = try await crossing.ferry(line + key.reading)
      #expect(joined.status == 0, "\(joined.standardError)")
      #expect(try hits(in: second, ["Wordle", "1,234", "1,235", "GameResult"]).isEmpty)
      let checked = try await crossing.ferry(["validate", second] + key.reading)
      #expect(checked.status == 0, "\(checked.standardError)")
    }
  }

  @Test func `keys that cannot be used are refused before anything is done`() async throws {
    try await withCrossing { crossing in
      let key = try Key("key", in: crossing)
      let package = "\(crossing.folder)/p.ferry"
      let secret =
        try String(contentsOfFile: key.path, encoding: .utf8)
        .split(separator: "\n").last.map(String.init) ?? ""
      let open = "\(crossing.folder)/open.txt"
      try FileManager.default.copyItem(atPath: key.path, toPath: open)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: open)
      let ssh = "\(crossing.folder)/id_ed25519"
      try "-----BEGIN OPENSSH PRIVATE KEY-----\n".write(
        toFile: ssh,
        atomically: true,
        encoding: .utf8
      )
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: ssh)
      let refused: [([String], String)] = [
        (["--encrypt-to", "age1nonsense"], "this is no recipient"),
        (["--encrypt-to", "\(crossing.folder)/nowhere"], "there is no file of this name"),
        (["--encrypt-to", "ssh-ed25519 AAAA"], "SSH keys are not used"),
        (["--encrypt-to", secret], "this is a secret identity"),
        (["--identity", open], "chmod 600"), (["--identity", ssh], "SSH keys are not used"),
        (["--identity", "\(crossing.folder)/nowhere"], "cannot be opened"),
      ]
      for (flags, reason) in refused {
        let answer = try await export(crossing, to: package, flags)
        #expect(answer.status == 64, "\(flags): \(answer.standardError)")
        #expect(answer.standardError.contains(reason), "\(flags): \(answer.standardError)")
        #expect(!answer.standardError.contains(secret))
        #expect(!FileManager.default.fileExists(atPath: package))
      }
      let alone = try await crossing.migrate(key.writing)
      #expect(alone.status == 64)
      #expect(alone.standardError.contains("--encrypt-to needs --identity here"))
      let other = try Key("other", in: crossing)
      let crossed = try await crossing.migrate(key.writing + other.reading)
      #expect(crossed.status == 64)
      #expect(crossed.standardError.contains("--identity opens nothing"))
    }
  }

  @Test func `records of an encrypted package are not kept aside in the open`() async throws {
    try await withCrossing { crossing in
      try Canary.plant(in: crossing.sample.store)
      let key = try Key("key", in: crossing)
      let answer = try await crossing.migrate(
        key.reading + key.writing + ["--on-invalid", "quarantine"]
      )
      #expect(answer.status == 64, "\(answer.standardError)")
      #expect(answer.standardError.contains("kept aside"))
      #expect(try hits(in: crossing.state, Canary.texts).isEmpty)
    }
  }
}
