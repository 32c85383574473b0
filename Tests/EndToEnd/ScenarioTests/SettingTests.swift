import Foundation
import JSONText
import TestSupport
import Testing

/// Flags that come from the environment and from a settings file.
@Suite(.timeLimit(.minutes(3))) struct SettingTests {
  func ferry(
    _ words: [String],
    in folder: String,
    _ environment: [String: String] = [:]
  ) async throws -> Answer {
    try await Answer(
      FerryProgram().run(words, environment: environment, state: "\(folder)/state")
    )
  }

  func write(_ text: String, _ path: String) throws {
    try text.save(to: path)
  }

  private func setting(_ answer: Answer, _ name: String) throws -> JSONValue {
    let settings = answer.value("config")?["settings"]?.array ?? []
    return try #require(settings.first { $0["name"]?.text == name })
  }

  @Test func `config shows where each setting comes from`() async throws {
    try await withTemporaryFolder { folder in
      let file = "\(folder)/team.yaml"
      try write("rate: 5\nconcurrency: 3\nupload:\n  batch-size: 20\n", file)
      let answer = try await ferry(
        [
          "config", "--config", file, "--format", "ndjson", "upload", "--retries", "7",
        ],
        in: folder,
        ["FERRY_CONCURRENCY": "9"]
      ).exits(0)
      let expected = [
        ("retries", "7", "the command line"), ("concurrency", "9", "FERRY_CONCURRENCY"),
        ("batch-size", "20", "\(file):4"), ("rate", "5", "\(file):1"),
        ("annotations", "auto", "default"),
      ]
      for (name, value, origin) in expected {
        let setting = try setting(answer, name)
        #expect(setting["values"] == [.string(value)] as JSONValue, "\(name)")
        #expect(setting["from"]?.text == origin)
      }
      #expect(try setting(answer, "only")["from"] == "not set")
    }
  }

  @Test func `a migration runs on its settings file alone`() async throws {
    try await withScenario { scenario in
      try write(
        "to: \(scenario.backend.origin)\nformat: ndjson\nprogress: none\n"
          + "report: out.json\ncredential:\n"
          + DemoAccount.flags.filter { $0 != "--credential" }.map { "  - \($0)\n" }.joined(),
        "\((scenario.profile as NSString).deletingLastPathComponent)/ferry.yaml"
      )
      var environment = scenario.environment
      environment["FERRY_PROFILE"] = scenario.profile
      let answer = try await Answer(
        scenario.program.run(
          ["migrate", scenario.sample.store],
          environment: environment,
          state: scenario.state
        )
      ).exits(0)
      #expect(answer.count("created") > 0)
      let report = (scenario.profile as NSString).deletingLastPathComponent + "/out.json"
      #expect(FileManager.default.fileExists(atPath: report))
    }
  }
}
