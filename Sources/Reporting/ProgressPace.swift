package import StageSupport

/// How fast a stage goes, how long it has taken, and how long it will still take.
///
/// What was done before the stage began, by the run that is gone on with, counts for how far it is
/// and not for how fast it goes.
package struct ProgressPace: Sendable {
  private let began: ContinuousClock.Instant
  private var start: (done: Int, bytes: Int64, time: ContinuousClock.Instant)?
  private var done = 0
  private var bytes: Int64 = 0

  /// - Parameter began: When the stage began.
  package init(began: ContinuousClock.Instant = .now) { self.began = began }

  package mutating func advance(to done: Int, bytes: Int64, at now: ContinuousClock.Instant) {
    if start == nil || done < self.done { start = (done, bytes, now) }
    self.done = done
    self.bytes = bytes
  }

  /// How far it is, how fast, how much was sent, the time that is left and the time that has passed.
  package func words(of total: Int?, at now: ContinuousClock.Instant) -> String {
    var words = ["\(done)"]
    if let total {
      words = ["\(done) of \(total)"]
      if total > 0 { words.append("\(done * 100 / total)%") }
    }
    guard let start else { return words[0] }
    let seconds = (now - start.time) / .seconds(1)
    let sent = bytes - start.bytes
    guard seconds >= 0.5, done > start.done else { return words.joined(separator: ", ") }
    let rate = Double(done - start.done) / seconds
    words.append(rate >= 10 ? "\(Int(rate.rounded()))/s" : "\((rate * 10).rounded() / 10)/s")
    if sent > 0 { words.append(Figures.bytes(sent)) }
    if let total, total > done {
      words.append("\(Figures.expected(Double(total - done) / rate)) left")
    }
    words.append("\(Figures.expected((now - began) / .seconds(1))) so far")
    return words.joined(separator: ", ")
  }
}

/// The stages that a command goes through, in their order.
package struct StageOrder: Sendable {
  private let stages: [ProgressEvent.Stage]

  /// - Parameter stages: The stages; a command of one stage has no place to say.
  package init(_ stages: [ProgressEvent.Stage]) { self.stages = stages }

  /// The place of a stage, as `stage 4 of 5`; `nil` for a stage that is not in the order.
  package func words(_ stage: ProgressEvent.Stage) -> String? {
    guard stages.count > 1, let place = stages.firstIndex(of: stage) else { return nil }
    return "stage \(place + 1) of \(stages.count)"
  }
}
