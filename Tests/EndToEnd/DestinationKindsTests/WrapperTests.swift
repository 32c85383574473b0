import DestinationModel
import HTTPTransport
import JSONText
import REST
import Records
import Testing
import UploadPlanning

struct WrapperTests {
  @Test func `a rehearsal reads and never sends`() async throws {
    try await withScript({ _ in .json(["user": ["id": "u1"]]) }) { destination, server in
      let rehearsal = RehearsingDestination(destination)
      let account = try await rehearsal.account()
      #expect(account == "u1")
      #expect(await rehearsal.send(.heroes(.create, [.number(1)])).word(1) == "refused")
      #expect(server.lines.count == 2)
    }
  }

  @Test func `a wait that the destination asks for delays all other calls`()
    async throws
  {
    try await withScript({ request in
      request.line.contains("session")
        ? .json(["user": ["id": "u1"]])
        : .json([:], status: 429, headers: [("Retry-After", "1")])
    }) { destination, server in
      let gate = ConcurrencyLimiter(limit: 4)
      let bounded = BoundedDestination(destination, gate: gate)
      await #expect(throws: DestinationError.self) {
        try await bounded.page(of: "Hero", after: nil, since: nil)
      }
      let clock = ContinuousClock()
      let time = try await clock.measure { _ = try await bounded.account() }
      #expect(time >= .milliseconds(900))
      #expect(server.lines.count >= 2)
    }
  }

  @Test func `a change is postponed if its reading would be too old when sent`()
    async throws
  {
    try await withScript({ _ in
      .json([:], status: 429, headers: [("Retry-After", "12")])
    }) { destination, server in
      let bounded = BoundedDestination(destination, gate: ConcurrencyLimiter(limit: 4))
      await #expect(throws: DestinationError.self) {
        try await bounded.page(of: "Hero", after: nil, since: nil)
      }
      let count = server.lines.count
      let answer = await bounded.send(.heroes(.update, [.number(1, serverID: "h1")]))
      #expect(answer.word(1) == "deferred")
      #expect(answer.pause ?? .zero > .seconds(10))
      #expect(server.lines.count == count)
    }
  }

  @Test func `the destination's capabilities follow the profile`() throws {
    let transport = HTTPTransport()
    let destination = try RESTDestination(
      api: Sample.api(settings: "settle: 5s\n  concurrency: 3"),
      address: "https://example.com/a/",
      credentials: Sample.credentials,
      transport: transport
    )
    let traits = destination.traits
    #expect(traits.origin == "https://example.com/a")
    #expect(
      traits.replay == [
        "Hero": .lookUp(settle: .seconds(5)), "Event": .key(life: .seconds(86_400), settle: nil),
        "Note": .id,
      ]
    )
    #expect(traits.batchLimit == ["Hero": 3, "Event": 1, "Note": 1])
    #expect(traits.listsChangesSince == ["Hero": true, "Event": false, "Note": false])
    #expect(traits.concurrency == 3)
    Task { await transport.shutdown() }
  }
}
