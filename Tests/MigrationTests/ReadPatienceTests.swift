import Testing

@testable import Migration

/// How long a reading waits after a fault.
struct ReadPatienceTests {
  @Test func `what the destination asks for is waited out, and this side's own wait is capped`() {
    let wait = ReadPatience.wait
    #expect(wait(.seconds(40), .seconds(1)) == .seconds(40))
    #expect(wait(.seconds(2), .seconds(8)) == .seconds(8))
    #expect(wait(nil, .seconds(64)) == .seconds(30))
    #expect(wait(.seconds(299), .seconds(64)) == .seconds(299))
  }

  @Test func `a wait of hours is not waited for`() {
    #expect(ReadPatience.wait(asked: .seconds(7_200), own: .seconds(1)) == nil)
  }
}
