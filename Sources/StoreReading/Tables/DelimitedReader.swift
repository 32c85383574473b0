import Files
import LongTexts
import Records

/// The rows of a file of delimited text (CSV, TSV), one at a time.
///
/// RFC 4180, and what spreadsheets write beside it: a byte order mark, `sep=`, other separators, and rows
/// that end with CR LF, LF or CR. A value in quotes may hold separators, line ends and doubled quotes; a
/// quote inside a value without quotes is a letter. Lines without a byte are no rows.
/// https://www.rfc-editor.org/rfc/rfc4180
final class DelimitedReader {
  /// Where in a row the reader is.
  private enum State {
    case valueBegins, plain, quoted
    /// Behind a quote that ends the value, unless another quote follows.
    case closed
  }

  /// How the file separates its values.
  let dialect: DelimitedDialect
  /// The line on which the row begins, counted from one.
  private(set) var line = 1
  /// The values of the row, one behind the other, with a stand-in for each long one.
  private(set) var bytes: [UInt8] = []
  /// Where each value ends in ``bytes``.
  private(set) var ends: [Int] = []
  /// Whether each value was in quotes.
  private(set) var areQuoted: [Bool] = []
  /// Why the row cannot be read, or `nil`.
  private(set) var fault: String?

  private var file: InputFile
  private let texts: LongTexts
  /// Takes the value at hand where that is too long to be held, and how much it has taken.
  private var long: LongStringWriter?
  private var longCount = 0
  private var window: [UInt8]
  private var place: Int
  private var nextLine: Int
  private var state = State.valueBegins
  private var isQuoted = false
  private var quoteLine = 1
  private var isBehindReturn = false
  private var isAtEnd = false

  private static let windowSize = 1 << 20
  /// The bytes of the longest row without its long values; each may be six in the JSON that it is kept as.
  static let longestRow = 16 << 20
  private static let quote = UInt8(ascii: "\"")
  private static let feed = UInt8(ascii: "\n")
  private static let back = UInt8(ascii: "\r")

  /// Begins to read; the first row is the header.
  init(
    _ file: consuming InputFile,
    isTabbed: Bool,
    _ texts: LongTexts
  ) throws(FileError) {
    let window = try file.bytes(upTo: Self.windowSize)
    dialect = DelimitedDialect(window, isTabbed: isTabbed)
    place = dialect.headerStart
    nextLine = dialect.headerLine
    self.window = window
    self.file = file
    self.texts = texts
  }

  /// Goes to the next row; `false` at the end.
  func next() throws(FileError) -> Bool {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    areQuoted.removeAll(keepingCapacity: true)
    (fault, state, isQuoted, line) = (nil, .valueBegins, false, nextLine)
    long = nil
    longCount = 0
    while try hasByte() {
      takeRun()
      if bytes.count - valueStart > LargeValue.mostHeld(beside: valueStart) { try takeLong() }
      if longCount > Row.largestValue { return giveUp("a value", of: Row.largestValue) }
      if bytes.count > Self.longestRow { return giveUp("the row", of: Self.longestRow) }
      guard place < window.count else { continue }
      let byte = window[place]
      place += 1
      if try take(byte) { return true }
    }
    return try finish()
  }

  private func hasByte() throws(FileError) -> Bool {
    if isAtEnd { return false }
    guard place == window.count else { return true }
    window = try file.bytes(upTo: Self.windowSize)
    place = 0
    isAtEnd = window.isEmpty
    return !isAtEnd
  }

  /// Takes the bytes of a value up to one that may mean something.
  private func takeRun() {
    var end = place
    switch state {
    case .valueBegins, .closed: return
    case .plain:
      while end < window.count, window[end] != dialect.separator, window[end] != Self.feed,
        window[end] != Self.back
      { end += 1 }
    case .quoted:
      while end < window.count, window[end] != Self.quote, window[end] != Self.feed,
        window[end] != Self.back
      { end += 1 }
    }
    guard end > place else { return }
    bytes += window[place..<end]
    place = end
    isBehindReturn = false
  }

  /// Takes one byte; `true` when it ends the row.
  private func take(_ byte: UInt8) throws(FileError) -> Bool {
    let isPair = byte == Self.feed && isBehindReturn
    isBehindReturn = byte == Self.back
    if byte == Self.feed || byte == Self.back { return try takeLineEnd(byte, isPair: isPair) }
    switch state {
    case .valueBegins where byte == Self.quote:
      (state, isQuoted, quoteLine) = (.quoted, true, nextLine)
    case .quoted where byte == Self.quote: state = .closed
    case .closed where byte == Self.quote:
      bytes.append(byte)
      state = .quoted
    case .valueBegins where byte == dialect.separator, .plain where byte == dialect.separator,
      .closed where byte == dialect.separator:
      try endValue()
    case .valueBegins, .plain, .quoted:
      bytes.append(byte)
      if state == .valueBegins { state = .plain }
    case .closed:
      fault = fault ?? "text follows the quote that ends a value"
      bytes.append(byte)
      state = .plain
    }
    return false
  }

  private func takeLineEnd(_ byte: UInt8, isPair: Bool) throws(FileError) -> Bool {
    if !isPair { nextLine += 1 }
    if state == .quoted {
      bytes.append(byte)
      return false
    }
    // The second half of a line end that ended the row before, or a line without a byte.
    if state == .valueBegins, ends.isEmpty {
      line = nextLine
      return false
    }
    try endValue()
    return true
  }

  private var valueStart: Int { ends.last ?? 0 }

  /// Hands the value, as far as it is held, to what takes long ones.
  private func takeLong() throws(FileError) {
    let value = Array(bytes[valueStart...])
    if value.contains(0) { fault = fault ?? TextFault.zeroByte(inValue: ends.count) }
    if longCount == 0 { long = try LongStringWriter(texts) }
    try long?.take(value)
    longCount += value.count
    bytes.removeLast(value.count)
  }

  private func endValue() throws(FileError) {
    if longCount > 0 || bytes[valueStart...].starts(with: LongText.mark) {
      try takeLong()
      // Between its quotes is the stand-in, or what is not UTF-8.
      bytes += try long.take()?.finished().dropFirst().dropLast() ?? []
      longCount = 0
    }
    ends.append(bytes.count)
    areQuoted.append(isQuoted)
    (state, isQuoted) = (.valueBegins, false)
  }

  private func finish() throws(FileError) -> Bool {
    if state == .valueBegins, ends.isEmpty { return false }
    if state == .quoted {
      fault =
        "the quote that begins a value on line \(quoteLine) is not closed, and the rest of the "
        + "file is not read"
    }
    try endValue()
    return true
  }

  private func giveUp(_ what: String, of limit: Int) -> Bool {
    fault =
      "\(what) has more than \(limit >> 20) MiB, and the rest of the file is not read; "
      + "perhaps a quote is not closed"
    isAtEnd = true
    return true
  }
}
