import Foundation
import JSONText
import TestSupport
import Testing

extension CanaryTests {
  @Test func `no verb prints, reports or stores record contents or account names`()
    async throws
  {
    try await withScenario { scenario in
      var scenario = scenario
      try Canary.plant(in: scenario.sample.store)
      try scenario.backend.addAccount(email: Canary.email, password: Canary.password)
      scenario.environment = [
        "FERRY_TEST_EMAIL": Canary.email, "FERRY_TEST_PASSWORD": Canary.password,
      ]
      let watch = ArgumentWatch()
      async let arguments = watch.seen()
      let outputs = try await Canary.goEverywhere(scenario)
      watch.end()
      for (verb, text) in outputs {
        let found = Canary.all.filter { text.contains($0) }
        #expect(found.isEmpty, "\(verb)")
      }
      for (name, found) in try Canary.files(below: scenario.folder) {
        #expect(found.isEmpty, "\(name)")
      }
      let seen = await arguments
      #expect(seen.isEmpty)
    }
  }

  @Test(arguments: ["000", "777"])
  func `every written file is readable by its owner alone, regardless of the umask`(mask: String)
    async throws
  {
    try await withScenario { scenario in
      try Canary.plant(in: scenario.sample.store)
      let script = "\(scenario.folder)/open-handed"
      try "#!/bin/sh\numask \(mask)\nexec '\(scenario.program.path)' \"$@\"\n".save(to: script)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
      let open = MigrationScenario(
        folder: scenario.folder,
        backend: scenario.backend,
        program: try FerryProgram(at: script),
        sample: scenario.sample,
        profile: scenario.profile
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

  @Test func `a link in the place of an output is not written through`() async throws {
    try await withScenario { scenario in
      let victim = "\(scenario.folder)/victim"
      let folder = "\(scenario.folder)/victims"
      try Data("untouched".utf8).write(to: URL(filePath: victim))
      try makeFolder(folder)
      func link(_ name: String, to target: String) throws -> String {
        let path = "\(scenario.folder)/\(name)"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        return path
      }
      let package = "\(scenario.folder)/p.ferry"
      try await scenario.export(to: package).exits(0)
      let run = try await scenario.ferry(["upload", package] + scenario.destination).run()
      let report = try link("r.json", to: victim)
      let lines = [
        ["export", scenario.sample.store, "--profile", scenario.profile, "-o"]
          + [try link("folder.ferry", to: folder)],
        ["export", scenario.sample.store, "--profile", scenario.profile, "-o"]
          + [try link("nowhere.ferry", to: "\(folder)/made")],
        ["validate", package, "--report", report],
        ["plan", package, "-o", try link("plan", to: victim)] + scenario.destination,
        ["write-back", run, "-o", try link("write-back.json", to: victim)],
        ["checkpoint", "export", "-o", try link("checkpoint.jsonl", to: victim)],
        ["init", scenario.sample.store, "-o", try link("draft", to: "\(folder)/draft")],
      ]
      // Links where a writer keeps what is not finished.
      for name in ["sly.ferry.partial", "sly.ferry.lock"] {
        _ = try link(name, to: name.hasSuffix("lock") ? victim : folder)
      }
      for line in lines { _ = try await scenario.ferry(line) }
      _ = try await scenario.export(to: "\(scenario.folder)/sly.ferry")
      #expect(try String(at: victim) == "untouched")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }
  }
}
