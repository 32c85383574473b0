import Foundation
import JSONText
import TestSupport
import Testing

/// What becomes of the fields of a hero and a story on their way to the app's backend.
///
/// The numbers in comments are those of the designs' behaviours.
@Suite(.timeLimit(.minutes(3))) struct StoryFieldTests {
  // 001-45, 001-51, 001-53, 001-57.
  @Test func `one command runs every stage and prints the current one`() async throws {
    try await withScenario { scenario in
      let finished = try await scenario.run(
        ["migrate", scenario.sample.store, "--progress", "plain"] + scenario.destination
      ).exits(0)
      let places = ["export …", "validate …", "plan …", "upload …", "verify …"].map { stage in
        finished.standardError.firstRange(of: stage)?.lowerBound
      }
      #expect(places.allSatisfy { $0 != nil }, "\(finished)")
      #expect(places.compactMap { $0 } == places.compactMap { $0 }.sorted())
    }
  }
}
