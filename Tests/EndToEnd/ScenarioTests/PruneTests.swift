import Foundation
import JSONText
import TestSupport
import Testing

/// What is removed of the state folder, and what stays because a run needs it.
@Suite(.timeLimit(.minutes(3))) struct PruneTests {
  func prune(_ scenario: MigrationScenario, _ flags: String...) async throws -> JSONValue {
    let answer = try await scenario.ferry(["prune"] + flags).exits(0)
    return try #require(answer.value("prune"))
  }

  func reasons(_ value: JSONValue, of kind: String) -> [String] {
    let kept = value["kept"]?.array ?? []
    return kept.filter { $0["kind"]?.text == kind }
      .flatMap { $0["reasons"]?.array ?? [] }.compactMap(\.text)
  }

  func removedKinds(_ value: JSONValue) -> [String] {
    (value["removed"]?.array ?? []).compactMap { $0["kind"]?.text }
  }

  @Test func `what a rollback or a merge base needs stays`() async throws {
    try await withScenario { scenario in
      let run = try await scenario.migrate().exits(0).run()
      let value = try await prune(scenario)
      #expect(removedKinds(value).isEmpty, "\(value)")
      #expect(reasons(value, of: "package") == ["a rollback of run \(run) needs it"])
      #expect(reasons(value, of: "checkpoint").contains { $0.contains("merge bases") })
      try await scenario.ferry(["rollback", run]).exits(0)
    }
  }
}
