import Foundation
import JSONText
import TestSupport
import Testing

/// A saved plan of changes, held against a destination that moves on before it is carried out.
@Suite(.timeLimit(.minutes(5))) struct PlanTargetTests {
  private static let merge = "{ policy: merge, fields: { plays: sum } }"

  /// A plan that a person has looked at, and what carries it out.
  private struct Approved {
    let app: NoteStore
    let upload: [String]

    func carriedOut(_ more: [String] = []) async throws -> Answer {
      try await app.scenario.ferry(upload + more)
    }
  }

  /// Counts plays on both sides of a note, from 3 to 5 here and to 10 at the server, and saves a plan.
  private func approved(
    _ conflict: String = Self.merge,
    sealing: (writing: [String], reading: [String]) = ([], []),
    _ body: (Approved) async throws -> Void
  ) async throws {
    try await NoteStore.with(conflict: conflict) { app in
      for id in ["n1", "n2"] {
        var note = NoteStore.Note(id: id)
        note.plays = 3
        try app.add(note)
      }
      try await app.scenario.migrate(sealing.writing + sealing.reading).exits(0)
      try play(10, app)
      try app.sql("UPDATE note SET plays = 5 WHERE id = 'n1'")
      let package = "\(app.scenario.folder)/a.ferry"
      let plan = "\(app.scenario.folder)/a.plan"
      let words =
        ["export", app.scenario.sample.store, "--profile", app.scenario.profile, "-o", package]
      try await app.scenario.ferry(words + sealing.writing).exits(0)
      try await app.scenario.ferry(
        ["plan", package, "-o", plan] + app.scenario.destination + sealing.reading
      ).exits(0)
      let upload = ["upload", plan] + app.scenario.destination + sealing.reading
      try await body(Approved(app: app, upload: upload))
    }
  }

  /// Sets the plays of the note at the server.
  private func play(_ count: Int64, _ app: NoteStore) throws {
    try app.change("n1", ["plays": .number(JSONNumber(count))])
  }

  private func plays(_ app: NoteStore) throws -> JSONValue? {
    try app.server()["n1"]?["data"]?["plays"]
  }

  private func expectRefusal(_ answer: Answer) {
    #expect(answer.status == 12, "\(answer)")
    #expect(
      answer.standardError.contains("records that the plan changes were changed at the destination")
    )
  }

  @Test func `a merge is carried out as it was planned`() async throws {
    try await approved { plan in
      try await plan.carriedOut().exits(0)
      #expect(try plays(plan.app) == 12)
    }
  }

  @Test func `a merge with another result than planned is refused, and no record is sent`()
    async throws
  {
    try await approved { plan in
      try play(20, plan.app)
      let writes = try plan.app.scenario.backend.writeCount()
      expectRefusal(try await plan.carriedOut())
      #expect(try plays(plan.app) == 20)
      #expect(try plan.app.scenario.backend.writeCount() == writes)
    }
  }

  @Test func `a change that would overwrite unread content is refused`() async throws {
    try await approved("local") { plan in
      try play(20, plan.app)
      expectRefusal(try await plan.carriedOut())
      #expect(try plays(plan.app) == 20)
    }
  }

  @Test func `refused operations are carried out by a new plan`() async throws {
    try await approved { plan in
      try play(20, plan.app)
      expectRefusal(try await plan.carriedOut())
      let (scenario, saved) = (plan.app.scenario, "\(plan.app.scenario.folder)/b.plan")
      try await scenario.ferry(
        ["plan", "\(scenario.folder)/a.ferry", "-o", saved] + scenario.destination
      ).exits(0)
      try await scenario.ferry(["upload", saved] + scenario.destination).exits(0)
      #expect(try plays(plan.app) == 22)
    }
  }

  @Test func `a refused plan leaves its findings to the next upload`()
    async throws
  {
    try await NoteStore.with(conflict: "remote") { app in
      try app.add(.init(id: "n1"), .init(id: "n2"))
      try await app.scenario.migrate().exits(0)
      func rename(_ id: String) throws {
        try app.change(id, ["title": "theirs"])
      }
      try rename("n1")
      try app.sql("UPDATE note SET title = 'mine'")
      let package = "\(app.scenario.folder)/a.ferry"
      let plan = "\(app.scenario.folder)/a.plan"
      try await app.scenario.export(to: package).exits(0)
      _ = try await app.scenario.ferry(["plan", package, "-o", plan] + app.scenario.destination)
      try rename("n2")
      let refused = try await app.scenario.ferry(["upload", plan] + app.scenario.destination)
      #expect(refused.status == 12, "\(refused)")
      let reported = try await app.scenario.ferry(["upload", package] + app.scenario.destination)
      #expect(reported.findings("plan.conflict-kept-remote").count == 2, "\(reported)")
    }
  }

  @Test func `an interrupted plan of changes is resumed`() async throws {
    try await NoteStore.with(conflict: "fail") { app in
      try app.add(.init(id: "n1"), .init(id: "n2"))
      try await app.scenario.migrate().exits(0)
      try app.sql("UPDATE note SET title = 'mine'")
      let package = "\(app.scenario.folder)/a.ferry"
      let plan = "\(app.scenario.folder)/a.plan"
      try await app.scenario.export(to: package).exits(0)
      try await app.scenario.ferry(
        ["plan", package, "-o", plan] + app.scenario.destination
      ).exits(0)
      let upload = ["upload", plan] + app.scenario.destination
      try app.scenario.backend.setFaults("status:n=2-1000:503@PATCH /collections")
      try await app.scenario.ferry(upload + ["--retries", "0"]).exits(5)
      func titles() throws -> [String] {
        try app.server().values.compactMap { $0["data"]?["title"]?.text }.sorted()
      }
      #expect(try titles() == ["a title", "mine"])
      try app.scenario.backend.setFaults("")
      try await app.scenario.ferry(upload).exits(0)
      #expect(try titles() == ["mine", "mine"])
    }
  }

  @Test(.enabled(if: AgeProgram.isHere, "\(AgeProgram.missing)"))
  func `a merge from an encrypted package is carried out as it was planned`() async throws {
    try await withTemporaryFolder { folder in
      let identity = "\(folder)/key.txt"
      let recipient = try AgeProgram().makeIdentity(at: identity)
      let sealing = (writing: ["--encrypt-to", recipient], reading: ["--identity", identity])
      try await approved(sealing: sealing) { plan in
        try await plan.carriedOut().exits(0)
        #expect(try plays(plan.app) == 12)
      }
    }
  }
}
