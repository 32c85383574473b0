import Foundation

/// How wide the terminal is.
package enum TerminalWidth {
  /// The columns of the terminal behind a descriptor; `nil` if it does not exist, or it does not say.
  package static func columns(of descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
