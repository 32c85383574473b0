import StageSupport
import Synchronization

/// A migration or a rollback that is under way.
///
/// It goes on whether or not anybody watches it. One watcher may iterate over ``progress``.
public final class MigrationRun: Sendable {
  /// How far it is; ends when the run does.
  public let progress: MigrationUpdates
  private let requests: CancellationRequests
  private let task: Task<Result<MigrationOutcome, FerryError>, Never>

  init(
    _ work:
      @escaping @Sendable (ProgressRelay, CancellationRequests) async throws ->
      MigrationOutcome
  ) {
    // Anyone who does not look for a while finds the newest; a run never waits for its watcher.
    let (stream, inbox) = AsyncStream.makeStream(
      of: MigrationProgress.self,
      bufferingPolicy: .bufferingNewest(1_024)
    )
    progress = MigrationUpdates(stream: stream)
    let relay = ProgressRelay(inbox: inbox)
    let requests = CancellationRequests()
    self.requests = requests
    task = Task.detached {
      defer { inbox.finish() }
      do {
        let outcome = try await work(relay, requests)
        relay.show(.done)
        return .success(outcome)
      } catch {
        return .failure(requests.notAgreed ?? FerryError(error))
      }
    }
  }

  /// What it came to, once it has ended.
  ///
  /// - Throws: ``FerryError`` when it ended before anything was sent.
  public var outcome: MigrationOutcome {
    get async throws(FerryError) { try await task.value.get() }
  }

  /// Finishes what is in flight, saves, and ends; the next start goes on from there.
  public func pause() { requests.pause() }

  /// Gives up: finishes what is in flight, then rolls back what this run had sent.
  ///
  /// A rollback that is cancelled is only paused: half of it is no state to stay in.
  public func cancel() { requests.cancel() }
}

/// What a person requests of a run.
final class CancellationRequests: Sendable {
  let interruption = CancellationToken()
  /// Anyone who gives up wants all of it rolled back, and waits for a destination that asks for that.
  let urgentCancellation = CancellationToken()
  private let state = Mutex((isCancelled: false, refusal: FerryError?.none))

  var isCancelled: Bool { state.withLock { $0.isCancelled } }
  /// Why the run is not what a person agreed to, where it is not.
  var notAgreed: FerryError? { state.withLock { $0.refusal } }

  func pause() {
    urgentCancellation.cancel()
    interruption.cancel()
  }

  func cancel() {
    state.withLock { $0.isCancelled = true }
    interruption.cancel()
  }

  func refuse(_ error: FerryError) { state.withLock { $0.refusal = error } }
}

/// How far a run is.
public struct MigrationProgress: Hashable, Sendable {
  /// What is being done.
  public let stage: Stage
  /// How much of the stage is done: records, or requests.
  public let done: Int
  /// How much there is to do; `nil` if it is unknown.
  public let total: Int?
  /// A wait, a retry, a look-up: something a person may wonder about.
  public let note: String?

  /// The stages of the way, in order.
  public enum Stage: String, Hashable, Sendable, CaseIterable {
    /// The account signs in.
    case signIn
    /// The store is read, and the package written.
    case export
    /// Every record is held against its schema.
    case validate
    /// What has to happen is decided and written down.
    case plan
    /// Records and media are sent.
    case upload
    /// Everything is read back and compared.
    case verify
    /// What a run did is rolled back.
    case rollback
    /// The run has ended.
    case done
  }
}

/// How far a run is, step by step.
public struct MigrationUpdates: AsyncSequence, Sendable {
  /// What it gives.
  public typealias Element = MigrationProgress
  /// It never fails: how a run ended is in ``MigrationRun/outcome``.
  public typealias Failure = Never

  let stream: AsyncStream<MigrationProgress>

  /// Begins to watch.
  public func makeAsyncIterator() -> AsyncStream<MigrationProgress>.Iterator {
    stream.makeAsyncIterator()
  }
}

/// Passes on what the stages report.
final class ProgressRelay: Sendable {
  private let inbox: AsyncStream<MigrationProgress>.Continuation
  private let last = Mutex(MigrationProgress(stage: .export, done: 0, total: nil, note: nil))

  init(inbox: AsyncStream<MigrationProgress>.Continuation) { self.inbox = inbox }

  /// What the stages report to.
  var reporter: ProgressReporter { ProgressReporter { self.show($0) } }

  func show(_ stage: MigrationProgress.Stage, done: Int = 0, total: Int? = nil) {
    show(MigrationProgress(stage: stage, done: done, total: total, note: nil))
  }

  private func show(_ event: ProgressEvent) {
    switch event {
    case .stageBegan(let stage): show(MigrationProgress.Stage(stage))
    case .advanced(let stage, let done, let total):
      show(MigrationProgress.Stage(stage), done: done, total: total)
    case .stageEnded, .heldUp: break
    case .note(let text), .warning(let text):
      let now = last.withLock { $0 }
      show(MigrationProgress(stage: now.stage, done: now.done, total: now.total, note: text))
    }
  }

  private func show(_ progress: MigrationProgress) {
    last.withLock { $0 = progress }
    inbox.yield(progress)
  }
}

extension MigrationProgress.Stage {
  fileprivate init(_ stage: ProgressEvent.Stage) {
    self =
      switch stage {
      case .fetch, .export, .import: .export
      case .validate: .validate
      case .plan: .plan
      case .upload: .upload
      case .verify: .verify
      case .rollback: .rollback
      }
  }
}
