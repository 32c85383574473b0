/// How a file of delimited text separates its values, and where its header begins.
struct DelimitedDialect: Equatable {
  let separator: UInt8
  /// How many bytes lie before the header: a byte order mark, a line that names the separator.
  let headerStart: Int
  /// The header's line, counted from one.
  let headerLine: Int

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
  private static let feed = UInt8(ascii: "\n")
  private static let back = UInt8(ascii: "\r")
  /// The separators that are looked for, the first of equally frequent ones first.
  private static let separators = [
    UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|"),
  ]

  /// Looks at the beginning of a file.
  ///
  /// A first line `sep=;`, which Excel reads, names the separator. Without it that is the tab in a file
  /// of tab-separated values, else the separator that the header has most often outside quotes.
  ///
  /// - Parameters:
  ///   - start: The first bytes, with the whole header.
  ///   - isTabbed: Whether the file's name says that tabs separate.
  init(_ start: [UInt8], isTabbed: Bool) {
    let mark = start.starts(with: Self.mark) ? Self.mark.count : 0
    let text = start[mark...]
    let end = text.firstIndex { $0 == Self.feed || $0 == Self.back } ?? text.endIndex
    let first = text[..<end]
    if first.count == 5, String(decoding: first.dropLast(), as: UTF8.self).lowercased() == "sep=",
      let named = first.last
    {
      let isPair = text[end...].starts(with: [Self.back, Self.feed])
      self.init(
        separator: named,
        headerStart: min(end + (isPair ? 2 : 1), start.count),
        headerLine: 2
      )
    } else {
      let separator = isTabbed ? UInt8(ascii: "\t") : Self.mostFrequent(in: text)
      self.init(separator: separator, headerStart: mark, headerLine: 1)
    }
  }

  private init(separator: UInt8, headerStart: Int, headerLine: Int) {
    self.separator = separator
    self.headerStart = headerStart
    self.headerLine = headerLine
  }

  private static func mostFrequent(in text: ArraySlice<UInt8>) -> UInt8 {
    var counts = Array(repeating: 0, count: separators.count)
    var isQuoted = false
    // Empty lines may lie before the header.
    for byte in text.drop(while: { $0 == feed || $0 == back }) {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if isQuoted { continue }
      if byte == feed || byte == back { break }
      if let index = separators.firstIndex(of: byte) { counts[index] += 1 }
    }
    let most = counts.max() ?? 0
    return separators[counts.firstIndex(of: most) ?? 0]
  }
}
