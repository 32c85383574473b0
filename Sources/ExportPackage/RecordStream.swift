import Files
import LongTexts

/// The records of an entity, one at a time, read in blocks.
package final class RecordStream {
  private let storage: PackageStorage
  private var rest: [PackageManifest.File]
  private var lines: LineReader?
  private var name = ""
  private var skipped: RecordPlace?
  /// Where long texts are noted; `nil` where lines are given whole.
  private let texts: LongTexts?
  /// The lines of the file with stand-ins, where that is wanted.
  private var shortLines: StandInLines?
  /// The last line that was lent with stand-ins.
  private var lent: LentLine?

  init(
    _ storage: PackageStorage,
    files: [PackageManifest.File],
    after last: RecordPlace?,
    texts: LongTexts? = nil
  ) {
    self.storage = storage
    rest = files
    skipped = last
    self.texts = texts
  }

  /// The next record, or `nil` after the last.
  ///
  /// The bytes are valid until the next call.
  package func next() throws(PackageError) -> (line: UnsafeRawBufferPointer, place: RecordPlace)? {
    if texts != nil { return try nextLent() }
    while true {
      guard let found = try nextLine() else { return nil }
      if let last = skipped {
        if found.place.offset <= last.offset { continue }
        skipped = nil
      }
      return found
    }
  }

  /// The same in memory of its own.
  package func take() throws(PackageError) -> (line: [UInt8], place: RecordPlace)? {
    if texts != nil { return try takeShort() }
    while true {
      if let line = try reading({ () throws(LineReader.Failure) in try lines?.take() }) {
        let place = try place(of: line)
        if let last = skipped {
          if place.offset <= last.offset { continue }
          skipped = nil
        }
        return (line.bytes, place)
      }
      guard try openNext() else { return nil }
    }
  }

  /// The next record with a stand-in for each long text.
  private func takeShort() throws(PackageError) -> (line: [UInt8], place: RecordPlace)? {
    while true {
      if let line = try reading({ () throws(LineReader.Failure) in try shortLines?.take() }) {
        guard line.isEnded else { throw endless }
        if let last = skipped {
          if line.offset <= last.offset { continue }
          skipped = nil
        }
        let place = RecordPlace(
          file: name,
          offset: line.offset,
          length: line.length,
          line: line.number
        )
        return (line.bytes, place)
      }
      guard try openNext() else { return nil }
    }
  }

  /// The same, lent until the next call.
  private func nextLent() throws(PackageError) -> (
    line: UnsafeRawBufferPointer, place: RecordPlace
  )? {
    lent = nil
    guard let (line, place) = try takeShort() else { return nil }
    let lent = LentLine(line)
    self.lent = lent
    return (lent.lent, place)
  }

  private var endless: PackageError {
    .damaged(path: "\(storage.root)/\(name)", reason: "its last line has no end")
  }

  private func place(of line: LineReader.OwnBlock) throws(PackageError) -> RecordPlace {
    guard line.isEnded else {
      throw .damaged(path: "\(storage.root)/\(name)", reason: "its last line has no end")
    }
    return RecordPlace(
      file: name,
      offset: line.offset,
      length: line.bytes.count,
      line: line.number
    )
  }

  /// Many records together, in order.
  package struct Block: Sendable {
    /// Their lines, each with its end.
    package let bytes: [UInt8]
    package let file: String
    /// How many bytes of the file lie before the first.
    package let offset: Int64
    /// The number of the first line, counted from one.
    package let line: Int
    /// How many bytes of the file it is.
    package let length: Int

    package init(bytes: [UInt8], file: String, offset: Int64, line: Int, length: Int? = nil) {
      self.bytes = bytes
      self.file = file
      self.offset = offset
      self.line = line
      self.length = length ?? bytes.count
    }

    /// The place of its one line where that has stand-ins for its long texts; else `nil`.
    package var shortenedLine: RecordPlace? {
      guard length != bytes.count else { return nil }
      return RecordPlace(file: file, offset: offset, length: length - 1, line: line)
    }
  }

  /// The next records as they lie together in their file, or `nil` after the last.
  ///
  /// Not for a stream that begins in the middle.
  package func nextBlock() throws(PackageError) -> Block? {
    precondition(skipped == nil, "a stream from the middle has no whole blocks")
    while true {
      if let block = try reading({ () throws(LineReader.Failure) in try shortLines?.takeBlock() }) {
        guard block.isEnded else { throw endless }
        return Block(
          bytes: block.bytes,
          file: name,
          offset: block.offset,
          line: block.number,
          length: block.length
        )
      }
      if let block = try readBlock() {
        guard block.isEnded else {
          throw .damaged(path: "\(storage.root)/\(name)", reason: "its last line has no end")
        }
        return Block(bytes: block.bytes, file: name, offset: block.offset, line: block.number)
      }
      guard try openNext() else { return nil }
    }
  }

  private func readBlock() throws(PackageError) -> LineReader.OwnBlock? {
    var memory: [UInt8] = []
    return try reading { () throws(LineReader.Failure) in try lines?.takeBlock(reusing: &memory) }
  }

  private func nextLine() throws(PackageError)
    -> (line: UnsafeRawBufferPointer, place: RecordPlace)?
  {
    while true {
      if let line = try readLine() {
        guard line.isEnded else {
          throw .damaged(path: "\(storage.root)/\(name)", reason: "its last line has no end")
        }
        let place = RecordPlace(
          file: name,
          offset: line.offset,
          length: line.bytes.count,
          line: line.number
        )
        return (line.bytes, place)
      }
      guard try openNext() else { return nil }
    }
  }

  private func readLine() throws(PackageError) -> LineReader.Line? {
    try reading { () throws(LineReader.Failure) in try lines?.next() }
  }

  private func reading<Answer>(
    _ body: () throws(LineReader.Failure) -> Answer
  ) throws(PackageError) -> Answer {
    do throws(LineReader.Failure) {
      return try body()
    } catch {
      switch error {
      case .file(let error): throw PackageError(error)
      case .tooLong(let line):
        throw .damaged(path: "\(storage.root)/\(name)", reason: "line \(line) is too long")
      }
    }
  }

  private func openNext() throws(PackageError) -> Bool {
    guard !rest.isEmpty else { return false }
    let next = rest.removeFirst()
    name = next.path
    if skipped?.file != next.path { skipped = nil }
    let opened = try files(storage.source(next.path).open())
    let size = try files(opened.size())
    guard size == next.size else {
      throw .damaged(
        path: "\(storage.root)/\(name)",
        reason: "it has \(size) bytes and should have \(next.size)"
      )
    }
    guard let texts else {
      lines = LineReader(opened)
      return true
    }
    shortLines = StandInLines(opened, of: storage.source(next.path), texts)
    return true
  }
}

/// A line that is lent for as long as its owner has it.
///
/// The memory of an array stays where it is for as long as it has an owner that does not change it.
private final class LentLine {
  private let bytes: [UInt8]
  let lent: UnsafeRawBufferPointer

  init(_ line: [UInt8]) {
    bytes = line
    lent = line.withUnsafeBytes { $0 }
  }
}
