import CloudKitWeb
import Crypto
import DestinationModel
import HTTPTransport
import JSONText
import Profiles
import Synchronization
import Testing
import UploadPlanning

/// How often CloudKit is asked.
struct CloudKitPaceTests {
  // 002-11.
  @Test func `at most forty requests a second are sent, regardless of --rate`() async throws {
    let api = try CloudSample.api(database: "public")
    let key = P256.Signing.PrivateKey()
    let keys = GivenCredentials([
      "key-id": Secret("the-key"), "private-key": Secret(key.pemRepresentation),
    ])
    let transport = HTTPTransport(turns: RateLimiter(rate: api.rate(chosen: 400)))
    let moments = Mutex<[ContinuousClock.Instant]>([])
    try await ScriptedServer.run { _ in
      moments.withLock { $0.append(.now) }
      return .json(["records": []])
    } body: { server in
      let destination = try CloudKitDestination(
        api: api,
        address: server.address,
        credentials: keys,
        transport: transport
      )
      await withTaskGroup(of: Void.self) { group in
        for number in 0...40 {
          group.addTask { _ = await destination.send(.results(.create, [.result(Int64(number))])) }
        }
      }
    }
    await transport.shutdown()
    let all = moments.withLock { $0 }
    let first = try #require(all.first)
    let last = try #require(all.last)
    #expect(all.count == 41)
    // Forty distances of 25 ms, less what the first request was late.
    #expect(last - first >= .milliseconds(800))
  }
}
