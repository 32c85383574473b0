import Files

/// The lines of a chat, which end with a line feed, a carriage return or both.
struct ChatLines {
  struct Line {
    var bytes: [UInt8]
    let number: Int
  }

  private let lines: LineReader
  private let name: String
  private var ready: ArraySlice<Line> = []

  init(_ path: String, name: String) throws(LegacyFileError) {
    do throws(FileError) {
      lines = LineReader(try InputFile(path), longest: ChatReader.longestMessage)
    } catch {
      throw .file(error)
    }
    self.name = name
  }

  mutating func next() throws(LegacyFileError) -> Line? {
    if let line = ready.popFirst() { return line }
    guard let line = try lines.next(of: name) else { return nil }
    var bytes = [UInt8](line.bytes)
    if bytes.last == 0x0D { bytes.removeLast() }
    guard bytes.contains(0x0D) else { return Line(bytes: bytes, number: line.number) }
    let pieces = bytes.split(separator: 0x0D, omittingEmptySubsequences: false)
    ready = pieces.map { Line(bytes: Array($0), number: line.number) }[...]
    return ready.popFirst()
  }

  /// Whether the next line that is not blank is wanted; no line is passed over by asking.
  mutating func isNext(_ isWanted: (Line) -> Bool) throws(LegacyFileError) -> Bool {
    var passed: [Line] = []
    defer { ready = passed + ready }
    while let line = try next() {
      passed.append(line)
      if line.bytes.contains(where: { $0 > 0x20 }) { return isWanted(line) }
    }
    return false
  }
}
