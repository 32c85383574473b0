import Reporting

/// How fast a stage goes, and how long it will still take.
///
/// What was done before the stage began, by the run that is gone on with, counts for how far it is
/// and not for how fast it goes.
struct ProgressPace {
  private var start: (done: Int, bytes: Int64, time: ContinuousClock.Instant)?
  private var done = 0
  private var bytes: Int64 = 0

  mutating func advance(to done: Int, bytes: Int64, at now: ContinuousClock.Instant) {
    if start == nil || done < self.done { start = (done, bytes, now) }
    self.done = done
    self.bytes = bytes
  }

  /// How far it is, how fast, how much was sent, and the time that is left.
  func words(of total: Int?, at now: ContinuousClock.Instant) -> String {
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
    return words.joined(separator: ", ")
  }
}
