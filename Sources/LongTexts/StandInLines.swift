package import Files

/// The lines of a data file, one at a time, with a stand-in for each long text.
///
/// Memory does not follow a line whose length is that of its texts. Lines that are taken together are held as they
/// are, with texts that would be long ones in a line alone.
package final class StandInLines {
  package struct Line {
    package let bytes: [UInt8]
    /// How many bytes of the file lie before it, and how many it has there, without its end.
    package let offset: Int64
    package let length: Int
    /// Its number, counted from one.
    package let number: Int
    package let isEnded: Bool
  }

  private var file: InputFile
  private let source: FileSource
  private let texts: LongTexts
  /// How many bytes a line may have with its stand-ins.
  private let mostHeld: Int
  private let buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0
  private var offset: Int64 = 0
  private var number = 0
  private var isAtEnd = false
  /// Whether what was read may have a text that needs a stand-in however short it is.
  private var isMarked = false

  /// Begins to read a file that was opened from its source.
  package init(
    _ file: consuming InputFile,
    of source: FileSource,
    _ texts: LongTexts,
    holding mostHeld: Int = LineReader.longestLine
  ) {
    self.file = file
    self.source = source
    self.mostHeld = mostHeld
    self.texts = texts
    buffer = .allocate(byteCount: 1 << 20, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// The next line, or `nil` after the last.
  package func take() throws(LineReader.Failure) -> Line? { try take(withEnd: false) }

  private func take(withEnd: Bool) throws(LineReader.Failure) -> Line? {
    while true {
      let window = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
      if let found = LineReader.lineFeed(in: window) {
        let line = UnsafeRawBufferPointer(rebasing: window[..<found])
        return try short(line, isEnded: true, withEnd: withEnd)
      }
      if isAtEnd {
        return window.isEmpty ? nil : try short(window, isEnded: false, withEnd: withEnd)
      }
      if window.count == buffer.count { return try long(withEnd: withEnd) }
      try fill()
    }
  }

  /// The next lines as they lie together, each with its end, or one alone that has stand-ins; `nil` after the
  /// last.
  package func takeBlock() throws(LineReader.Failure) -> Line? {
    if end - start < buffer.count / 2, !isAtEnd { try fill() }
    let window = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
    guard !isMarked, let last = window.lastIndex(of: 0x0A) else {
      return try take(withEnd: true)
    }
    let bytes = Array(window[...last])
    let block = Line(
      bytes: bytes,
      offset: offset,
      length: bytes.count,
      number: number + 1,
      isEnded: true
    )
    number += bytes.count { $0 == 0x0A }
    offset += Int64(bytes.count)
    start += bytes.count
    return block
  }

  private func short(
    _ bytes: UnsafeRawBufferPointer,
    isEnded: Bool,
    withEnd: Bool
  ) throws(LineReader.Failure) -> Line {
    var line = Array(bytes)
    if isMarked || line.count > LongText.mostHeld {
      do throws(FileError) {
        line = try texts.standingIn(line, lineOf: source, at: offset)
      } catch {
        throw .file(error)
      }
    }
    start += bytes.count + (isEnded ? 1 : 0)
    return passed(line, bytes.count, isEnded: isEnded, withEnd: withEnd)
  }

  /// The line that fills all of what is read at once, and goes on behind it.
  private func long(withEnd: Bool) throws(LineReader.Failure) -> Line {
    var filter = LongTextFilter(texts, .inFile(source), from: offset)
    var length = 0
    while true {
      let window = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
      let found = LineReader.lineFeed(in: window)
      let part = UnsafeRawBufferPointer(rebasing: window[..<(found ?? window.count)])
      do throws(FileError) { try filter.take(part) } catch { throw .file(error) }
      length += part.count
      start += part.count
      if found != nil || isAtEnd {
        start += found == nil ? 0 : 1
        return passed(filter.finished(), length, isEnded: found != nil, withEnd: withEnd)
      }
      guard length <= LineReader.longestLine, filter.output.count <= mostHeld else {
        throw .tooLong(line: number + 1)
      }
      try fill()
    }
  }

  private func passed(
    _ bytes: consuming [UInt8],
    _ length: Int,
    isEnded: Bool,
    withEnd: Bool
  ) -> Line {
    let end = isEnded ? 1 : 0
    if isEnded, withEnd { bytes.append(0x0A) }
    number += 1
    defer { offset += Int64(length + end) }
    return Line(
      bytes: bytes,
      offset: offset,
      length: withEnd ? length + end : length,
      number: number,
      isEnded: isEnded
    )
  }

  /// Moves what is left to the front and reads what comes next behind it.
  private func fill() throws(LineReader.Failure) {
    let left = end - start
    if start > 0 {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
      (start, end) = (0, left)
    }
    let space = UnsafeMutableRawBufferPointer(rebasing: buffer[end...])
    let count: Int
    do throws(FileError) { count = try file.read(into: space) } catch { throw .file(error) }
    end += count
    isAtEnd = count < space.count
    isMarked = LongText.mayBeIn(UnsafeRawBufferPointer(rebasing: buffer[..<end]))
  }
}
