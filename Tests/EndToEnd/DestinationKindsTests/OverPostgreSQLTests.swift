import DestinationModel
import JSONText
import Testing
import UploadPlanning

/// Kinto over PostgreSQL: what every destination is held to, and two of the traps that it sets where its
/// memory sets none.
@Suite(
  .enabled(
    if: PostgreSQLPlaces.programs != nil,
    "skipped: FERRY_KINTO and FERRY_POSTGRES do not both name programs"
  ),
  .serialized,
  .timeLimit(.minutes(3))
)
struct OverPostgreSQLTests {
  @Test func `the PostgreSQL server meets the destination contract`() async throws {
    try await withPostgreSQL { places in
      for (number, promise) in Promises.ofVersioned.enumerated() {
        try await places.lend(to: "demo\(number)", promise)
      }
      try await places.lend(to: "loser", Promises.survivesALostAnswer)
    }
  }

  /// A record of a moment that another one has, which the database does not take.
  private static func item(_ number: Int64) -> OutgoingBatch.Item {
    .number(number, id: "n\(number)", body: ["text": "dated", "last_modified": 1_000])
  }

  // It takes the whole transaction back, and still says of the first that it is made.
  @Test func `an untruthful batch answer counts for no record, and each record is stored once`()
    async throws
  {
    try await withPostgreSQL { places in
      try await places.lend(to: "demo") { place in
        #expect(try await place.send(.create, [Self.item(1)]).word(1) == "stored")
        let three = [place.item(2, "b"), Self.item(3), place.item(4, "d")]
        let answer = try await place.send(.create, three)
        #expect([2, 3, 4].map { answer.word($0) } == ["unknown", "unknown", "unknown"])
        #expect(try await place.texts() == ["n1": "dated", "n4": "d"])
        let rest = try await place.send(.create, [three[0], three[2]])
        #expect([2, 4].map { rest.word($0) } == ["stored", "exists"])
        #expect(try await place.texts() == ["n1": "dated", "n2": "b", "n4": "d"])
      }
    }
  }

  @Test func `a 409 with Retry-After is not a conflict`() async throws {
    try await withPostgreSQL { places in
      try await places.lend(to: "demo") { place in
        #expect(try await place.send(.create, [Self.item(1)]).word(1) == "stored")
        let answer = try await place.send(.create, [Self.item(2)])
        #expect(answer.word(2) == "deferred")
        #expect(answer.reason(2).contains("retry"))
        #expect(answer.pause != nil)
        #expect(try await place.texts() == ["n1": "dated"])
      }
    }
  }
}
