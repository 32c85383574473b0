// How many requests are in flight at once: as many as the policy allows, and fewer while the
// destination has trouble with them.

extension UploadEngine {
  /// How far the run knows the destination's pace.
  struct Pace: Sendable {
    /// The most requests in flight by now.
    var width: Int
    /// Requests in a row that were carried out.
    var fineInARow = 0
    /// After so many of them one more is tried at once.
    var patience = Pace.leastPatience
    /// Whether the last change was one more, which has not held for long.
    var isTrying = false
    /// The last request that had left when there was last trouble.
    var lastBeforeTrouble = 0

    static let leastPatience = 8
    static let mostPatience = 512
  }

  /// Takes in how the destination took a request.
  ///
  /// One that was put off or lost, or of which a part was, halves how many are in flight, once for all
  /// that were on their way together. So the run settles where the destination keeps up. Where one
  /// more was tried and there is trouble again, the next try takes twice as long to come: each may cost
  /// the wait that the destination asks for.
  mutating func findPace(after answer: BatchAnswer, of flight: FlightID) {
    switch answer.whole {
    case .answered
    where answer.pause == nil && !answer.outcomes.values.contains(where: \.isTrouble):
      pace.fineInARow += 1
      if pace.fineInARow >= pace.patience * 8 {
        pace.isTrying = false
        pace.patience = Pace.leastPatience
      }
      guard pace.fineInARow >= pace.patience, pace.width < policy.concurrency else { return }
      pace.width += 1
      pace.isTrying = true
      pace.fineInARow = 0
    case .answered, .deferred, .unknown: slowDown(after: flight)
    case .splittable, .refused: break
    }
  }

  mutating func slowDown(after flight: FlightID) {
    pace.fineInARow = 0
    guard flight.number > pace.lastBeforeTrouble else { return }
    pace.lastBeforeTrouble = lastFlight
    if pace.isTrying { pace.patience = min(pace.patience * 2, Pace.mostPatience) }
    pace.isTrying = false
    pace.width = max(1, pace.width / 2)
  }
}

extension ItemOutcome {
  /// Whether it may have to do with how much was asked at once.
  var isTrouble: Bool {
    switch self {
    case .deferred, .unknown: true
    default: false
    }
  }
}
