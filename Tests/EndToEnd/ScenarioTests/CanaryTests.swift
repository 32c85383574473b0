import Foundation
import JSONText
import TestSupport
import Testing

/// What no one but the owner is to read, planted everywhere, and looked for in all that is said.
@Suite(.timeLimit(.minutes(5))) struct CanaryTests {
  @Test
  func `a link in the place of the private copies is not followed, and its target is unchanged`()
    async throws
  {
    try await withScenario { scenario in
      let folder = "\(scenario.folder)/victims"
      let temporary = "\(scenario.state).temporary"
      for path in ["\(folder)/precious", temporary] {
        try makeFolder(path)
      }
      // By its name this looks like what a killed run left.
      try Data().write(to: URL(filePath: "\(folder)/precious.lock"))
      try FileManager.default.createSymbolicLink(
        atPath: "\(temporary)/ferry-\(geteuid())",
        withDestinationPath: folder
      )
      let answer = try await scenario.export(to: "\(scenario.folder)/p.ferry").exits(1)
      #expect(
        answer.standardError.contains(
          "cannot trust the folder \(temporary)/ferry-\(geteuid()): it is a link"
        )
      )
      #expect(answer.standardError.contains("cure: remove it"))
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      #expect(names == ["precious", "precious.lock"])
    }
  }

  @Test func `a redirect to another host gets neither the token nor a record`()
    async throws
  {
    try await withScenario { scenario in
      let log = "\(scenario.folder)/elsewhere"
      let server = try RealServer(
        "/usr/bin/env",
        [
          "python3", ServerScript.path("redirecting_server.py"), "{port}",
          "\(try RealServer.freePort())",
        ]
          + [Canary.token, log],
        in: scenario.folder,
        answersAt: "/ready"
      )
      let package = "\(scenario.folder)/p.ferry"
      try await scenario.export(to: package).exits(0)
      let flags = ["--profile", scenario.profile, "--to", server.origin, "--retries", "1"]
      for verb in ["plan", "upload", "verify", "preflight"] {
        let line = verb == "preflight" ? [verb] : [verb, package]
        let answer = try await scenario.ferry(line + flags + scenario.credentials)
        #expect(answer.status == 7, "\(verb): \(answer.status) \(answer.standardError)")
        #expect(!(answer.standardOutput + answer.standardError).contains(Canary.token), "\(verb)")
      }
      #expect(try String(at: log).isEmpty)
      // The account is asked before anything is kept.
      #expect(!FileManager.default.fileExists(atPath: "\(scenario.folder)/state"))
      withExtendedLifetime(server) {}
    }
  }

  @Test func `no request goes to a server with an untrusted certificate`() async throws {
    try await withScenario { scenario in
      let log = "\(scenario.folder)/elsewhere"
      let port = try RealServer.freePort()
      let server = try RealServer(
        "/usr/bin/env",
        ["python3", ServerScript.path("untrusted_server.py"), "{port}", "\(port)", log],
        in: scenario.folder,
        answersAt: "/ready"
      )
      let package = "\(scenario.folder)/p.ferry"
      try await scenario.export(to: package).exits(0)
      let flags = ["--profile", scenario.profile, "--to", "https://127.0.0.1:\(port)"]
      for verb in ["plan", "upload", "verify", "preflight"] {
        let line = verb == "preflight" ? [verb] : [verb, package]
        let answer = try await scenario.ferry(line + flags + scenario.credentials)
        let said = answer.standardOutput + answer.standardError
        #expect(answer.status == 7, "\(verb): \(answer.status) \(said)")
        #expect(said.contains("is not trusted"), "\(verb): \(said)")
      }
      #expect(try String(at: log).isEmpty)
      withExtendedLifetime(server) {}
    }
  }
}
