import Testing
import UploadPlanning

/// A record that the destination answers with “later” for ever.
struct EngineIsolationTests {
  private static let putOff = BatchAnswer(
    whole: .deferred(reason: "503"),
    pause: .seconds(3),
    mayLieInOne: true
  )

  /// Answers every request, those with a poisonous record by “later”; gives who was rejected.
  private func run(
    _ bench: inout EngineBench,
    isPoisonous: (Int64) -> Bool,
    answer: BatchAnswer = putOff
  ) -> [Int64] {
    var steps = 0
    while bench.conclusion == nil, steps < 20_000 {
      steps += 1
      guard let request = bench.sends.first else {
        bench.pass(.seconds(5))
        continue
      }
      bench.answerSend(request.numbers.contains(where: isPoisonous) ? answer : nil)
    }
    return bench.changes.compactMap { change in
      if case .reject(let number, "destination.keeps-failing", _) = change { number } else { nil }
    }
  }

  @Test(arguments: [1, 2, 4])
  func `a record that is put off for ever is found and rejected, and the others arrive`(
    concurrency: Int
  ) {
    var bench = EngineBench(
      .sample(batchLimit: 16, settle: nil, concurrency: concurrency),
      .samples(200)
    )
    #expect(run(&bench, isPoisonous: { $0 == 27 }) == [27])
    #expect(bench.conclusion == .done)
  }

  @Test func `several such records are found, each`() {
    var bench = EngineBench(.sample(batchLimit: 16, settle: nil), .samples(200))
    #expect(
      run(&bench, isPoisonous: { [5, 6, 90, 200].contains($0) }).sorted() == [5, 6, 90, 200]
    )
    #expect(bench.conclusion == .done)
  }

  @Test func `while the destination carries nothing out, nothing is rejected`() {
    var bench = EngineBench(.sample(batchLimit: 16, settle: nil), .samples(200))
    #expect(run(&bench, isPoisonous: { _ in true }).isEmpty)
    #expect(bench.conclusion != .done)
  }

  @Test func `a server that only asks for patience rejects nobody by that`() {
    var bench = EngineBench(.sample(batchLimit: 16, settle: nil), .samples(200))
    let limited = BatchAnswer(whole: .deferred(reason: "429"), pause: .seconds(3))
    #expect(run(&bench, isPoisonous: { $0 == 27 }, answer: limited).isEmpty)
  }
}
