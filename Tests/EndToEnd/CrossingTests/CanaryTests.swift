import Foundation
import JSONText
import TestSupport
import Testing

/// What nobody but the owner is to read, planted everywhere, and looked for in all that is said.
@Suite(.timeLimit(.minutes(5))) struct CanaryTests {
  @Test func `no verb says, reports or remembers what is in the records, or who signs in`()
    async throws
  {
    try await withCrossing { crossing in
      var crossing = crossing
      try Canary.plant(in: crossing.sample.store)
      try crossing.backend.addAccount(email: Canary.email, password: Canary.password)
      crossing.environment = [
        "FERRY_TEST_EMAIL": Canary.email, "FERRY_TEST_PASSWORD": Canary.password,
      ]
      let watch = ArgumentWatch()
      async let arguments = watch.seen()
      let spoken = try await Canary.goEverywhere(crossing)
      watch.end()
      for (verb, text) in spoken {
        let found = Canary.all.filter { text.contains($0) }
        #expect(found.isEmpty, "\(verb)")
      }
      for (name, found) in try Canary.files(below: crossing.folder) {
        #expect(found.isEmpty, "\(name)")
      }
      let seen = await arguments
      #expect(seen.isEmpty)
    }
  }

  @Test(arguments: ["000", "777"])
  func `everything that is written is the owner's alone, whatever the umask`(mask: String)
    async throws
  {
    try await withCrossing { crossing in
      try Canary.plant(in: crossing.sample.store)
      let script = "\(crossing.folder)/open-handed"
      try "#!/bin/sh\numask \(mask)\nexec '\(crossing.program.path)' \"$@\"\n"
        .write(toFile: script, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
      let open = Crossing(
        folder: crossing.folder,
        backend: crossing.backend,
        program: try FerryProgram(at: script),
        sample: crossing.sample,
        profile: crossing.profile
      )
      _ = try await Canary.goEverywhere(open)
      var count = 0
      for top in ["state", "out"] {
        for name in try FileManager.default.subpathsOfDirectory(atPath: "\(open.folder)/\(top)") {
          let path = "\(open.folder)/\(top)/\(name)"
          let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
          let bits = (mode as? NSNumber)?.intValue ?? 0
          #expect(bits == 0o600 || bits == 0o700, "\(top)/\(name)")
          count += 1
        }
      }
      #expect(count > 40)
    }
  }

  @Test func `a link in the place of an output leads nothing elsewhere`() async throws {
    try await withCrossing { crossing in
      let victim = "\(crossing.folder)/victim"
      let folder = "\(crossing.folder)/victims"
      try Data("untouched".utf8).write(to: URL(filePath: victim))
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      func link(_ name: String, to target: String) throws -> String {
        let path = "\(crossing.folder)/\(name)"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        return path
      }
      let package = "\(crossing.folder)/p.ferry"
      #expect(try await crossing.export(to: package).status == 0)
      let run = try await crossing.ferry(["upload", package] + crossing.destination).run()
      let report = try link("r.json", to: victim)
      let lines = [
        ["export", crossing.sample.store, "--profile", crossing.profile, "-o"]
          + [try link("folder.ferry", to: folder)],
        ["export", crossing.sample.store, "--profile", crossing.profile, "-o"]
          + [try link("nowhere.ferry", to: "\(folder)/made")],
        ["validate", package, "--report", report],
        ["plan", package, "-o", try link("plan", to: victim)] + crossing.destination,
        ["handback", run, "-o", try link("handback.json", to: victim)],
        ["checkpoint", "export", "-o", try link("checkpoint.jsonl", to: victim)],
        ["init", crossing.sample.store, "-o", try link("draft", to: "\(folder)/draft")],
      ]
      // Links where a writer keeps what is not finished.
      for name in ["sly.ferry.partial", "sly.ferry.lock"] {
        _ = try link(name, to: name.hasSuffix("lock") ? victim : folder)
      }
      for line in lines { _ = try await crossing.ferry(line) }
      _ = try await crossing.export(to: "\(crossing.folder)/sly.ferry")
      #expect(try String(contentsOfFile: victim, encoding: .utf8) == "untouched")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }
  }

  @Test
  func `a link where private copies belong is not followed, and nothing there is removed`()
    async throws
  {
    try await withCrossing { crossing in
      let folder = "\(crossing.folder)/victims"
      let temporary = "\(crossing.state).temporary"
      for path in ["\(folder)/precious", temporary] {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      }
      // By its name this looks like what a killed run left.
      try Data().write(to: URL(filePath: "\(folder)/precious.lock"))
      try FileManager.default.createSymbolicLink(
        atPath: "\(temporary)/ferry-\(geteuid())",
        withDestinationPath: folder
      )
      let answer = try await crossing.export(to: "\(crossing.folder)/p.ferry")
      #expect(answer.status == 1, "\(answer.standardError)")
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

  @Test func `a redirect to another host takes neither the token nor a record there`()
    async throws
  {
    try await withCrossing { crossing in
      let script = URL(filePath: #filePath).deletingLastPathComponent().path
      let log = "\(crossing.folder)/elsewhere"
      let server = try RealServer(
        "/usr/bin/env",
        ["python3", "\(script)/redirecting_server.py", "{port}", "\(try RealServer.freePort())"]
          + [Canary.token, log],
        in: crossing.folder,
        answersAt: "/ready"
      )
      let package = "\(crossing.folder)/p.ferry"
      #expect(try await crossing.export(to: package).status == 0)
      let flags = ["--profile", crossing.profile, "--to", server.origin, "--retries", "1"]
      for verb in ["plan", "upload", "verify", "doctor"] {
        let line = verb == "doctor" ? [verb] : [verb, package]
        let answer = try await crossing.ferry(line + flags + crossing.credentials)
        #expect(
          answer.status == 7,
          "\(verb): \(answer.status) \(answer.standardError)"
        )
        #expect(!(answer.standardOutput + answer.standardError).contains(Canary.token), "\(verb)")
      }
      #expect(try String(contentsOfFile: log, encoding: .utf8).isEmpty)
      for (name, found) in try Canary.files(below: "\(crossing.folder)/state") {
        #expect(found.isEmpty, "\(name)")
      }
      withExtendedLifetime(server) {}
    }
  }

  @Test func `a server whose certificate nobody vouches for is sent nothing`() async throws {
    try await withCrossing { crossing in
      let script = URL(filePath: #filePath).deletingLastPathComponent().path
      let log = "\(crossing.folder)/elsewhere"
      let port = try RealServer.freePort()
      let server = try RealServer(
        "/usr/bin/env",
        ["python3", "\(script)/untrusted_server.py", "{port}", "\(port)", log],
        in: crossing.folder,
        answersAt: "/ready"
      )
      let package = "\(crossing.folder)/p.ferry"
      #expect(try await crossing.export(to: package).status == 0)
      let flags = ["--profile", crossing.profile, "--to", "https://127.0.0.1:\(port)"]
      for verb in ["plan", "upload", "verify", "doctor"] {
        let line = verb == "doctor" ? [verb] : [verb, package]
        let answer = try await crossing.ferry(line + flags + crossing.credentials)
        let said = answer.standardOutput + answer.standardError
        #expect(answer.status == 7, "\(verb): \(answer.status) \(said)")
        #expect(said.contains("is not trusted"), "\(verb): \(said)")
      }
      #expect(try String(contentsOfFile: log, encoding: .utf8).isEmpty)
      withExtendedLifetime(server) {}
    }
  }
}
