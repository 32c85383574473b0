import Foundation
import JSONText
import TestSupport

/// Peated's own queue at work: what the app does with its operations once it has a network.
///
/// The app takes operations that were tried less than three times and are younger than seven days, in their order.
/// It posts each payload alone, so the server dates a tasting by its arrival. A row that the server took
/// is removed.
struct PeatedReplay {
  private let backend: BackendProgram
  private let token: String?

  init(_ scenario: MigrationScenario, email: String = "morag@example.com") throws {
    backend = scenario.backend
    let answer = try backend.request(
      "POST",
      "/v1/auth/login",
      ["email": .string(email), "password": "correct-horse"]
    )
    token = answer["accessToken"]?.text
  }

  private static let query = """
    SELECT type || ' ' || CAST(payload AS TEXT) FROM offline_operations
    WHERE status <> 'completed' AND retry_count < 3 AND julianday(created_at) >
      (SELECT max(julianday(created_at)) - 7 FROM offline_operations)
    ORDER BY created_at
    """

  /// Sends the operations of a store; gives how many tastings and comments the server has more than before.
  func run(_ store: String) throws -> Int {
    let before = try count()
    for row in try StoreQuery.rows(store, Self.query) {
      guard let space = row.firstIndex(of: " ") else { continue }
      let payload = try JSONValue(parsing: String(row[row.index(after: space)...]))
      // The app keeps an operation that the server refuses, and goes on.
      try? send(String(row[..<space]), payload)
    }
    return try count() - before
  }

  private func count() throws -> Int {
    let dump = try backend.dump()
    return (dump["tastings"]?.array?.count ?? 0) + (dump["comments"]?.array?.count ?? 0)
  }

  private func send(_ kind: String, _ payload: JSONValue) throws {
    func text(_ name: String) -> String { payload[name]?.text ?? "" }
    switch kind {
    case "createTasting": try post("/v1/tastings", Self.tasting(payload))
    case "addComment":
      try post(
        "/v1/tastings/\(text("tastingId"))/comments",
        ["comment": .string(text("text")), "createdAt": .string(Date.now.ISO8601Format())]
      )
    case "toggleToast": try post("/v1/tastings/\(text("tastingId"))/toast", [:])
    case "followUser":
      _ = try backend.request("PUT", "/v1/friends/\(text("userId"))", [:], token: token)
    default: break
    }
  }

  private func post(_ path: String, _ body: JSONValue) throws {
    _ = try backend.request("POST", path, body, token: token)
  }

  private static func tasting(_ payload: JSONValue) throws -> JSONValue {
    guard let bottle = payload["bottleId"]?.text.flatMap(Int64.init) else {
      throw TestSupportError("no bottle")
    }
    return [
      "bottle": .number(JSONNumber(bottle)), "notes": payload["notes"] ?? .null,
      "rating": PeatedScenario.rating(payload["rating"]?.double), "tags": payload["tags"] ?? [],
      "servingStyle": payload["servingStyle"] ?? .null,
    ]
  }
}
