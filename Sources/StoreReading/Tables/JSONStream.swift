import Files
import LongTexts
import StoreFiles

/// The values of a JSON file, one at a time.
///
/// Memory follows the largest value without its long texts, and not the file.
///
/// Only brackets and texts are distinguished here. Each value is parsed strictly by the one who takes it.
final class JSONStream {
  /// The line of the next byte, counted from one.
  private(set) var line = 1

  private var file: InputFile
  private let source: FileSource
  private let texts: LongTexts
  /// How many bytes of the file lie before the window.
  private var windowOffset: Int64 = 0
  private var window: [UInt8]
  private var place: Int
  private var isAtEnd = false

  private static let windowSize = 1 << 20
  /// The bytes of the longest value with its stand-ins.
  static let longestValue = 64 << 20

  init(_ source: FileSource, _ texts: LongTexts) throws(FileError) {
    var file = try source.open(followsLinks: false)
    window = try file.bytes(upTo: Self.windowSize)
    place = JSONMargin.start(of: window)
    self.file = file
    self.source = source
    self.texts = texts
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

  /// Takes the next value: up to its closing bracket or quote, else up to what cannot be part of it.
  ///
  /// Each long text in it has a stand-in.
  func value() throws(FileStop) -> (bytes: [UInt8], line: Int) {
    _ = try peek()
    let first = line
    var filter = LongTextFilter(texts, .inFile(source), from: windowOffset + Int64(place))
    var scan = JSONScan()
    while try current() != nil {
      let end = try JSONFileReading.filing { () throws(FileError) in
        unsafe try window.withUnsafeBufferPointer { window throws(FileError) in
          let rest = unsafe UnsafeRawBufferPointer(
            rebasing: UnsafeRawBufferPointer(window)[place...]
          )
          let end = unsafe scan.end(in: rest)
          let taken = unsafe UnsafeRawBufferPointer(rebasing: rest[..<(end ?? rest.count)])
          line += unsafe taken.count { $0 == UInt8(ascii: "\n") }
          place += taken.count
          unsafe try filter.take(taken)
          return end
        }
      }
      if end != nil { return (filter.finished(), first) }
      guard filter.output.count <= Self.longestValue else {
        throw .malformed(
          line: first,
          reason: "a value has more than \(Self.longestValue >> 20) MiB"
        )
      }
    }
    guard !scan.isOpen else {
      throw .malformed(line: first, reason: "the file ends inside the value that begins here")
    }
    return (filter.finished(), first)
  }

  private func pass(_ byte: UInt8) {
    place += 1
    if byte == UInt8(ascii: "\n") { line += 1 }
  }

  private func current() throws(FileStop) -> UInt8? {
    if place < window.count { return window[place] }
    if isAtEnd { return nil }
    windowOffset += Int64(window.count)
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
