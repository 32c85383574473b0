import Foundation
import JSONText
import TestSupport
import Testing

extension SealedPackageTests {
  @Test func `a saved plan shows the fields of an encrypted package only with its identity`()
    async throws
  {
    try await withScenario { scenario in
      let key = try Key("key", in: scenario)
      let package = "\(scenario.folder)/sealed.ferry"
      let plan = "\(scenario.folder)/sealed.plan"
      try await export(scenario, to: package, key.writing).exits(0)
      try await scenario.ferry(
        ["plan", package, "-o", plan] + scenario.destination + key.reading
      ).exits(0)
      func heroes(_ flags: [String]) async throws -> [JSONValue] {
        try await scenario.ferry(["show", plan, "Hero", "--show-values"] + flags).exits(0)
          .values.filter { $0["type"] == "operation" }
      }
      let closed = try await heroes([])
      #expect(closed.count == 6)
      #expect(closed.allSatisfy { $0["fields"] == nil })
      let open = try await heroes(key.reading)
      #expect(open.count == 6)
      #expect(open.allSatisfy { $0["fields"]?.array?.isEmpty == false })
    }
  }

  @Test func `every verb that reads a package accepts the identity, and asks for it`()
    async throws
  {
    try await withScenario { scenario in
      let (key, other) = (try Key("key", in: scenario), try Key("other", in: scenario))
      let package = "\(scenario.folder)/p.ferry"
      try await export(scenario, to: package, key.writing).exits(0)
      let lines = [
        ["validate", package], ["plan", package] + scenario.destination,
        ["upload", package] + scenario.destination, ["verify", package] + scenario.destination,
        ["upgrade", package, "-o", "\(scenario.folder)/new.ferry"],
      ]
      for line in lines {
        let without = try await scenario.ferry(line)
        #expect(without.status == 12, "\(line[0]): \(without.standardError)")
        #expect(without.standardError.contains("is encrypted; name the file of an identity"))
        let foreign = try await scenario.ferry(line + other.reading)
        #expect(foreign.status == 12, "\(line[0]): \(foreign.standardError)")
        #expect(foreign.standardError.contains("is encrypted to others"))
        let fitting = try await scenario.ferry(line + other.reading + key.reading)
        #expect(fitting.status == 0, "\(line[0]): \(fitting.standardError)")
      }
      // What the first of these lines sent.
      let again = try await scenario.ferry(
        ["upload", package] + scenario.destination + key.reading
      )
      let run = try #require(try again.runs().last)
      try await scenario.rollback(run, other.reading).exits(12)
      // The run remembers the file of its identity.
      try await scenario.rollback(run).exits(0)
    }
  }

  @Test(arguments: [0.05, 0.3, 0.8])
  func `a killed encrypted migration resumes, sends no record twice and leaves no plain text`(
    wait: Double
  ) async throws {
    try await withScenario { scenario in
      try plant(in: scenario.sample.store)
      let key = try Key("key", in: scenario)
      let flags = key.reading + key.writing
      try await scenario.kill(after: wait, flags)
      #expect(try hits(in: scenario.state, Self.planted).isEmpty)
      let answer = try await scenario.migrate(flags).exits(0)
      #expect(answer.value("verification")?["clean"] == true)
      #expect(try hits(in: scenario.state, Self.planted).isEmpty)
      #expect(try hits(in: "\(scenario.state).temporary", Self.planted).isEmpty)
    }
  }

  @Test func `media files are sent from an encrypted package`() async throws {
    try await withScenario(takesMedia: true) { scenario in
      let key = try Key("key", in: scenario)
      let open = try await scenario.migrate()
      let rolled = try await scenario.rollbackAll(from: open)
      #expect(rolled.allSatisfy { $0.status == 0 })
      let answer = try await scenario.migrate(key.reading + key.writing)
      #expect(answer.status == open.status, "\(answer)")
      #expect(answer.value("verification")?["clean"] == open.value("verification")?["clean"])
    }
  }

  @Test func `a destination's records are read into an encrypted package`() async throws {
    try await withScenario { scenario in
      try plant(in: scenario.sample.store)
      let key = try Key("key", in: scenario)
      try await scenario.migrate(key.reading + key.writing).exits(0)
      let there = "\(scenario.folder)/there.ferry"
      try await scenario.ferry(
        ["export", "--from", scenario.backend.origin, "--profile", scenario.profile, "-o", there]
          + scenario.credentials + key.writing
      ).exits(0)
      #expect(try hits(in: there, Self.planted).isEmpty)
      #expect(try hits(in: "\(scenario.state).temporary", Self.planted).isEmpty)
      try await scenario.ferry(["validate", there] + key.reading).exits(0)
    }
  }

  @Test func `shared texts go into an encrypted package, and more into the next`() async throws {
    try await withScenario { scenario in
      let key = try Key("key", in: scenario)
      let recipients = "\(scenario.folder)/recipients.txt"
      try "# the office\n\(key.recipient)\n".save(to: recipients)
      let (one, two) = ("\(scenario.folder)/one.txt", "\(scenario.folder)/two.txt")
      try "Wordle 1,234 3/6\n\n⬛🟨⬛⬛⬛\n🟩🟩⬛🟩⬛\n🟩🟩🟩🟩🟩\n".save(to: one)
      try "Wordle 1,235 2/6\n\n🟩🟩⬛🟩⬛\n🟩🟩🟩🟩🟩\n".save(to: two)
      let (first, second) = ("\(scenario.folder)/a.ferry", "\(scenario.folder)/b.ferry")
      let write = ["--encrypt-to", recipients]
      try await scenario.ferry(["import", one, "-o", first] + write).exits(0)
      let line = ["import", two, "--into", first, "-o", second] + write
      try await scenario.ferry(line).exits(12)
      try await scenario.ferry(line + key.reading).exits(0)
      #expect(try hits(in: second, ["Wordle", "1,234", "1,235", "GameResult"]).isEmpty)
      try await scenario.ferry(["validate", second] + key.reading).exits(0)
    }
  }

  @Test func `unusable keys are refused before any work`() async throws {
    try await withScenario { scenario in
      let key = try Key("key", in: scenario)
      let package = "\(scenario.folder)/p.ferry"
      let secret =
        try String(at: key.path)
        .split(separator: "\n").last.map(String.init) ?? ""
      let open = "\(scenario.folder)/open.txt"
      try FileManager.default.copyItem(atPath: key.path, toPath: open)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: open)
      let ssh = "\(scenario.folder)/id_ed25519"
      try "-----BEGIN OPENSSH PRIVATE KEY-----\n".save(to: ssh)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: ssh)
      let refused: [([String], String)] = [
        (["--encrypt-to", "age1nonsense"], "this is not a recipient"),
        (["--encrypt-to", "\(scenario.folder)/nowhere"], "there is no file of this name"),
        (["--encrypt-to", "ssh-ed25519 AAAA"], "SSH keys are not used"),
        (["--encrypt-to", secret], "this is a secret identity"),
        (["--identity", open], "chmod 600"), (["--identity", ssh], "SSH keys are not used"),
        (["--identity", "\(scenario.folder)/nowhere"], "cannot be opened"),
      ]
      for (flags, reason) in refused {
        let answer = try await export(scenario, to: package, flags)
        #expect(answer.status == 64, "\(flags): \(answer.standardError)")
        #expect(answer.standardError.contains(reason), "\(flags): \(answer.standardError)")
        #expect(!answer.standardError.contains(secret))
        #expect(!FileManager.default.fileExists(atPath: package))
      }
      let alone = try await scenario.migrate(key.writing).exits(64)
      #expect(alone.standardError.contains("--encrypt-to needs --identity here"))
      let other = try Key("other", in: scenario)
      let crossed = try await scenario.migrate(key.writing + other.reading).exits(64)
      #expect(crossed.standardError.contains("--identity opens nothing"))
    }
  }

  @Test func `records of an encrypted package are not quarantined unencrypted`() async throws {
    try await withScenario { scenario in
      try Canary.plant(in: scenario.sample.store)
      let key = try Key("key", in: scenario)
      let answer = try await scenario.migrate(
        key.reading + key.writing + ["--on-invalid", "quarantine"]
      ).exits(64)
      #expect(answer.standardError.contains("quarantined"))
      #expect(try hits(in: scenario.state, Canary.texts).isEmpty)
    }
  }
}
