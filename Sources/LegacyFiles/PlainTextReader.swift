import Files
import ResultText

/// Gives the results of a plain text, one text each.
///
/// The text is cut where results begin, and only where the parts read as the whole does; what
/// is between results stays with the one before. A text of any length is read in windows, whose
/// last result is read again with what follows; of a window without one, its last lines are. Some games
/// have their squares before their name: no window is cut between the two.
final class PlainTextReader: LegacyReader {
  private var file: InputFile
  private let name: String
  private var reader: ResultReader
  private var window: [UInt8] = []
  private var isAtEnd = false
  private var line = 1
  private var number = 0
  private var ready: [LegacyItem] = []

  /// A piece of the window, and what is recognised in it alone.
  private struct Part {
    let text: [UInt8]
    var reading: TextReading?
  }

  /// How many bytes are looked at together: no more than a reader takes if each line of 14 bytes is a result.
  static let windowSize = 56 << 10

  /// How many bytes at the end of a window may belong to a result that goes on behind it.
  private static let reserve = 4 << 10

  init(_ file: consuming InputFile, name: String, catalogue: GameCatalogue) {
    self.file = file
    self.name = name
    reader = ResultReader(catalogue: catalogue)
  }

  func next() throws(LegacyFileError) -> LegacyItem? {
    while ready.isEmpty {
      if isAtEnd, window.isEmpty { return nil }
      try fill()
      cut()
    }
    return ready.removeFirst()
  }

  private func fill() throws(LegacyFileError) {
    let missing = Self.windowSize - window.count
    guard !isAtEnd, missing > 0 else { return }
    do throws(FileError) {
      let more = try file.bytes(upTo: missing)
      window += more
      isAtEnd = more.count < missing
    } catch {
      throw .file(error)
    }
    if number == 0, window.starts(with: [0xEF, 0xBB, 0xBF]) { window.removeFirst(3) }
  }

  /// Cuts what is in the window into texts, but for a last one that may go on behind it.
  private func cut() {
    let reading = reader.read(window)
    let starts = Self.starts(in: reading).map { Self.lineStart(of: $0, in: window) }
    guard !isAtEnd else {
      let parts = Self.parts(of: window, at: starts)
      take(read(parts, like: reading, isWhole: true) ?? [Part(text: window, reading: reading)])
      return
    }
    let ends = ends(after: starts, in: reading)
    for end in ends {
      let head = Array(window[..<end])
      let rest = [Array(window[end...])]
      for parts in [Self.parts(of: head, at: starts), [head]] {
        guard let pieces = read(parts + rest, like: reading, isWhole: false) else { continue }
        take(Array(pieces.dropLast()))
        return
      }
    }
    take([Part(text: Array(window[..<(ends.first ?? Self.lastLineEnd(in: window))]))])
  }

  /// Gives texts that are at the front of the window, and takes them out of it.
  private func take(_ parts: [Part]) {
    for part in parts { give(part.text, part.reading) }
    window.removeFirst(parts.reduce(0) { $0 + $1.text.count })
  }

  /// Where results and refusals begin, but for those that begin inside of a result before them: what
  /// is there belongs to both.
  private static func starts(in reading: TextReading) -> [Int] {
    let pieces =
      reading.results.map { (range: $0.range, isResult: true) }
      + reading.refusals.map { (range: $0.range, isResult: false) }
    var starts: [Int] = []
    var covered = 0
    for piece in pieces.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      let start = piece.range.lowerBound
      if start >= covered, starts.last != start { starts.append(start) }
      if piece.isResult { covered = max(covered, piece.range.upperBound) }
    }
    return starts
  }

  /// Where the line of a quoted result begins, whose mark belongs to it; else the place itself.
  private static func lineStart(of place: Int, in text: [UInt8]) -> Int {
    let start = text[..<place].lastIndex { $0 == 0x0A || $0 == 0x0D }.map { $0 + 1 } ?? 0
    return text[start..<place].contains(UInt8(ascii: ">")) ? start : place
  }

  /// The parts of a text, each but the first from one start to the next.
  private static func parts(of text: [UInt8], at starts: [Int]) -> [[UInt8]] {
    let bounds = [0] + starts.dropFirst().filter { $0 > 0 && $0 < text.count } + [text.count]
    return zip(bounds, bounds.dropFirst()).map { Array(text[$0..<$1]) }
  }

  /// Where a window that goes on may be cut, the best place first: where its last results begin, or at
  /// the end of a line well before it ends.
  ///
  /// What is refused near the end of the window may be a result that goes on behind it.
  private func ends(after starts: [Int], in reading: TextReading) -> [Int] {
    let refused = Set(reading.refusals.map(\.range.lowerBound))
    let sure = window.count - Self.reserve
    let begun = starts.filter { $0 > 0 && ($0 < sure || !refused.contains($0)) }
    let lines = [1, 2, 4, 8].compactMap { count in
      window.dropLast(count * Self.reserve).lastIndex(of: 0x0A).map { $0 + 1 }
    }
    return Array(begun.suffix(Self.mostTries).reversed()) + lines
  }

  /// How many results may be held back to find a place to cut at.
  private static let mostTries = 4

  /// The parts with what is recognised in each; `nil` unless they have the results and refusals of
  /// the whole, in order.
  ///
  /// What identifies a result without a number is made of the words around it; those of a window that goes
  /// on are not all of them yet.
  private func read(_ parts: [[UInt8]], like whole: TextReading, isWhole: Bool) -> [Part]? {
    guard parts.count > 1 else { return parts.map { Part(text: $0, reading: whole) } }
    var pieces: [Part] = []
    var results: [GameResult] = []
    var refusals: [String] = []
    for part in parts {
      let reading = reader.read(part)
      pieces.append(Part(text: part, reading: reading))
      results += reading.results
      refusals += reading.refusals.map(\.cause)
    }
    func content(_ result: GameResult) -> GameResult {
      var result = result
      result.range = 0..<0
      if !isWhole { result.identity = String(result.identity.prefix { $0 != "#" }) }
      return result
    }
    let isAlike =
      results.map(content) == whole.results.map(content)
      && refusals == whole.refusals.map(\.cause)
    return isAlike ? pieces : nil
  }

  /// The end of the last line before those that are held back, so that neither a character nor a
  /// result is cut.
  ///
  /// Where no line ends before them, it is the end of the last line of all, or that of the bytes:
  /// it is never zero, so that reading goes on.
  private static func lastLineEnd(in bytes: [UInt8]) -> Int {
    let sooner = bytes.dropLast(reserve).lastIndex(of: 0x0A)
    return (sooner ?? bytes.lastIndex(of: 0x0A)).map { $0 + 1 } ?? bytes.count
  }

  private func give(_ bytes: [UInt8], _ reading: TextReading?) {
    let first = line
    line += bytes.count { $0 == 0x0A }
    guard bytes.contains(where: { $0 > 0x20 }) else { return }
    number += 1
    var entry = LegacyEntry(.text, text: bytes, place: .line(first), number: number)
    entry.reading = reading
    ready.append(.entry(entry))
  }
}
