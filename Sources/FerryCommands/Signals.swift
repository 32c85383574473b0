import Dispatch
import Foundation
import Migration
import Reports
import Synchronization

/// The first Ctrl-C or termination asks for an end; the second ends the process at once.
final class Signals {
  let interruption = Interruption()
  private let received = ReceivedSignal()
  private let sources: [any DispatchSourceSignal]

  /// Begins to listen; `screen` tells the person what the first signal does.
  init(screen: Screen) {
    // A reader that went away must not end the run.
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow any more is an error like a full disk, and said like one.
    signal(SIGXFSZ, SIG_IGN)
    sources = [SIGINT, SIGTERM, SIGHUP].map { [received, interruption] number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { @Sendable in
        if received.isSecond(number) { exit(Self.status(of: number).rawValue) }
        screen.warn("ferry: finishing what is in flight and saving; once more to end at once")
        interruption.wish()
      }
      source.resume()
      return source
    }
  }

  /// The status of a run that was asked to end.
  var status: ExitStatus { Self.status(of: received.first ?? SIGINT) }

  private static func status(of number: Int32) -> ExitStatus {
    number == SIGINT ? .interrupted : .terminated
  }
}

/// The first signal that came.
private final class ReceivedSignal: Sendable {
  private let state = Mutex<Int32?>(nil)

  var first: Int32? { state.withLock { $0 } }

  /// Notes a signal; gives whether one had come before.
  func isSecond(_ number: Int32) -> Bool {
    state.withLock { first in
      if first != nil { return true }
      first = number
      return false
    }
  }
}
