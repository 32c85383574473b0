import Files
import StoreFiles

/// The values of a JSON file, one at a time, so that memory follows the largest and not the file.
///
/// Only brackets and texts are distinguished here. Each value is parsed strictly by the one who takes it.
final class JSONStream {
  /// The line of the next byte, counted from one.
  private(set) var line = 1

  private var file: InputFile
  private var window: [UInt8]
  private var place: Int
  private var isAtEnd = false

  private static let windowSize = 1 << 20
  /// The bytes of the longest value.
  static let longestValue = 64 << 20

  init(_ file: consuming InputFile) throws(FileError) {
    window = try file.bytes(upTo: Self.windowSize)
    place = JSONMargin.start(of: window)
    self.file = file
  }

  /// The next byte that is no white space, which stays; `nil` at the end.
  func peek() throws(FileStop) -> UInt8? {
    while let byte = try current() {
      guard JSONMargin.isSpace(byte) else { return byte }
      pass(byte)
    }
    return nil
  }

  /// Passes the byte if it is the next one behind white space.
  func take(_ wanted: Unicode.Scalar) throws(FileStop) -> Bool {
    guard let byte = try peek(), byte == UInt8(ascii: wanted) else { return false }
    pass(byte)
    return true
  }

  /// Takes the next value whole: up to its closing bracket or quote, else up to what cannot be part of it.
  func value() throws(FileStop) -> (bytes: [UInt8], line: Int) {
    _ = try peek()
    let first = line
    var bytes: [UInt8] = []
    var scan = JSONScan()
    while let byte = try current() {
      if scan.ends(before: byte) { return (bytes, first) }
      bytes.append(byte)
      pass(byte)
      if scan.ends(with: byte) { return (bytes, first) }
      guard bytes.count <= Self.longestValue else {
        throw .malformed(
          line: first,
          reason: "a value has more than \(Self.longestValue >> 20) MiB"
        )
      }
    }
    guard !scan.isOpen else {
      throw .malformed(line: first, reason: "the file ends inside the value that begins here")
    }
    return (bytes, first)
  }

  private func pass(_ byte: UInt8) {
    place += 1
    if byte == UInt8(ascii: "\n") { line += 1 }
  }

  private func current() throws(FileStop) -> UInt8? {
    if place < window.count { return window[place] }
    if isAtEnd { return nil }
    do throws(FileError) {
      window = try file.bytes(upTo: Self.windowSize)
    } catch {
      throw .store(.file(error))
    }
    place = 0
    isAtEnd = window.isEmpty
    return window.first
  }
}
