import Testing
import UploadPlanning

/// How many requests of one run may come to nothing, however patient it is with each record.
struct EngineBudgetTests {
  /// Has each request be put off, and waits until it goes again.
  private func fail(_ times: Int, _ bench: inout EngineBench) {
    for _ in 0..<times {
      bench.answerSend(.deferred)
      bench.pass(.seconds(30))
    }
  }

  @Test func `a run with a thousand failed requests ends, and reports their number`() {
    var bench = EngineBench(.sample(settle: nil, retryLimit: 2_000), .samples(1))
    fail(1_000, &bench)
    #expect(bench.conclusion == nil)
    bench.answerSend(.deferred)
    let reason = "1001 requests failed, and 0 were carried out"
    #expect(bench.conclusion == .passingFault(reason: reason))
  }

  @Test func `each successful request allows one more failure`() {
    let policy = EnginePolicy.sample(batchLimit: 1, settle: nil, concurrency: 1, retryLimit: 2_000)
    var bench = EngineBench(policy, .samples(11))
    for _ in 1...10 { bench.answerSend() }
    fail(1_010, &bench)
    #expect(bench.conclusion == nil)
    bench.answerSend(.deferred)
    let reason = "1011 requests failed, and 10 were carried out"
    #expect(bench.conclusion == .passingFault(reason: reason))
  }
}
