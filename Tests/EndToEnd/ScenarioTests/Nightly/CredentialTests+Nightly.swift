import Foundation
import JSONText
import TestSupport
import Testing

extension CredentialTests {
  // 001-13, 001-14: nothing has to be signed out of on this machine.
  @Test func `the token of a session is in no file once the run has ended`() async throws {
    try await withScenario { scenario in
      let run = try await scenario.migrate().exits(0)
      let tokens = try Python.run([
        "-c",
        "import sqlite3, sys; print(*(r[0] for r in sqlite3.connect(sys.argv[1])"
          + ".execute('SELECT token FROM sessions')))",
        "\(scenario.folder)/server/backend.sqlite",
      ]).split(whereSeparator: \.isWhitespace)
      #expect(!tokens.isEmpty)
      for token in tokens {
        #expect(!(run.standardOutput + run.standardError).contains(token))
        try expectNone(
          of: String(token),
          below: scenario.folder,
          except: ["server/backend.sqlite"]
        )
      }
    }
  }

  @Test func `a password that a server repeats is not printed`() async throws {
    try await withScenario { scenario in
      var scenario = scenario
      scenario.environment["FERRY_TEST_PASSWORD"] = Self.canary
      let answer = try await scenario.migrate().exits(7)
      #expect(!answer.standardOutput.contains(Self.canary))
      #expect(!answer.standardError.contains(Self.canary))
      try expectNoCanary(below: scenario.folder, except: ["server/backend.sqlite"])
    }
  }

  @Test func `a credential command does not inherit the secrets in variables`()
    async throws
  {
    try await withScenario { scenario in
      var scenario = scenario
      try scenario.backend.addAccount(email: "ann@example.com", password: Self.canary)
      let command = "\(scenario.folder)/say"
      let seen = "\(scenario.folder)/seen"
      try "#!/bin/sh\nenv > '\(seen)'\necho ann@example.com\n".save(to: command)
      try mode(0o700, of: command)
      scenario.environment = ["FERRY_TEST_PASSWORD": Self.canary]
      scenario.credentials = [
        "--credential", "email=command:\(command)",
        "--credential", "password=env:FERRY_TEST_PASSWORD",
      ]
      try await scenario.migrate().exits(0)
      let environment = try String(at: seen)
      #expect(environment.contains("PATH="))
      #expect(!environment.contains(Self.canary))
    }
  }

  @Test func `an unencrypted address of another machine causes a warning`() async throws {
    try await withScenario { scenario in
      var words = ["preflight", "--profile", scenario.profile] + scenario.destination
      let near = try await scenario.ferry(words)
      #expect(!near.standardError.contains("is not encrypted"))
      words = words.map { $0.replacing("127.0.0.1", with: "0.0.0.0") }
      let far = try await scenario.ferry(words)
      #expect(far.status == near.status, "\(far)")
      #expect(far.standardError.contains("http://0.0.0.0"))
      #expect(far.standardError.contains("is not encrypted"))
    }
  }
}
