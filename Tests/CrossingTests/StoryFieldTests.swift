import Foundation
import JSONText
import TestSupport
import Testing

/// What becomes of the fields of a hero and a story on their way to the app's backend.
///
/// The numbers in comments are those of the designs' behaviours.
@Suite(.timeLimit(.minutes(3))) struct StoryFieldTests {
  // 000-23, 000-24, 000-28, 001-56, 001-59.
  @Test func `a hero gets an age and a story a language, and what has no place is named`()
    async throws
  {
    try await withCrossing { crossing in
      let answer = try await crossing.migrate()
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      let heroes = try crossing.backend.rows("heroes").values
      #expect(!heroes.isEmpty && heroes.allSatisfy { $0["age"] == 6 })
      #expect(
        heroes.allSatisfy { ($0["traits"]?.array ?? []).allSatisfy { $0.text?.isLower == true } }
      )
      let stories = try crossing.backend.rows("stories").values
      #expect(!stories.isEmpty && stories.allSatisfy { $0["language"] == "en" })
      let unplaced = answer.findings("plan.unplaced").compactMap { $0["cause"]?.text }
      #expect(unplaced.contains { $0.contains("Story.playCount") })
      #expect(unplaced.contains { $0.contains("Hero.createdAt") })
    }
  }

  // 000-26, 000-63: a file that the app threw away by design is not a lost one, and an address is none.
  @Test func `media files are told apart by what became of them`() async throws {
    try await withCrossing(.legacy) { crossing in
      let exported = try await crossing.program.run(
        ["export", crossing.sample.store, "--profile", crossing.profile]
          + ["-o", "\(crossing.folder)/p.ferry"],
        state: crossing.state
      )
      #expect(exported.status == 0, "\(exported.standardError)")
      #expect(exported.standardOutput.contains("5 evicted, 1 missing, 193 present, 2 remote"))
    }
  }

  // 001-45, 001-51, 001-53, 001-57.
  @Test func `one command leads through every stage and says where it is`() async throws {
    try await withCrossing { crossing in
      let finished = try await crossing.program.run(
        ["migrate", crossing.sample.store, "--progress", "plain"] + crossing.destination,
        environment: crossing.environment,
        state: crossing.state
      )
      #expect(finished.status == 0, "\(finished.standardError)")
      let places = ["export …", "validate …", "plan …", "upload …", "verify …"].map { stage in
        finished.standardError.firstRange(of: stage)?.lowerBound
      }
      #expect(places.allSatisfy { $0 != nil }, "\(finished.standardError)")
      #expect(places.compactMap { $0 } == places.compactMap { $0 }.sorted())
    }
  }

  // 001-54: what was answered as done and is not there takes the whole run back.
  @Test func `a verification that fails takes the run back where that was asked for`() async throws
  {
    try await withCrossing { crossing in
      try crossing.backend.setFaults("pretend:1@POST /api/batch/stories")
      let answer = try await crossing.migrate(["--on-failure", "rollback"])
      #expect(answer.status != 0, "\(answer.standardOutput)")
      for table in ["heroes", "stories", "customEvents"] {
        #expect(try crossing.backend.rows(table).isEmpty, "\(table): \(answer.standardError)")
      }
    }
  }

  // 000-25: never silently another one.
  @Test func `a trait that nobody knows stops the migration by its name`() async throws {
    try await withCrossing { crossing in
      try Python.edit(
        crossing.sample.store,
        "UPDATE ZHERO SET ZPRIMARYTRAIT = 'Dreamy' WHERE Z_PK = 1"
      )
      let answer = try await crossing.migrate()
      #expect(answer.status == 4, "\(answer.standardOutput)\(answer.standardError)")
      #expect((answer.standardOutput + answer.standardError).contains("primaryTrait"))
      #expect(try crossing.backend.rows("heroes").isEmpty)
    }
  }

  // 000-27, 000-18: what the app noted down of a change is read, whatever came of it.
  @Test func `the pending changes of a row are in the package as JSON`() async throws {
    try await withCrossing(.later) { crossing in
      let package = "\(crossing.folder)/p.ferry"
      #expect(try await crossing.export(to: package).status == 0)
      let pending = try PackageLines(package).records("Story").compactMap { $0["pendingChanges"] }
      #expect(
        pending.contains { $0["changedFields"]?["title"]?.text?.hasPrefix("Changed") == true }
      )
      #expect(pending.contains { $0["timestamp"]?.double != nil })
    }
  }
}

extension String {
  /// Whether the text has no capitals.
  fileprivate var isLower: Bool { self == lowercased() }
}
