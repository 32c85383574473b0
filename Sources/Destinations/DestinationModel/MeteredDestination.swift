import LongTexts
package import Retrying
import Synchronization
package import UploadPlanning

/// Counts what is asked of a destination, and how long the answers take, without the wait for a turn.
package final class RequestMeter: Sendable {
  /// What was asked.
  package enum Kind: String, Sendable, CaseIterable {
    case account, page, read, media, preflight
    case create, update, delete, uploadMedia, removeMedia

    /// Whether it means to change something.
    package var sends: Bool {
      switch self {
      case .account, .page, .read, .media, .preflight: false
      case .create, .update, .delete, .uploadMedia, .removeMedia: true
      }
    }
  }

  /// Calls of one kind, added up.
  package struct Reading: Hashable, Sendable {
    package fileprivate(set) var calls = 0
    /// The requests over HTTP that these calls came to; 0 where the destination is asked by other means.
    package fileprivate(set) var requests = 0
    /// The requests over HTTP, or the calls where the destination is asked by other means.
    package var requestCount: Int { requests > 0 ? requests : calls }
    /// Calls without a usable answer.
    package fileprivate(set) var failures = 0
    package fileprivate(set) var items = 0
    /// The bytes of the fields and files that were sent.
    package fileprivate(set) var bytes: Int64 = 0
    package fileprivate(set) var seconds = 0.0
    package fileprivate(set) var longest = 0.0
    /// How many answers came within each of ``RequestMeter/bounds``.
    package fileprivate(set) var within = [Int](repeating: 0, count: RequestMeter.bounds.count)
  }

  /// The bounds of a histogram of answers, in seconds.
  package static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

  private let state = Mutex<[Kind: Reading]>([:])
  fileprivate let clock: RunClock

  package init(clock: RunClock = .system) { self.clock = clock }

  package var readings: [Kind: Reading] { state.withLock { $0 } }

  /// The requests over HTTP in all, or the calls where the destination is asked by other means.
  package var requestCount: Int {
    let all = readings.values
    let requests = all.reduce(0) { $0 + $1.requests }
    return requests > 0 ? requests : all.reduce(0) { $0 + $1.calls }
  }

  /// How long an answer took on average; `nil` while there was none.
  package var answerSeconds: Double? {
    let all = readings.values
    let calls = all.reduce(0) { $0 + $1.calls }
    return calls == 0 ? nil : all.reduce(0) { $0 + $1.seconds } / Double(calls)
  }

  fileprivate func note(
    _ kind: Kind,
    since start: Duration,
    waited: WaitedTime,
    isFailure: Bool,
    items: Int = 0,
    bytes: Int64 = 0
  ) {
    // Requests of one call that wait side by side wait longer than the call took.
    let taken = max(.zero, clock.now() - start - waited.total)
    let seconds =
      Double(taken.components.seconds) + Double(taken.components.attoseconds) / 1e18
    state.withLock { readings in
      var reading = readings[kind] ?? Reading()
      reading.calls += 1
      reading.requests += waited.requests
      reading.failures += isFailure ? 1 : 0
      reading.items += items
      reading.bytes += bytes
      reading.seconds += seconds
      reading.longest = max(reading.longest, seconds)
      for (index, bound) in Self.bounds.enumerated() where seconds <= bound {
        reading.within[index] += 1
      }
      readings[kind] = reading
    }
  }
}

/// A destination of which every call is counted.
package struct MeteredDestination<Base: Destination>: WrappedDestination {
  package let base: Base
  private let meter: RequestMeter

  package init(_ base: Base, meter: RequestMeter) {
    self.base = base
    self.meter = meter
  }

  package func send(_ batch: OutgoingBatch) async -> BatchAnswer {
    let start = meter.clock.now()
    let waited = WaitedTime()
    let answer = await WaitedTime.$ofCall.withValue(waited) { await base.send(batch) }
    let isFailure =
      switch answer.whole {
      case .answered: false
      case .deferred, .splittable, .unknown, .refused: true
      }
    meter.note(
      RequestMeter.Kind(batch.verb),
      since: start,
      waited: waited,
      isFailure: isFailure,
      items: batch.items.count,
      bytes: batch.items.reduce(0) {
        $0 + Int64(LongText.size(of: $1.body)) + ($1.media?.size ?? 0)
      }
    )
    return answer
  }

  /// Counts a look at which the destination could not be reached as a failure.
  package func preflight() async -> [DestinationCheck] {
    await looked { await base.preflight() }
  }

  /// Counts it so, too.
  package func schemaChecks() async -> [DestinationCheck] {
    await looked { await base.schemaChecks() }
  }

  private func looked(_ look: () async -> [DestinationCheck]) async -> [DestinationCheck] {
    let start = meter.clock.now()
    let waited = WaitedTime()
    let checks = await WaitedTime.$ofCall.withValue(waited, operation: look)
    let isFailure = checks.contains { $0.verdict == .unreached }
    meter.note(.preflight, since: start, waited: waited, isFailure: isFailure)
    return checks
  }

  package func around<Value, Failure: Error>(
    _ kind: RequestMeter.Kind,
    _ call: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let start = meter.clock.now()
    let waited = WaitedTime()
    let result = await WaitedTime.$ofCall.withValue(waited) { () async -> Result<Value, Failure> in
      do throws(Failure) {
        return .success(try await call())
      } catch {
        return .failure(error)
      }
    }
    let isFailure = if case .failure = result { true } else { false }
    meter.note(kind, since: start, waited: waited, isFailure: isFailure)
    return try result.get()
  }
}

extension RequestMeter.Kind {
  init(_ verb: OutgoingBatch.Verb) {
    switch verb {
    case .create: self = .create
    case .update: self = .update
    case .delete: self = .delete
    case .uploadMedia: self = .uploadMedia
    case .removeMedia: self = .removeMedia
    }
  }
}
