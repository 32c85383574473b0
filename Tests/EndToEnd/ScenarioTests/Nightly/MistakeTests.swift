import Foundation
import TestSupport
import Testing

/// What a person gets wrong, and what the program says about it: the thing, the cause and the next command.
@Suite(.timeLimit(.minutes(3))) struct MistakeTests {
  @Test func `a store that is not there is named, and the status is 10`() async throws {
    try await withScenario { scenario in
      let store = "\(scenario.folder)/nothing.store"
      for line in [["migrate", store] + scenario.destination, ["inspect", store]] {
        let answer = try await scenario.run(line).exits(10)
        #expect(answer.standardError.contains("cannot open \(store)"), "\(answer)")
        #expect(answer.standardError.contains("cure: check the path"), "\(answer)")
      }
    }
  }

  @Test func `a package that is not there is named, and the status is 64`() async throws {
    try await withScenario { scenario in
      let package = "\(scenario.folder)/nothing.ferry"
      for line in [["upload", package] + scenario.destination, ["validate", package]] {
        let answer = try await scenario.run(line).exits(64)
        let words = "there is no package at \(package); check the path"
        #expect(answer.standardError.contains(words), "\(answer)")
      }
    }
  }

  @Test func `a wrong password has the status 7, and the flag to correct`() async throws {
    try await withScenario { scenario in
      var wrong = scenario
      wrong.environment["FERRY_TEST_PASSWORD"] = "battery-staple"
      let answer = try await wrong.migrate().exits(7)
      #expect(answer.standardError.contains("the destination refused the sign-in"), "\(answer)")
      #expect(answer.standardError.contains("given with --credential"), "\(answer)")
      #expect(try scenario.backend.writeCount() == 0)
    }
  }

  @Test func `a package is not read for an upload that cannot sign in`() async throws {
    try await withScenario { scenario in
      let package = "\(scenario.folder)/p.ferry"
      try await scenario.export(to: package).exits(0)
      let mistakes: [(flag: String, status: Int32)] = [
        ("password=env:FERRY_NOTHING", 64), ("password=env:FERRY_TEST_EMAIL", 7),
      ]
      try Data("{".utf8).write(to: URL(filePath: "\(package)/data/Hero-00001.jsonl"))
      for verb in ["upload", "plan", "verify"] {
        for (flag, status) in mistakes {
          try await scenario.run([verb, package] + scenario.destination + ["--credential", flag])
            .exits(status)
        }
      }
    }
  }

  @Test func `a server that is down is named once, and the same command resumes`() async throws {
    try await withScenario { scenario in
      await scenario.backend.kill()
      let answer = try await scenario.migrate(["--retries", "0"]).exits(5)
      let errors = answer.standardError
      let address = "\(scenario.backend.origin) cannot be reached: signing in: "
      #expect(errors.contains(address), "\(answer)")
      #expect(errors.ranges(of: "cannot be reached").count == 1, "\(answer)")
      #expect(errors.contains("check that the address is right and the server runs"), "\(answer)")
      #expect(errors.contains("running the same command again resumes"), "\(answer)")
    }
  }

  @Test func `a missing profile has the status 64, and the command that drafts one`() async throws {
    try await withScenario { scenario in
      let profile = "\(scenario.folder)/other/nothing.yaml"
      let answer = try await scenario.run(["migrate", scenario.sample.store, "--profile", profile])
        .exits(64)
      #expect(answer.standardError.contains("there is no profile at \(profile)"), "\(answer)")
      #expect(answer.standardError.contains("`ferry init STORE -o FOLDER` drafts one"), "\(answer)")
    }
  }

  @Test func `a misspelt name of a profile is answered with the one that is there`() async throws {
    try await withScenario { scenario in
      let folder = "\(scenario.folder)/mine"
      try makeFolder(folder)
      try String(at: scenario.profile).save(to: "\(folder)/stories.yaml")
      let answer = try await scenario.run([
        "migrate", scenario.sample.store, "--profile", "\(folder)/storeis.yaml",
      ]).exits(64)
      let words = "did you mean --profile \(folder)/stories.yaml?"
      #expect(answer.standardError.contains(words), "\(answer)")
    }
  }

  @Test func `a misspelt key of a profile is answered with the one that is meant, and no flood`()
    async throws
  {
    try await withScenario { scenario in
      try String(at: scenario.profile).replacing("\nentities:", with: "\nentites:")
        .save(to: scenario.profile)
      for line in [
        ["profile", "check", scenario.profile],
        ["migrate", scenario.sample.store] + scenario.destination,
      ] {
        let errors = try await scenario.run(line).exits(12).standardError
        let words = "“entites” is not a setting of this section; write “entities”, or remove it"
        #expect(errors.contains(words), "\(errors)")
        #expect(!errors.contains("names no entity"), "\(errors)")
        #expect(!errors.contains("describes no such entity"), "\(errors)")
      }
    }
  }

  @Test func `the schema of another entity has the status 4, and nothing is sent`() async throws {
    try await withScenario { scenario in
      try String(at: scenario.profile)
        .replacing("infinite-stories.Hero.v3", with: "infinite-stories.Story.v3")
        .save(to: scenario.profile)
      let answer = try await scenario.migrate().exits(4)
      #expect(answer.standardError.contains("[schema.required]"), "\(answer)")
      #expect(answer.standardError.contains("Hero × "), "\(answer)")
      #expect(try scenario.backend.writeCount() == 0)
    }
  }

  @Test func `a schema that does not exist is named with its line, and the status is 12`()
    async throws
  {
    try await withScenario { scenario in
      try String(at: scenario.profile)
        .replacing("infinite-stories.Hero.v3", with: "infinite-stories.Hero.v9")
        .save(to: scenario.profile)
      let answer = try await scenario.migrate().exits(12)
      let words = "no schema “infinite-stories.Hero.v9.schema.json” is published"
      #expect(answer.standardError.contains(words), "\(answer)")
      #expect(answer.standardError.contains("/entities/Hero/schema"), "\(answer)")
    }
  }

  @Test func `a schema file without a schema is named by its path, and the status is 12`()
    async throws
  {
    try await withScenario { scenario in
      let schema = URL(filePath: scenario.profile).deletingLastPathComponent()
        .appending(path: "own.v1.schema.json").path
      try #"{"properties": {"name": {"type": "strng"}}}"#.save(to: schema)
      try String(at: scenario.profile)
        .replacing("infinite-stories.Hero.v3", with: "own.v1")
        .save(to: scenario.profile)
      let answer = try await scenario.migrate().exits(12)
      #expect(answer.standardError.contains("\(schema) at /properties/name"), "\(answer)")
    }
  }

  @Test func `a flag that is missing or misspelt is named, and the status is 64`() async throws {
    try await withScenario { scenario in
      let store = scenario.sample.store
      let profile = ["--profile", scenario.profile]
      let cases: [(line: [String], words: String)] = [
        (["export", store] + profile, "--output"),
        (["migrate", store, "--profle", scenario.profile], "Did you mean '--profile'?"),
        (["migrate"], "<store>"),
        (
          ["migrate", store, "--to", scenario.backend.origin] + profile,
          "give it with --credential email=file:PATH"
        ),
      ]
      for (line, words) in cases {
        let answer = try await scenario.run(line).exits(64)
        #expect(answer.standardError.contains(words), "\(answer)")
      }
    }
  }

  @Test func `a package of older schemas is sent with a warning that names the command`()
    async throws
  {
    try await withScenario { scenario in
      let (older, package) = ("\(scenario.folder)/older.yaml", "\(scenario.folder)/old.ferry")
      try String(at: scenario.profile).replacing(".v3.schema.json", with: ".v2.schema.json")
        .save(to: older)
      try await scenario.run([
        "export", scenario.sample.store, "--profile", older, "-o", package,
      ]).exits(0)
      let answer = try await scenario.run(["upload", package] + scenario.destination).exits(0)
      let errors = answer.standardError
      #expect(errors.contains("Hero has infinite-stories.Hero.v2.schema.json"), "\(answer)")
      #expect(errors.contains("`ferry upgrade \(package) -o NEW`"), "\(answer)")
    }
  }

  @Test func `the second of two runs says who holds the checkpoint and what to do`() async throws {
    try await withScenario { scenario in
      async let first = scenario.migrate(["--rate", "10", "--batch-size", "1"])
      while try scenario.backend.writeCount() == 0 { try await Task.sleep(for: .milliseconds(20)) }
      let second = try await scenario.migrate().exits(11)
      let errors = second.standardError
      #expect(errors.contains("another run holds the checkpoint \(scenario.state)"), "\(errors)")
      #expect(errors.contains("cure: wait for the other run, or end it"), "\(errors)")
      try await first.exits(0)
    }
  }

  @Test func `a credential whose variable is not set is named with the variable`() async throws {
    try await withScenario { scenario in
      let line = ["migrate", scenario.sample.store] + scenario.destination
      let answer = try await scenario.run(line + ["--credential", "password=env:FERRY_NOTHING"])
        .exits(64)
      let words = "the environment has no FERRY_NOTHING, where “password” should be"
      #expect(answer.standardError.contains(words), "\(answer)")
      #expect(answer.standardError.contains("export FERRY_NOTHING"), "\(answer)")
    }
  }

  @Test func `a credential file that others may read is refused with the command that mends it`()
    async throws
  {
    try await withScenario { scenario in
      let file = "\(scenario.folder)/password"
      try "correct-horse\n".save(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
      let line = ["migrate", scenario.sample.store] + scenario.destination
      let answer = try await scenario.run(line + ["--credential", "password=file:\(file)"])
        .exits(64)
      #expect(answer.standardError.contains("can be read by other users"), "\(answer)")
      #expect(answer.standardError.contains("run: chmod 600 \(file)"), "\(answer)")
      #expect(!answer.standardError.contains("correct-horse"))
    }
  }

  @Test func `a misspelt name of a credential is answered with the one that the profile has`()
    async throws
  {
    try await withScenario { scenario in
      let line = [
        "migrate", scenario.sample.store, "--profile", scenario.profile, "--to",
        scenario.backend.origin, "--credential", "email=env:FERRY_TEST_EMAIL",
        "--credential", "pasword=env:FERRY_TEST_PASSWORD",
      ]
      let answer = try await scenario.run(line).exits(64)
      let words = "did you mean --credential password=… for “pasword”?"
      #expect(answer.standardError.contains(words), "\(answer)")
    }
  }
}
