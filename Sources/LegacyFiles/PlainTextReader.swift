import Files
import ResultText

/// Gives the results of a plain text, one text each.
///
/// The text is cut where results begin, and only where the parts read as the whole does; what
/// stands between results stays with the one before. A text of any length is read in windows, whose
/// last result is read again with what follows; of a window without one, its last lines are.
final class PlainTextReader: LegacyReader {
  private var file: InputFile
  private let name: String
  private var reader: ResultReader
  private var window: [UInt8] = []
  private var isAtEnd = false
  private var line = 1
  private var number = 0
  private var ready: [LegacyItem] = []

  /// How many bytes are looked at together.
  static let windowSize = ResultReader.longestText

  /// How many bytes at the end of a window may belong to a result that goes on behind it.
  private static let heldBack = 4 << 10

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
    var starts = reading.results.map(\.range.lowerBound) + reading.refusals.map(\.range.lowerBound)
    starts = Set(starts).sorted()
    var end = window.count
    if !isAtEnd {
      let last = starts.last ?? 0
      end = last > 0 ? last : Self.lastLineEnd(in: window)
      starts.removeAll { $0 >= end }
    }
    let bounds = [0] + starts.dropFirst() + [end]
    let parts = zip(bounds, bounds.dropFirst()).map { Array(window[$0..<$1]) }
    let isSame = isAtEnd && reads(parts, like: reading) || !isAtEnd
    for part in isSame ? parts : [Array(window[..<end])] { give(part) }
    window.removeFirst(end)
  }

  /// Whether the parts have the results and refusals of the whole, in order.
  private func reads(_ parts: [[UInt8]], like whole: TextReading) -> Bool {
    guard parts.count > 1 else { return true }
    var results: [String] = []
    var refusals: [String] = []
    for part in parts {
      let reading = reader.read(part)
      results += reading.results.map(\.identity)
      refusals += reading.refusals.map(\.cause)
    }
    return results == whole.results.map(\.identity) && refusals == whole.refusals.map(\.cause)
  }

  /// The end of the last line before those that are held back, so that neither a character nor a
  /// result is cut.
  ///
  /// Where no line ends before them, it is the end of the last line of all, or that of the bytes:
  /// it is never zero, so that reading goes on.
  private static func lastLineEnd(in bytes: [UInt8]) -> Int {
    let sooner = bytes.dropLast(heldBack).lastIndex(of: 0x0A)
    return (sooner ?? bytes.lastIndex(of: 0x0A)).map { $0 + 1 } ?? bytes.count
  }

  private func give(_ bytes: [UInt8]) {
    let first = line
    line += bytes.count { $0 == 0x0A }
    guard bytes.contains(where: { $0 > 0x20 }) else { return }
    number += 1
    ready.append(
      .entry(LegacyEntry(.text, text: bytes, place: .line(first), number: number))
    )
  }
}
