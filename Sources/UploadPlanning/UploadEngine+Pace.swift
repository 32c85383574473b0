// How many requests are in flight at once: as many as the policy allows, and fewer while the
// destination has trouble with them.

extension UploadEngine {
  /// After so many requests in a row that were carried out, one more is tried at once.
  private static var trial: Int { 8 }

  /// Takes in how the destination took a request.
  ///
  /// One that was put off or lost halves how many are in flight, once for all that were on their way
  /// together. So the run settles where the destination keeps up.
  mutating func findPace(after whole: BatchAnswer.Whole, pause: Duration?, of flight: FlightID) {
    switch whole {
    case .answered where pause == nil:
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
