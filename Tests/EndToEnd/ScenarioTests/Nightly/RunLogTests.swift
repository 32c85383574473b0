import Foundation
import JSONText
import TestSupport
import Testing

/// The log and the metrics of a run, and what never is in them.
@Suite(.timeLimit(.minutes(3))) struct RunLogTests {
  private func lines(_ path: String) throws -> [JSONValue] {
    try String(at: path).split(separator: "\n")
      .map { try JSONValue(parsing: String($0)) }
  }

  @Test func `a log lists every stage and the end, in a private file that only grows`() async throws
  {
    try await withScenario { scenario in
      let log = "\(scenario.folder)/run.log"
      try await scenario.migrate(["--log-file", log]).exits(0)
      let first = try lines(log)
      let events = first.compactMap { $0["event"]?.text }
      #expect(events.first == "began" && events.last == "ended")
      let stages = first.filter { $0["event"] == "stage-began" }.compactMap { $0["stage"]?.text }
      #expect(stages == ["export", "validate", "plan", "upload", "verify"])
      #expect(first.last?["status"]?.integer == 0)
      let rights = try FileManager.default.attributesOfItem(atPath: log)[.posixPermissions]
      #expect(rights as? Int == 0o600)
      try await scenario.migrate(["--log-file", log]).exits(0)
      #expect(Array(try lines(log).prefix(first.count)) == first)
    }
  }

  // 000-74: neither names nor addresses, in whichever finding they are.
  @Test func `no value of a record and no secret is in the log or the metrics`() async throws {
    try await NoteStore.with { app in
      let scenario = app.scenario
      let (log, metrics) = ("\(scenario.folder)/run.log", "\(scenario.folder)/run.prom")
      // The findings name a record by its key.
      let name = "Quirlinde"
      try app.add(.init(id: name, title: name))
      let flags = ["--log-file", log, "--metrics", metrics]
      try await scenario.migrate(flags).exits(0)
      try app.change(name, ["title": "theirs"])
      try app.sql("UPDATE note SET title = '\(name) here'")
      let answer = try await scenario.migrate(flags).exits(6)
      let named = answer.findings("plan.conflict").map { $0["record"] }
      #expect(named == [.string(name)], "\(answer)")
      var said = try String(at: metrics)
      var refused = scenario
      refused.environment["FERRY_TEST_PASSWORD"] = "wrong-horse-battery"
      try await refused.migrate(flags).exits(7)
      said += try String(at: log) + String(at: metrics)
      for secret in [name, "correct-horse", "wrong-horse-battery"] {
        #expect(!said.contains(secret), "\(secret)")
      }
    }
  }

  @Test func `the metrics of a run are whole OpenMetrics text and agree with its summary`()
    async throws
  {
    try await withScenario { scenario in
      let path = "\(scenario.folder)/run.prom"
      let done = try await scenario.migrate(["--metrics", path])
      let text = try String(at: path)
      #expect(text.hasSuffix("\n# EOF\n"))
      let lines = text.split(separator: "\n").map(String.init)
      var types: [String: String] = [:]
      var names: Set<String> = []
      for line in lines where line.hasPrefix("# TYPE ") {
        let words = line.split(separator: " ").map(String.init)
        #expect(types.updateValue(words[3], forKey: words[2]) == nil)
      }
      for line in lines where !line.hasPrefix("#") {
        #expect(names.insert(String(line.prefix { $0 != " " })).inserted, "\(line)")
        let name = String(line.prefix { $0 != "{" })
        let family = ["_total", "_bucket", "_count", "_sum"].reduce(name) { name, ending in
          name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : name
        }
        #expect(types[family] != nil, "\(line)")
        #expect(Double(line.split(separator: " ").last ?? "") != nil, "\(line)")
      }
      let created = done.count("created", of: "Hero")
      let sample = "ferry_records{stage=\"upload\",entity=\"Hero\",outcome=\"created\"} \(created)"
      #expect(lines.contains(sample))
      let creates = lines.first { $0.hasPrefix("ferry_requests_total{kind=\"create\"}") }
      #expect((creates?.split(separator: " ").last.flatMap { Int($0) } ?? 0) > 0)
      func seconds(_ name: String) throws -> Double {
        let line = try #require(lines.first { $0.hasPrefix("\(name){stage=\"upload\"} ") })
        return try #require(line.split(separator: " ").last.flatMap { Double($0) })
      }
      let wait = try seconds("ferry_checkpoint_wait_seconds")
      #expect(wait > 0)
      #expect(wait < (try seconds("ferry_stage_seconds")))
    }
  }

  @Test func `the metrics of a refused run show the refusal`() async throws {
    try await withScenario { scenario in
      let path = "\(scenario.folder)/run.prom"
      await scenario.backend.stop()
      try await scenario.migrate(["--metrics", path, "--retries", "0"]).exits(5)
      let text = try String(at: path)
      #expect(text.contains("ferry_exit_status{command=\"migrate\"} 5\n"))
      #expect(text.hasSuffix("# EOF\n"))
    }
  }
}
