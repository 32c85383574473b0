import StageSupport
import Testing

struct InterruptionTests {
  @Test func `a wish that was uttered stays uttered`() {
    let interruption = Interruption()
    #expect(!interruption.isWished)
    interruption.wish()
    interruption.wish()
    #expect(interruption.isWished)
  }
}
