package import JSONText
package import StageSupport
import Synchronization

/// Listens to a command and keeps what its reports will need.
///
/// What is kept is bounded: findings by the stages, samples of progress by their number.
package final class ReportRecorder: Sendable {
  private struct State {
    var stages: [JSONValue] = []
    var timeline: [TimelineStage] = []
    /// The time that has to pass between two samples of the stage that runs.
    var interval = 0.01
    var stop: (reason: String, cure: String)?
    var next: String?
    var undo: String?
  }

  /// Whether any report is wanted; without one nothing is kept.
  private let isWanted: Bool
  private let start = ContinuousClock.now
  private let state = Mutex(State())

  private static let sampleLimit = 120
  private static let pauseLimit = 500

  /// - Parameter isWanted: Whether any report is wanted; without one nothing is kept.
  package init(isWanted: Bool) { self.isWanted = isWanted }

  /// What the stages came to so far.
  package var stages: [JSONValue] { state.withLock { $0.stages } }
  /// When each stage ran.
  package var timeline: [TimelineStage] { state.withLock { $0.timeline } }
  /// Why the run stopped before its end, where it ended without an error, and what to do about it.
  package var stop: (reason: String, cure: String)? { state.withLock { $0.stop } }
  /// The next command to type, where one was suggested.
  package var next: String? { state.withLock { $0.next } }

  /// The command that rolls the run back: the one that was suggested, else the shortest.
  package var undo: String? {
    let (undo, stages) = state.withLock { ($0.undo, $0.stages) }
    return undo ?? Self.undo(of: stages)
  }

  /// `ferry rollback RUN`, where the last upload changed anything.
  private static func undo(of stages: [JSONValue]) -> String? {
    guard let stage = stages.last(where: { $0["type"] == "upload" }).flatMap(ReportStage.init),
      let run = stage.value["run"]?.text,
      ["created", "updated"].contains(where: { stage.count($0) > 0 })
    else { return nil }
    return "ferry rollback \(run)"
  }

  /// The seconds since the command began.
  package var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }

  /// Keeps what a stage came to.
  package func add(_ stage: JSONValue) {
    guard isWanted else { return }
    state.withLock { $0.stages.append(stage) }
  }

  /// Keeps why the run stopped before its end.
  package func stopped(_ reason: String, cure: String) {
    state.withLock { $0.stop = (reason, cure) }
  }

  /// Keeps the next command to type.
  package func suggest(_ next: String) { state.withLock { $0.next = next } }

  /// Keeps the command that rolls the run back.
  package func suggestUndo(_ command: String) { state.withLock { $0.undo = command } }

  /// Keeps when stages ran, and how far they were.
  package func note(_ event: ProgressEvent) {
    guard isWanted else { return }
    let now = seconds
    state.withLock { state in
      switch event {
      case .stageBegan(let stage):
        state.interval = 0.01
        state.timeline.append(TimelineStage(stage: stage.rawValue, began: now))
      case .stageEnded:
        guard let last = state.timeline.indices.last else { return }
        state.timeline[last].ended = now
      case .heldUp(let stage, let time):
        guard let last = state.timeline.indices.last,
          state.timeline[last].stage == stage.rawValue
        else { return }
        state.timeline[last].heldUp = (state.timeline[last].heldUp ?? 0) + time / .seconds(1)
      case .warning: break
      case .note:
        guard let last = state.timeline.indices.last else { return }
        if state.timeline[last].pauses.count < Self.pauseLimit {
          state.timeline[last].pauses.append(now)
        }
      case .advanced(_, let done, let total):
        guard let last = state.timeline.indices.last else { return }
        Self.sample(done, total, at: now, in: &state, last)
      }
    }
  }

  /// Adds a sample; when there are too many, every other goes and the next ones come half as often.
  private static func sample(
    _ done: Int,
    _ total: Int?,
    at now: Double,
    in state: inout State,
    _ last: Int
  ) {
    state.timeline[last].total = total
    let sample = TimelineStage.Sample(seconds: now, done: done)
    let before = state.timeline[last].samples.last?.seconds ?? -1
    let isLast = done == total && state.timeline[last].samples.last?.done != done
    guard now - before >= state.interval || isLast else { return }
    state.timeline[last].samples.append(sample)
    guard state.timeline[last].samples.count > sampleLimit else { return }
    state.timeline[last].samples = state.timeline[last].samples.enumerated()
      .filter { $0.offset.isMultiple(of: 2) }.map(\.element)
    state.interval *= 2
  }
}
