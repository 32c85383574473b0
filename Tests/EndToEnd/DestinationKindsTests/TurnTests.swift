import DestinationModel
import HTTPTransport
import JSONText
import REST
import Retrying
import Synchronization
import Testing
import UploadPlanning

/// When requests leave.
struct TurnTests {
  /// When the requests of a scenario came, each since the one before.
  private func distances(
    rate: Double,
    _ reply: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply,
    _ calls: (RESTDestination) async throws -> Void
  ) async throws -> [Duration] {
    let moments = Mutex<[ContinuousClock.Instant]>([])
    let transport = HTTPTransport(turns: RateLimiter(rate: rate))
    try await ScriptedServer.run { request in
      moments.withLock { $0.append(.now) }
      return reply(request)
    } body: { server in
      let destination = try RESTDestination(
        api: try Sample.api(media: true),
        address: server.address,
        credentials: Sample.credentials,
        transport: transport
      )
      try await calls(destination)
    }
    await transport.shutdown()
    let all = moments.withLock { $0 }
    return zip(all, all.dropFirst()).map { $1 - $0 }
  }

  // 002-11.
  @Test func `a rate limit spaces requests, however many wait`() async throws {
    let distances = try await distances(rate: 20) { _ in
      .json(["token": "t", "user": ["id": "u1"]], headers: [("set-auth-token", Sample.token)])
    } _: { destination in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<5 { group.addTask { _ = try await destination.account() } }
        try await group.waitForAll()
      }
    }
    // The sign-in comes before them.
    #expect(distances.count == 5)
    #expect(distances.reduce(.zero, +) >= .milliseconds(240))
  }

  // 002-11: a slow machine does not pass for a limit.
  @Test func `a rate limit makes requests wait by the clock of the run`() async throws {
    let passed = Mutex(Duration.zero)
    let clock = RunClock(
      seconds: { 1_800_000_000 },
      elapsed: { passed.withLock { $0 } },
      pause: { time in passed.withLock { $0 += time } }
    )
    let transport = HTTPTransport(turns: RateLimiter(rate: 20, clock: clock))
    try await ScriptedServer.run { _ in
      .json([:])
    } body: { server in
      for _ in 0..<5 {
        _ = try await transport.perform(HTTPRequest(method: "GET", url: server.address))
      }
    }
    await transport.shutdown()
    #expect(passed.withLock { $0 } == .milliseconds(200))
  }

  @Test func `the ticket, the file and its confirmation each take a turn`() async throws {
    try await withTemporaryFolder { folder in
      let media = try OutgoingMedia.avatar(Array(repeating: 7, count: 10), in: folder)
      let distances = try await distances(rate: 20) { request in
        switch request.line {
        case "POST /api/files/upload":
          .json(["data": ["uploadUrl": "/uploads/1", "storageKey": "k", "publicUrl": "p"]])
        case "POST /api/auth/sign-in/email":
          .json([:], headers: [("set-auth-token", Sample.token)])
        default: .json([:])
        }
      } _: { destination in
        let answer = await destination.bring(.heroes(.uploadMedia, [.number(1, media: media)]))
        #expect(answer.word(1) == "stored")
      }
      #expect(distances.count == 3)
      #expect(distances.reduce(.zero, +) >= .milliseconds(120), "\(distances)")
    }
  }

  @Test func `a request that waits for its turn is not sent after cancellation`() async throws {
    try await ScriptedServer.run { _ in
      .json([:])
    } body: { server in
      let transport = HTTPTransport(turns: RateLimiter(rate: 0.01))
      let request = HTTPRequest(method: "GET", url: server.address)
      _ = try await transport.perform(request)
      let second = Task { try await transport.perform(request) }
      try await Task.sleep(for: .milliseconds(50))
      transport.turns.giveUpWaiting()
      let began = ContinuousClock.now
      await #expect(throws: HTTPFailure.neverSent(reason: "the run was stopped before the request"))
      {
        try await second.value
      }
      #expect(ContinuousClock.now - began < .seconds(5))
      #expect(server.lines.count == 1)
      await transport.shutdown()
    }
  }

  @Test func `each request over HTTP is counted, however many calls there were`() async throws {
    let meter = RequestMeter()
    _ = try await distances(rate: 100) { _ in
      .json(["token": "t", "user": ["id": "u1"]], headers: [("set-auth-token", Sample.token)])
    } _: { destination in
      let metered = MeteredDestination(destination, meter: meter)
      for _ in 0..<3 { _ = try await metered.account() }
    }
    // The sign-in comes before the three that ask for the account.
    #expect(meter.requestCount == 4)
  }

  @Test func `answer times are counted without the wait for a turn`() async throws {
    let meter = RequestMeter()
    let began = ContinuousClock.now
    _ = try await distances(rate: 2) { _ in
      .json(["token": "t", "user": ["id": "u1"]], headers: [("set-auth-token", Sample.token)])
    } _: { destination in
      let metered = MeteredDestination(destination, meter: meter)
      for _ in 0..<3 { _ = try await metered.account() }
    }
    // Four requests wait for three turns, half a second each.
    let seconds = try #require(meter.answerSeconds) * 3
    #expect(.seconds(seconds) <= ContinuousClock.now - began - .milliseconds(1_300))
  }
}
