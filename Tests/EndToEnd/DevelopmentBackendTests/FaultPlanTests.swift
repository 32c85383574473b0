import DevelopmentBackend
import Testing

struct FaultPlanTests {
  @Test(
    arguments: [
      ("drop-before:7", FaultRule(.dropBefore, .every(7))),
      ("lose:n=4", FaultRule(.dropBefore, .only(4...4))),
      ("drop-after:n=2-5", FaultRule(.dropAfter, .only(2...5))),
      (
        "drop-after:3@POST /api/batch",
        FaultRule(.dropAfter, .every(3), method: "POST", pathPrefix: "/api/batch")
      ),
      ("html:1@/api", FaultRule(.page, .every(1), pathPrefix: "/api")),
      ("truncate:11@get", FaultRule(.truncate, .every(11), method: "GET")),
      ("delay:5:300ms", FaultRule(.delay(milliseconds: 300), .every(5))),
      ("delay:5:2s", FaultRule(.delay(milliseconds: 2_000), .every(5))),
      ("late:2:3s", FaultRule(.late(milliseconds: 3_000), .every(2))),
      ("status:4:503", FaultRule(.status(503, retryAfter: nil), .every(4))),
      ("status:4:429:retry-after=2", FaultRule(.status(429, retryAfter: "2"), .every(4))),
      (" pretend:6 ", FaultRule(.pretend, .every(6))),
    ])
  func `a fault rule is read`(text: String, rule: FaultRule) throws {
    #expect(try FaultPlan(parsing: text).rules == [rule])
    #expect(try FaultPlan(parsing: rule.description).rules == [rule])
  }

  @Test(
    arguments: [
      "drop-before", "drop-before:0", "drop-before:x", "drop-before:n=", "drop-before:n=5-4",
      "explode:3", "delay:3", "delay:3:soon", "status:3", "status:3:99", "status:3:503:after=2",
      "html:3:4",
    ])
  func `an invalid fault rule is refused`(text: String) {
    #expect(throws: FaultPlanError.self) { try FaultPlan(parsing: text) }
  }

  @Test func `a fault plan has a rule a line, or rules separated by commas`() throws {
    let plan = try FaultPlan(parsing: "# note\ndrop-before:7, html:9;truncate:2\n\n")
    #expect(plan.rules.map(\.description) == ["drop-before:7", "html:9", "truncate:2"])
    #expect(try FaultPlan(parsing: "").rules.isEmpty)
  }
}
