package import Checkpoint
import DestinationModel
package import Retrying
package import StageSupport
package import UploadPlanning

/// Leads one run to its end: performs what the engine wants, and says to it what happened.
///
/// All decisions are the engine's. This shell reads, sends, waits and commits, each in its own
/// task, and hands the engine one event after the other.
package struct RunDriver: Sendable {
  package let checkpoint: CheckpointFile
  package let run: RunRecord
  package let policy: EnginePolicy
  package let context: OperationContext
  package let clock: RunClock
  package let progress: ProgressReporter

  package init(
    checkpoint: CheckpointFile,
    run: RunRecord,
    policy: EnginePolicy,
    context: OperationContext,
    clock: RunClock,
    progress: ProgressReporter
  ) {
    self.checkpoint = checkpoint
    self.run = run
    self.policy = policy
    self.context = context
    self.clock = clock
    self.progress = progress
  }

  /// Drives the run until the engine says that it is over.
  ///
  /// When the person requests cancellation, what is in flight is finished first.
  package func drive(
    interruption: CancellationToken
  ) async throws -> EngineConclusion {
    let (events, inbox) = AsyncStream.makeStream(of: EngineEvent.self)
    let failure = FirstFailure()
    // A discarding group keeps nothing of a task that is done: memory does not follow the requests.
    let conclusion = await withDiscardingTaskGroup { group -> EngineConclusion? in
      var engine = UploadEngine(policy: policy)
      group.addTask {
        await interruption.wait()
        inbox.yield(.interrupted)
      }
      inbox.yield(.started)
      var conclusion: EngineConclusion?
      var waits = CheckpointWaits()
      for await event in events {
        if failure.error != nil { break }
        let now = clock.now()
        waits.note(event, now: now)
        let effects = engine.handle(event, now: now)
        context.gate.setLimit(engine.requestLimit)
        for effect in effects {
          waits.note(effect)
          if case .finish(let end) = effect {
            conclusion = end
          } else {
            let reason = engine.waitReason(at: now)
            perform(effect, waitingFor: reason, in: &group, inbox: inbox, failure: failure)
          }
        }
        if conclusion != nil { break }
      }
      progress.heldUp(waits.time)
      inbox.finish()
      group.cancelAll()
      return conclusion
    }
    context.gate.setLimit(context.concurrency)
    // What is still at work would hold the checkpoint.
    await context.giveUpPrepared()
    if let error = failure.error { throw error }
    guard let conclusion else {
      preconditionFailure("the engine went quiet before the run was over")
    }
    return conclusion
  }

  private func perform(
    _ effect: EngineEffect,
    waitingFor reason: Waits.Reason,
    in group: inout DiscardingTaskGroup,
    inbox: AsyncStream<EngineEvent>.Continuation,
    failure: FirstFailure
  ) {
    switch effect {
    case .finish: break
    case .load(let phase, let after, let limit):
      atDisk(in: &group, inbox: inbox, failure: failure) { () throws(CheckpointError) in
        let operations = try checkpoint.operations(
          of: run,
          phase: phase,
          after: after,
          limit: limit,
          onlyBegun: policy.settlesOnly
        )
        return .loaded(phase: phase, operations, isLast: operations.count < limit)
      }
    case .commit(let changes):
      atDisk(in: &group, inbox: inbox, failure: failure) { () throws(CheckpointError) in
        try checkpoint.commit(changes, now: clock.wallSeconds())
        progress.committed(changes)
        return .committed
      }
    case .read(let flight, let operations):
      atDestination(in: &group, inbox: inbox, failure: failure) {
        try await context.read(operations, flight: flight)
      }
    case .prepare(let operations): context.prepare(operations)
    case .send(let flight, let operations):
      group.addTask { inbox.yield(.answered(flight, await context.send(operations))) }
    case .lookUp(let flight, let operations):
      atDestination(in: &group, inbox: inbox, failure: failure) {
        try await context.lookUp(operations, flight: flight)
      }
    case .wake(let due):
      let wait = due - clock.now()
      group.addTask {
        if wait > .zero {
          await Waits.during(reason, atMost: wait) { await clock.sleep(for: wait) }
        }
        inbox.yield(.woke)
      }
    }
  }

  /// Reads the destination in a task of its own; what `body` throws ends the run.
  private func atDestination(
    in group: inout DiscardingTaskGroup,
    inbox: AsyncStream<EngineEvent>.Continuation,
    failure: FirstFailure,
    _ body: @escaping @Sendable () async throws -> EngineEvent
  ) {
    group.addTask {
      do {
        inbox.yield(try await body())
      } catch {
        failure.set(error)
        inbox.yield(.woke)
      }
    }
  }

  /// Asks the checkpoint in a task of its own; what `body` throws ends the run.
  private func atDisk(
    in group: inout DiscardingTaskGroup,
    inbox: AsyncStream<EngineEvent>.Continuation,
    failure: FirstFailure,
    _ body: @escaping @Sendable () throws(CheckpointError) -> EngineEvent
  ) {
    group.addTask(executorPreference: context.disk) {
      do throws(CheckpointError) {
        inbox.yield(try body())
      } catch {
        failure.set(error)
        inbox.yield(.woke)
      }
    }
  }
}
