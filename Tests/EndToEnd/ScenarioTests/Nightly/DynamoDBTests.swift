import Foundation
import JSONText
import TestSupport
import Testing

/// The profile that `ferry init --preset dynamodb` drafts, and moto, which answers as DynamoDB.
///
/// Each request has to be signed as AWS' own library signs it, see `moto_server.py`.
@Suite(
  .enabled(if: Servers.moto != nil, "skipped: FERRY_MOTO does not name a Python that has moto"),
  .timeLimit(.minutes(5))
)
struct DynamoDBTests {
  private static func backend(secret: String = "secret+key/of=ferry") -> StandInScenario.Backend {
    StandInScenario.Backend(
      preset: "dynamodb",
      script: "moto_server.py",
      credentials: ["access-key": "AKIAFERRY", "secret-key": secret],
      interpreter: Servers.moto ?? "python3",
      prepare: { server in
        while try RealServer.get("\(server.origin)/__seen")["ready"] == nil {
          Thread.sleep(forTimeInterval: 0.1)
        }
      },
      filled: { $0.replacing("    region:   # to be given", with: "    region: eu-central-1") },
      counted: { try items("folders", $0).count + items("notes", $0).count }
    )
  }

  private static let target = "X-Amz-Target: DynamoDB_20120810"
  private static let test = ["X-Test: 1"]

  /// The items of a table, as another program reads them.
  private static func items(_ table: String, _ scenario: StandInScenario) throws -> [JSONValue] {
    let answer = try scenario.ask(
      "POST",
      "/",
      ["TableName": .string(table)],
      ["\(target).Scan"] + test
    )
    return answer["Items"]?.array ?? []
  }

  @Test func `250 rows are migrated, edited, deleted, verified and rolled back to nothing`()
    async throws
  {
    try await withStandIn(Self.backend()) { scenario in
      // The folders, and the notes by a hundred.
      try await scenario.isCrossed(
        first: ["TransactWriteItems": 4],
        second: ["TransactWriteItems": 3]
      )
    }
  }

  @Test func `values have DynamoDB's types`() async throws {
    try await withStandIn(Self.backend(), notes: 1) { scenario in
      try await scenario.migrate().exits(0)
      let note = try #require(try Self.items("notes", scenario).first)
      #expect(note["title"] == ["S": "note 1"])
      #expect(note["stars"] == ["N": "1"])
      #expect(note["score"] == ["N": "0.5"])
      #expect(note["done"] == ["BOOL": true])
      #expect(note["picture"] == ["B": "AAEC"])
      #expect(note["made"]?["S"]?.text?.hasPrefix("2026-11-02T08:30:00") == true)
      let folders = try Self.items("folders", scenario).compactMap { $0["id"]?["S"]?.text }
      #expect(folders.contains(note["folder_ref"]?["S"]?.text ?? ""))
    }
  }

  @Test func `a change leaves the fields of other programs as they are`() async throws {
    try await withStandIn(Self.backend(), notes: 1) { scenario in
      try await scenario.migrate().exits(0)
      let id = try #require(try Self.items("notes", scenario).first?["id"])
      try scenario.ask(
        "POST",
        "/",
        [
          "TableName": "notes", "Key": ["id": id], "UpdateExpression": "SET tags = :t",
          "ExpressionAttributeValues": [":t": ["SS": ["a", "b"]]],
        ],
        ["\(Self.target).UpdateItem"] + Self.test
      )
      try scenario.edit("UPDATE Note SET title = title || '!'")
      #expect(try await scenario.migrate().exits(0).count("updated") == 1)
      let note = try #require(try Self.items("notes", scenario).first)
      #expect(note["title"] == ["S": "note 1!"])
      #expect(note["tags"]?["SS"]?.array?.count == 2)
    }
  }

  @Test
  func `a run that is killed five times, with each third answer lost, stores each record once`()
    async throws
  {
    try await withStandIn(Self.backend(), losing: 3) { scenario in
      try scenario.rewrite {
        $0.replacing("region: eu-central-1", with: "region: eu-central-1\n    batch: 20")
      }
      try await scenario.isStoredOnce()
    }
  }

  @Test func `keys that do not fit are named, and nothing is sent`() async throws {
    try await withStandIn(Self.backend(secret: "wrong"), notes: 1) { scenario in
      let answer = try await scenario.migrate()
      #expect(answer.status != 0)
      #expect(answer.standardError.contains("signature"), "\(answer)")
      #expect(try scenario.count() == 0)
    }
  }

  @Test func `a table that is missing is named before anything is sent`() async throws {
    try await withStandIn(Self.backend(), notes: 1) { scenario in
      try scenario.rewrite { $0.replacing("collection: notes", with: "collection: nothing") }
      let answer = try await scenario.ferry(["preflight"])
      #expect(answer.status != 0)
      #expect(answer.standardOutput.contains("ResourceNotFound"), "\(answer)")
      #expect(try scenario.count() == 0)
    }
  }
}
