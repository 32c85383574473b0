import Foundation
import JSONText
import TestSupport
import Testing

/// Many stores, each with an account of its own, moved by workers that are killed.
@Suite(.timeLimit(.minutes(5))) struct FleetTests {
  /// A server with accounts, stores, and a list of them.
  struct Harbour {
    let folder: String
    let backend: BackendProgram

    var list: String { "\(folder)/fleet/list.jsonl" }

    func fleet(
      _ more: [String],
      list: String? = nil,
      environment: [String: String] = [:],
      stop: FerryProgram.Stop? = nil
    ) async throws -> Answer {
      try await Answer(
        FerryProgram().run(
          [
            "fleet", list ?? self.list, "--profile", "\(Samples.folder)/fleet/profile.yaml", "--to",
            backend.origin, "--format", "ndjson",
          ] + more,
          environment: environment,
          state: "\(folder)/state",
          stop: stop
        )
      )
    }

    /// How many rows the server has under each identity, of all accounts.
    func rows() throws -> [String: Int] {
      (try backend.dump()["records"]?.array ?? []).reduce(into: [:]) {
        $0[$1["id"]?.text ?? "", default: 0] += 1
      }
    }
  }

  func withHarbour(
    stores: Int,
    records: Int,
    _ body: (Harbour) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      try await withBackend(in: "\(folder)/server") { backend in
        try Python.run([
          "\(Samples.folder)/fleet/make-stores.py", "\(stores)", "\(folder)/fleet", "--records",
          "\(records)", "--backend", backend.origin,
        ])
        try await body(Harbour(folder: folder, backend: backend))
      }
    }
  }

  func hold(_ answer: Answer) throws {
    for value in answer.values {
      #expect(try PublishedForm.faults(of: value, under: "ferry.fleet.v1.schema.json") == [])
    }
  }

  @Test func `a fleet of 24 stores in two parts with a killed worker is migrated exactly once`()
    async throws
  {
    try await withHarbour(stores: 24, records: 8) { harbour in
      try harbour.backend.setFaults("delay:1:15ms@PUT /collections")
      async let killed = harbour.fleet(
        ["--shard", "1/2", "--jobs", "2"],
        stop: .kill(after: .milliseconds(150), line: "  3/")
      )
      async let other = harbour.fleet(["--shard", "2/2", "--jobs", "2"])
      let (first, second) = try await (killed, other)
      #expect(first.status == -9)
      #expect(second.status == 0, "\(second)")

      let before = try await harbour.fleet(["--collect"])
      try hold(before)
      #expect(before.status == 5)
      #expect((before.value("fleet")?["byStatus"]?["waiting"]?.integer ?? 0) > 0)

      let again = try await harbour.fleet(
        ["--shard", "auto/2", "--jobs", "2"],
        environment: ["JOB_COMPLETION_INDEX": "0"]
      )
      try hold(again)
      #expect(again.status == 0, "\(again)")
      #expect(again.values.contains { $0["earlier"] == true })

      let whole = try await harbour.fleet(["--collect"])
      #expect(whole.value("fleet")?["byStatus"] == ["done": 24])
      let rows = try harbour.rows()
      #expect(rows.count == 192)
      #expect(rows.values.allSatisfy { $0 == 1 })
    }
  }

  @Test func `a cancelled fleet saves its state, and lists the stores left`() async throws {
    try await withHarbour(stores: 6, records: 6) { harbour in
      try harbour.backend.setFaults("delay:1:30ms@PUT /collections")
      let answer = try await harbour.fleet(
        ["--jobs", "1"],
        stop: .init(line: "  1/", signals: [.init(.terminate, after: .milliseconds(100))])
      )
      try hold(answer)
      #expect(answer.status == 143, "\(answer)")
      #expect((answer.value("fleet")?["byStatus"]?["waiting"]?.integer ?? 0) > 0)
      try await harbour.fleet([]).exits(0)
      #expect(try harbour.rows().count == 36)
    }
  }

  /// Runs a verb that is no fleet with the fleet's state folder.
  func ferry(_ words: [String], _ harbour: Harbour) async throws -> Answer {
    try await Answer(
      FerryProgram().run(words + ["--format", "ndjson"], state: "\(harbour.folder)/state")
    )
  }
}
