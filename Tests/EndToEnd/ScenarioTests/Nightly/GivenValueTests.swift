import Foundation
import JSONText
import TestSupport
import Testing

/// A profile with `{tenant}` in its routes and its body, and `--set tenant=…`.
@Suite(.timeLimit(.minutes(3))) struct GivenValueTests {
  private static let profile = NoteStore.profile()
    .replacing("/collections/notes/", with: "/collections/{tenant}/")
    .replacing("plays: plays", with: "plays: plays\n        tenant: { constant: \"{tenant}\" }")
  private static let north = ["--set", "tenant=north"]

  /// Lends a store of six notes and the profile.
  private func withNotes(_ body: (NoteStore) async throws -> Void) async throws {
    try await NoteStore.with { app in
      try Self.profile.save(to: app.scenario.profile)
      for number in 1...6 { try app.add(NoteStore.Note(id: "n\(number)")) }
      try await body(app)
    }
  }

  @Test func `a killed run goes on, is verified and rolled back with its value and no flag`()
    async throws
  {
    try await withNotes { app in
      let scenario = app.scenario
      try await scenario.kill(after: 0.5, ["--rate", "5", "--batch-size", "1"] + Self.north)
      let history = try await scenario.ferry(["history"]).exits(0)
      let run = try #require(history.values.last?["run"]?.text)
      try await scenario.ferry(["resume", run, "--rate", "1000"]).exits(0)
      let notes = try app.server("north")
      #expect(notes.count == 6)
      #expect(notes.values.allSatisfy { $0["data"]?["tenant"] == "north" })
      let verified = try await scenario.ferry(["verify", run]).exits(0)
      #expect(verified.value("verification")?["clean"] == true)
      try await scenario.ferry(["rollback", run]).exits(0)
      #expect(try app.server("north").isEmpty)
    }
  }

  @Test func `a value that is missing is named with its place and the flag that gives it`()
    async throws
  {
    try await withNotes { app in
      let check = try await app.scenario.ferry(["profile", "check", app.scenario.profile]).exits(12)
      #expect(check.standardError.contains("/api/entities/note/list/request"), "\(check)")
      #expect(check.standardError.contains("--set tenant=…"), "\(check)")
      let migrated = try await app.scenario.migrate().exits(12)
      #expect(migrated.standardError.contains("--set tenant=…"), "\(migrated)")
    }
  }

  @Test func `another value for the same store is refused, and names what changed`() async throws {
    try await withNotes { app in
      try await app.scenario.migrate(Self.north).exits(0)
      let again = try await app.scenario.migrate(["--set", "tenant=south"]).exits(12)
      #expect(again.standardError.contains("/collections/south/"), "\(again)")
      #expect(try app.server("south").isEmpty)
      let same = try await app.scenario.migrate(Self.north).exits(0)
      #expect(same.count("unchanged", of: "note") == 6)
    }
  }

  @Test func `another value than that of a run is refused for its own profile`() async throws {
    try await withNotes { app in
      let run = try await app.scenario.migrate(Self.north).exits(0).run()
      for verb in ["verify", "rollback"] {
        let refused = try await app.scenario.ferry([verb, run, "--set", "tenant=south"]).exits(64)
        #expect(refused.standardError.contains("leave out --set"), "\(refused)")
        try await app.scenario.ferry(
          [verb, run, "-n"].prefix(verb == "verify" ? 2 : 3) + Self.north
        )
        .exits(0)
      }
      #expect(try app.server("north").count == 6)
    }
  }

  @Test func `a rollback with today's routes remembers the values`() async throws {
    try await withNotes { app in
      let run = try await app.scenario.migrate(Self.north).exits(0).run()
      try await app.scenario.ferry(["rollback", run, "--with-current-routes"]).exits(0)
      #expect(try app.server("north").isEmpty)
    }
  }

  @Test func `each store of a fleet goes with its own value`() async throws {
    try await withNotes { app in
      let scenario = app.scenario
      let lines = ["north", "south"].map {
        #"{"store":"\#(scenario.sample.store)","name":"\#($0)","set":{"tenant":"\#($0)"}}"#
      }
      let list = "\(scenario.folder)/list.jsonl"
      try lines.joined(separator: "\n").save(to: list)
      try await scenario.ferry(["fleet", list, "--jobs", "1"] + scenario.destination).exits(0)
      let rows = try scenario.backend.dump()["records"]?.array ?? []
      for tenant in ["north", "south"] {
        #expect(rows.count { $0["collection"]?.text == tenant } == 6)
      }
    }
  }
}
