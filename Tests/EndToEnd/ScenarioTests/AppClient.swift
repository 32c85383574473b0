import Foundation
import JSONText
import TestSupport

/// The app itself on another device: a person who changes rows while a migration is not looking.
struct AppClient {
  private let backend: BackendProgram
  private let token: String

  init(_ scenario: MigrationScenario) async throws {
    backend = scenario.backend
    let answer = try backend.request(
      "POST",
      "/api/auth/sign-in/email",
      ["email": .string(DemoAccount.email), "password": "correct-horse"]
    )
    guard let token = answer["token"]?.text else { throw TestSupportError("no token") }
    self.token = token
  }

  func post(_ path: String, _ body: JSONValue) throws {
    _ = try backend.request("POST", path, body, token: token)
  }

  func patch(_ path: String, _ body: JSONValue) throws {
    _ = try backend.request("PATCH", path, body, token: token)
  }

  func delete(_ path: String) throws {
    _ = try backend.request("DELETE", path, nil, token: token)
  }

  static func id(_ row: JSONValue) throws -> String {
    guard let id = row["id"]?.text else { throw TestSupportError("the row has no id") }
    return id
  }
}
