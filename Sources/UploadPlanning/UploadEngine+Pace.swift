// How many requests are in flight at once: as many as the policy allows, and fewer while the
// destination has trouble with them.

extension UploadEngine {
  /// After so many requests in a row that were carried out, one more is tried at once.
  private static var trial: Int { 8 }

  /// Takes in how the destination took a request.
  ///
  /// One that was put off or lost, or of which a part was, halves how many are in flight, once for all
  /// that were on their way together. So the run settles where the destination keeps up.
  mutating func findPace(after answer: BatchAnswer, of flight: FlightID) {
    switch answer.whole {
    case .answered
    where answer.pause == nil && !answer.outcomes.values.contains(where: \.isTrouble):
      fineInARow += 1
      guard fineInARow >= Self.trial, width < policy.concurrency else { return }
      width += 1
      fineInARow = 0
    case .answered, .deferred, .unknown: slowDown(after: flight)
    case .splittable, .refused: break
    }
  }

  mutating func slowDown(after flight: FlightID) {
    fineInARow = 0
    guard flight.number > lastBeforeSlowing else { return }
    lastBeforeSlowing = lastFlight
    width = max(1, width / 2)
  }
}

extension ItemOutcome {
  /// Whether it may have to do with how much was asked at once.
  fileprivate var isTrouble: Bool {
    switch self {
    case .deferred, .unknown: true
    default: false
    }
  }
}
