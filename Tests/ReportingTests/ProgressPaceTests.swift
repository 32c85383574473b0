import Reporting
import StageSupport
import Testing

struct ProgressPaceTests {
  private let start = ContinuousClock.now

  private func words(_ done: Int, after seconds: Int, from first: Int = 0, of total: Int? = 100)
    -> String
  {
    var pace = ProgressPace(began: start)
    pace.advance(to: first, bytes: 0, at: start)
    let now = start + .seconds(seconds)
    pace.advance(to: done, bytes: 2_000_000, at: now)
    return pace.words(of: total, at: now)
  }

  @Test func `the place, the rate, the bytes, the time left and the time so far are said`() {
    #expect(words(20, after: 2) == "20 of 100, 20%, 10/s, 2 MB, 8 s left, 2 s so far")
  }

  @Test func `what an earlier run did counts for the place, and not for the rate`() {
    #expect(words(60, after: 2, from: 40) == "60 of 100, 60%, 10/s, 2 MB, 4 s left, 2 s so far")
  }

  @Test func `without a total there is no time left`() {
    #expect(words(20, after: 2, of: nil) == "20, 10/s, 2 MB, 2 s so far")
  }

  @Test func `a stage has its place among those of the command`() {
    let order = StageOrder([.export, .validate, .plan, .upload, .verify])
    #expect(order.words(.upload) == "stage 4 of 5")
    #expect(order.words(.rollback) == nil)
    #expect(StageOrder([.verify]).words(.verify) == nil)
  }
}
