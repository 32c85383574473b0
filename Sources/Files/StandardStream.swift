#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What the process was started with to write to.
package enum StandardStream: String, Sendable {
  case output = "standard output"
  case error = "standard error"

  private var descriptor: Int32 {
    switch self {
    case .output: STDOUT_FILENO
    case .error: STDERR_FILENO
    }
  }

  /// Writes all of it, and waits where the stream takes no more at the moment.
  package func write(_ bytes: [UInt8]) throws(FileError) {
    try unsafe bytes.withUnsafeBufferPointer { bytes throws(FileError) in
      try writeAll(descriptor, UnsafeRawBufferPointer(bytes), to: rawValue)
    }
  }

  /// Has the first three descriptors be open, so that no file that is opened later is taken for one
  /// of these streams.
  package static func provide() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest that is free is given.
      _ = unsafe open("/dev/null", O_RDWR)
    }
  }
}

extension FileError {
  /// Whether no process reads any more what was written: `| head` ends the reading, not the run.
  package var isOfNoReader: Bool { number == EPIPE }
}
