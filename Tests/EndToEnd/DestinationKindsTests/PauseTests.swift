import DestinationModel
import HTTPTransport
import JSONText
import REST
import Testing
import UploadPlanning

struct PauseTests {
  /// 2027-01-15T08:00:00Z.
  private static let now = 1_800_000_000.0

  private func pause(
    _ body: JSONValue = ["error": "RateLimitExceeded"],
    _ headers: [(String, String)] = [],
    status: Int = 429
  ) async throws -> Duration? {
    var found: Duration?
    let reply = ScriptedServer.Reply.json(body, status: status, headers: headers)
    try await withScript(now: Self.now, { _ in reply }) { destination, _ in
      let answer = await destination.send(.heroes(.create, [.number(1), .number(2)]))
      #expect(answer.word(1) == "deferred")
      found = answer.pause
    }
    return found
  }

  // 001-7.
  @Test(arguments: [
    ("Retry-After", "3", 3.0), ("Retry-After", "0", 0), ("Retry-After", "1.5", 1.5),
    ("Retry-After", "Fri, 15 Jan 2027 08:02:00 GMT", 120),
    ("Retry-After", "Friday, 15-Jan-27 08:02:00 GMT", 120),
    ("Retry-After", "Fri Jan 15 08:02:00 2027", 120),
    ("Retry-After", "Fri, 15 Jan 2027 08:02:00 +0000", 120),
    ("Retry-After", "Fri, 15 Jan 2027 09:02:00 +0100", 120),
    ("Retry-After", "Friday, 15-Jan-99 08:02:00 GMT", 0),
    ("Retry-After", "Fri, 15 Jan 2027 07:00:00 GMT", 0), ("X-Retry-After", "7", 7),
    ("Retry-After-Ms", "250", 0.25), ("RateLimit", "\"default\";r=0;t=30", 30),
    ("RateLimit", "limit=100, remaining=0, reset=12", 12), ("RateLimit-Reset", "9", 9),
    ("X-RateLimit-Reset", "1800000060", 60), ("X-RateLimit-Reset", "1800000060000", 60),
    ("X-RateLimit-Reset", "45", 45),
  ])
  func `the wait is read from headers`(name: String, value: String, seconds: Double) async throws {
    #expect(try await pause(["error": "x"], [(name, value)]) == .seconds(seconds))
  }

  // 001-7.
  @Test(arguments: [
    ("Rate limit exceeded for batch. Resets at 2027-01-15T08:00:30.000Z. Limit: 5.", 30.0),
    ("Limit reached (resets at 2027-01-15T09:00:00+00:30)", 1_800),
    ("Please try again in 37 minutes.", 2_220), ("try again after 2 hours", 7_200),
    ("wait 5 seconds please", 5), ("in 250 ms", 0.25),
  ])
  func `the wait is read from the message text`(message: String, seconds: Double) async throws {
    let body: JSONValue = ["error": "RateLimitExceeded", "message": .string(message)]
    #expect(try await pause(body) == .seconds(seconds))
  }

  @Test(
    arguments: [
      (["retryAfter": .number(7)], 7.0), (["retry_after_ms": .number(250)], 0.25),
      (["error": ["code": "busy", "retryAfter": .string("3")]], 3),
    ] as [(JSONValue, Double)]
  )
  func `the wait is read from fields of the body`(body: JSONValue, seconds: Double) async throws {
    #expect(try await pause(body) == .seconds(seconds))
  }

  @Test(arguments: [
    "soon", "-5", "1e9", "0x10", "inf", "", "Fri Jan 15 2027", "Fri, 15 Jan 2027 08:02:00 +9900",
  ])
  func `an unreadable Retry-After causes no pause`(value: String) async throws {
    #expect(try await pause(["error": "x"], [("Retry-After", value)], status: 425) == nil)
  }

  @Test func `a 429 without a time is waited out all the same, and its cure is reported`()
    async throws
  {
    try await withScript({ _ in .json(["error": "x"], status: 429) }) { destination, _ in
      let answer = await destination.send(.heroes(.create, [.number(1), .number(2)]))
      #expect(answer.pause == .seconds(1))
      guard case .deferred(let reason) = answer.whole else {
        Issue.record("\(answer)")
        return
      }
      #expect(reason.contains("--rate"))
    }
  }

  @Test(arguments: [("X-RateLimit-Remaining", "0"), ("Retry-After", "60")])
  func `a 403 for too many requests is waited out`(name: String, value: String) async throws {
    let headers = [(name, value), ("X-RateLimit-Reset", "1800000060")]
    #expect(
      try await pause(["message": "API rate limit exceeded"], headers, status: 403) == .seconds(60)
    )
  }

  @Test func `repeated pauses double, and the request rate falls`() {
    var slowness = Slowness()
    var now = Duration.zero
    func pauses(_ asked: Duration?) -> [Duration] {
      (0..<7).map { _ in
        let pause = slowness.slowDown(asked: asked, now: now)
        now += pause
        return pause
      }
    }
    #expect(pauses(nil) == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
    #expect(slowness.distance == .milliseconds(50))
    slowness.noteAnswer()
    #expect(pauses(.zero) == [0, 1, 2, 4, 8, 16, 30].map { .seconds($0) })
    #expect(slowness.distance < .milliseconds(50))
    slowness.noteAnswer()
    #expect(pauses(.seconds(3)) == [3, 3, 3, 4, 8, 16, 30].map { .seconds($0) })
    for _ in 0..<100 { slowness.noteAnswer() }
    #expect(slowness.distance == .zero)
  }

  @Test func `requests that were refused together count once`() {
    var slowness = Slowness()
    let now = Duration.zero
    #expect(slowness.slowDown(asked: nil, now: now) == .seconds(1))
    #expect(slowness.slowDown(asked: nil, now: now + .milliseconds(400)) == .milliseconds(600))
    #expect(slowness.slowDown(asked: nil, now: now + .seconds(1)) == .seconds(2))
  }

  @Test(arguments: ["+24:00", "-99:00", "+00:60"])
  func `a date with an impossible time zone is nil`(zone: String) async throws {
    let moment = "2027-01-15T08:00:30\(zone)"
    let words: JSONValue = .string("resets at \(moment)")
    #expect(try await pause(["error": "x"], [("Retry-After", moment)], status: 425) == nil)
    #expect(try await pause(["error": "x", "message": words], status: 425) == nil)
  }

  @Test func `a Retry-After with an impossible zone causes no pause`() async throws {
    let message: JSONValue = "invalid date 2027-01-15T08:00:00+2562047788015216:00"
    #expect(try await pause(["message": message], status: 425) == nil)
  }

  @Test func `a header with a wait takes precedence over the message`() async throws {
    let body: JSONValue = ["error": "try again in 37 minutes"]
    #expect(try await pause(body, [("Retry-After", "2")]) == .seconds(2))
  }

  @Test(arguments: ["9999999999", String(repeating: "9", count: 30)])
  func `a pause is limited to a year`(value: String) async throws {
    let pause = try await pause(["error": "x"], [("Retry-After", value)])
    #expect(pause == .seconds(31_536_000))
  }

  @Test func `a conflict with Retry-After is passing`() async throws {
    #expect(try await pause(["error": "retry"], [("Retry-After", "3")], status: 409) == .seconds(3))
  }
}
