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
    var written = 0
    while written < bytes.count {
      let start = written
      let (count, number) = unsafe bytes.withUnsafeBytes { bytes in
        retryingInterrupts {
          writeSome(descriptor, unsafe UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
      }
      if count < 0, number == EAGAIN {
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&room, 1, -1)
        continue
      }
      guard count > 0 else {
        throw FileError(.write, rawValue, number: count == 0 ? EIO : number)
      }
      written += count
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

/// One call of `write`.
@safe
func writeSome(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  #if canImport(Darwin)
  unsafe Darwin.write(descriptor, bytes.baseAddress, bytes.count)
  #elseif canImport(Musl)
  unsafe Musl.write(descriptor, bytes.baseAddress, bytes.count)
  #else
  unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
  #endif
}

extension FileError {
  /// Whether nobody reads any more what was written: `| head` ends the reading, not the run.
  package var isOfNoReader: Bool { number == EPIPE }
}
