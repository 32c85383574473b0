import Dispatch
import Foundation
package import Reporting
package import StageSupport
import Synchronization

/// The first Ctrl-C or termination requests cancellation; the second ends the process at once.
///
/// A limit of time that is over requests cancellation as well.
package final class Signals {
  package let interruption = CancellationToken()
  private let screen: Screen
  private let received = ReceivedSignal()
  private let sources: [any DispatchSourceSignal]

  /// Begins to listen; `screen` shows the person what the first signal does.
  package init(screen: Screen) {
    self.screen = screen
    // A reader that went away must not end the run.
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow any more is an error like a full disk, and said like one.
    signal(SIGXFSZ, SIG_IGN)
    // Anyone who started this with `nohup` wants it to go on when the terminal goes.
    let former = unsafe unsafeBitCast(signal(SIGHUP, SIG_IGN), to: UInt.self)
    let isHangUpIgnored = unsafe former == unsafeBitCast(SIG_IGN, to: UInt.self)
    let numbers: [Int32] = isHangUpIgnored ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
    sources = numbers.map { [received, interruption] number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { @Sendable in
        if received.isSecond(number) { exit(Self.status(of: number).rawValue) }
        screen.warn("ferry: finishing what is in flight and saving; once more to end at once")
        interruption.cancel()
      }
      source.resume()
      return source
    }
  }

  /// Requests cancellation once this time is over.
  package func end(after limit: Duration) {
    Task { [received, interruption, screen] in
      try? await Task.sleep(for: limit)
      guard received.endTime() else { return }
      screen.warn("ferry: --max-duration is over: finishing what is in flight and saving")
      interruption.cancel()
    }
  }

  /// Whether the limit of time, and no one, asked for the end.
  package var isOutOfTime: Bool { received.isOutOfTime }

  /// The status of a run that was asked to end.
  package var status: ExitStatus {
    isOutOfTime ? .limitReached : Self.status(of: received.first ?? SIGINT)
  }

  private static func status(of number: Int32) -> ExitStatus {
    number == SIGINT ? .interrupted : .terminated
  }
}

/// The first signal that came, or the end of the time before any did.
private final class ReceivedSignal: Sendable {
  private struct State {
    var first: Int32?
    var isOutOfTime = false
  }

  private let state = Mutex(State())

  var first: Int32? { state.withLock { $0.first } }
  var isOutOfTime: Bool { state.withLock { $0.isOutOfTime && $0.first == nil } }

  /// Notes that the time is over; gives whether no signal had come before.
  func endTime() -> Bool {
    state.withLock { state in
      state.isOutOfTime = state.first == nil
      return state.isOutOfTime
    }
  }

  /// Notes a signal; gives whether one had come before.
  func isSecond(_ number: Int32) -> Bool {
    state.withLock { state in
      if state.first != nil { return true }
      state.first = number
      return false
    }
  }
}
