import Synchronization

/// What a command waits for at present, for notices to the person who started it.
///
/// A part of the program that waits notes that with ``during(_:atMost:_:)``, wherever it is. Nothing is noted where
/// no notices are printed, as in an app that embeds Ferry.
package final class Waits: Sendable {
  /// Those of the command that is carried out; `nil` where no notices are printed.
  @TaskLocal package static var ofCommand: Waits?

  /// Why a command waits.
  package enum Reason: String, Sendable, CaseIterable {
    case answer = "an answer of the destination"
    case pause = "the destination, which asked for a pause"
    case turn = "the next request's turn (--rate)"
    case retry = "the next attempt after a passing fault"
    case command = "a credential command"
    case lateRequest = "a request without an answer, which may still arrive"
  }

  /// One wait.
  package struct Wait: Hashable, Sendable {
    package let reason: Reason
    /// When it began, by the clock of the waits.
    package let began: Duration
    /// How long it takes at most; `nil` where nothing bounds it.
    package let longest: Duration?

    package init(reason: Reason, began: Duration, longest: Duration?) {
      self.reason = reason
      self.began = began
      self.longest = longest
    }
  }

  private struct State {
    var last = 0
    var waits: [Int: Wait] = [:]
  }

  private let state = Mutex(State())
  package let clock: RunClock

  package init(clock: RunClock) { self.clock = clock }

  /// Every wait that has not ended; the first one to begin comes first.
  package var current: [Wait] {
    state.withLock { $0.waits.sorted { $0.key < $1.key }.map(\.value) }
  }

  /// Does `body`, which waits for `reason`, and for `longest` at most; `nil` where nothing bounds it.
  package static func during<Value, Failure: Error>(
    _ reason: Reason,
    atMost longest: Duration?,
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    guard let waits = ofCommand else { return try await body() }
    let number = waits.begin(reason, longest)
    defer { waits.end(number) }
    return try await body()
  }

  private func begin(_ reason: Reason, _ longest: Duration?) -> Int {
    let wait = Wait(reason: reason, began: clock.now(), longest: longest)
    return state.withLock { state in
      state.last += 1
      state.waits[state.last] = wait
      return state.last
    }
  }

  private func end(_ number: Int) { state.withLock { $0.waits[number] = nil } }
}
