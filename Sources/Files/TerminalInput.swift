#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The lines that a person types, read from standard input with an eye on whether anyone still waits for them.
package struct TerminalInput: ~Copyable {
  /// What was typed and not given yet.
  private var typed: [UInt8] = []
  /// How long one look at the terminal takes, in milliseconds.
  private static let look: Int32 = 50
  private static let longestLine = 1 << 16

  package init() {}

  /// The next line, without its end.
  ///
  /// - Parameter isCancelled: Asked twenty times a second; ends the waiting.
  /// - Returns: The line; `nil` at the end of the input, or once the waiting is cancelled.
  package mutating func line(unless isCancelled: () -> Bool) -> String? {
    while !isCancelled() {
      if let end = typed.firstIndex(of: UInt8(ascii: "\n")) {
        defer { typed.removeFirst(end + 1) }
        return String(decoding: typed[..<end], as: UTF8.self)
      }
      guard typed.count < Self.longestLine else { return nil }
      var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      let ready = unsafe poll(&descriptor, 1, Self.look)
      if ready == 0 || ready < 0 && errno == EINTR { continue }
      guard ready > 0, readMore() else { return nil }
    }
    return nil
  }

  private mutating func readMore() -> Bool {
    var part = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe part.withUnsafeMutableBytes { bytes in
      unsafe read(STDIN_FILENO, bytes.baseAddress, bytes.count)
    }
    guard count > 0 else { return count < 0 && errno == EINTR }
    typed += part.prefix(count)
    return true
  }
}
