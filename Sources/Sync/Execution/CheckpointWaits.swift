import UploadPlanning

/// Adds up the time in which no request is in flight and the checkpoint is at work.
struct CheckpointWaits {
  private(set) var time: Duration = .zero
  private var flights = 0
  private var accesses = 0
  private var since: Duration?

  /// Takes in what happened, and the time that went by until then.
  mutating func note(_ event: EngineEvent, now: Duration) {
    if flights == 0, accesses > 0, let since { time += now - since }
    since = now
    switch event {
    case .read, .answered, .lookedUp, .readingFailed: flights -= 1
    case .committed, .loaded: accesses -= 1
    case .started, .woke, .interrupted: break
    }
  }

  /// Takes in what is begun.
  mutating func note(_ effect: EngineEffect) {
    switch effect {
    case .read, .send, .lookUp: flights += 1
    case .commit, .load: accesses += 1
    case .prepare, .wake, .finish: break
    }
  }
}
