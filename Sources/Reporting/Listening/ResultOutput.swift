import Files
import Synchronization

/// Standard output, which the results are written to.
package enum ResultOutput {
  private struct State {
    var failure: FileError?
    var isReported = false
  }

  private static let state = Mutex(State())

  /// Writes all of it, unless no process reads it any more: `| head` ends the reading, not the run.
  ///
  /// After a failure nothing more is written, so that no hole is in the middle.
  package static func put(_ text: String) { put(Array(text.utf8)) }

  /// The same of bytes.
  package static func put(_ bytes: [UInt8]) {
    guard state.withLock({ $0.failure == nil }) else { return }
    do throws(FileError) {
      try StandardStream.output.write(bytes)
    } catch {
      guard !error.isOfNoReader else { return }
      state.withLock { $0.failure = error }
    }
  }

  /// The status of a command whose results are written: they must have arrived.
  package static func settled(_ status: ExitStatus) -> ExitStatus {
    let (failure, isNew) = state.withLock { state in
      defer { state.isReported = state.failure != nil }
      return (state.failure, !state.isReported)
    }
    guard let failure else { return status }
    if isNew { StandardError.put("ferry: \(failure)\n") }
    guard status == .done || status == .planHasChanges else { return status }
    return failure.isDiskFull ? .passingFault : .failure
  }
}

/// Standard error, which everything meant for people is written to.
package enum StandardError {
  /// Writes all of it; what cannot be said stays unsaid.
  package static func put(_ text: String) {
    do throws(FileError) { try StandardStream.error.write(Array(text.utf8)) } catch { return }
  }
}
