import DestinationModel
import JSONText
import REST
import Testing
import UploadPlanning

/// A server that asks for fewer requests by `Backoff`, on answers of any status.
struct BackoffTests {
  private func answering(
    _ seconds: String,
    status: Int = 200,
    _ body: (RESTDestination, ScriptedServer) async throws -> Void
  ) async throws {
    try await withScript(
      { _ in
        .json(["user": ["id": "u1"]], status: status, headers: [("Backoff", seconds)])
      },
      body: body
    )
  }

  @Test func `a success with Retry-After stays a success and delays the next request`() async throws
  {
    try await answering("1") { destination, _ in
      #expect(try await destination.account() == "u1")
      let time = try await ContinuousClock().measure { _ = try await destination.account() }
      #expect(time >= .milliseconds(950))
    }
  }

  @Test func `a server's wait delays the next request, even if none was waiting`()
    async throws
  {
    try await answering("3600") { destination, server in
      #expect(try await destination.account() == "u1")
      let count = server.lines.count
      let answer = await destination.send(.heroes(.create, [.number(1), .number(2)]))
      #expect(answer.word(1) == "deferred")
      #expect(try #require(answer.pause) > .seconds(3_590))
      do throws(DestinationError) {
        _ = try await destination.account()
        Issue.record("it was asked again")
      } catch {
        guard case .busy(let pause?, _) = error else { throw error }
        #expect(pause > .seconds(3_590))
      }
      #expect(server.lines.count == count)
    }
  }

  @Test func `a failure with Retry-After delays the next request too`() async throws {
    try await answering("3600", status: 422) { destination, server in
      let item = OutgoingBatch.Item.number(1, serverID: "h1", body: ["name": "Ada"])
      #expect(await destination.send(.heroes(.update, [item])).word(1) == "rejected")
      #expect(await destination.send(.heroes(.update, [item])).word(1) == "deferred")
      #expect(server.lines.count { $0.hasPrefix("PATCH") } == 1)
    }
  }

  @Test(arguments: ["soon", "-5", "0", ""])
  func `an unparsable or empty Retry-After is ignored`(value: String) async throws {
    try await answering(value) { destination, _ in
      _ = try await destination.account()
      let time = try await ContinuousClock().measure { _ = try await destination.account() }
      #expect(time < .milliseconds(500))
    }
  }
}
