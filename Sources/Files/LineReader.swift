#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The lines of a file, one at a time, read in blocks.
///
/// Memory follows the longest line. A line ends with a line feed, which is not part of it.
@safe
package final class LineReader {
  /// Why a line could not be given.
  package enum Failure: Error, Hashable, Sendable {
    case file(FileError)
    /// The line, counted from one, is longer than it may be.
    case tooLong(line: Int)
  }

  /// One line, whose bytes are valid until the next call.
  @safe
  package struct Line {
    package let bytes: UnsafeRawBufferPointer
    /// How many bytes of the file lie before it.
    package let offset: Int64
    /// Its number, counted from one.
    package let number: Int
    /// Whether a line feed ends it, which only the last line may lack.
    package let isEnded: Bool
  }

  /// Whole lines as they lie in the file, whose bytes are valid until the next call.
  @safe
  package struct Block {
    package let bytes: UnsafeRawBufferPointer
    /// How many bytes of the file lie before it.
    package let offset: Int64
    /// The number of its first line, counted from one.
    package let number: Int
    /// Whether a line feed ends the last line, which only the last block may lack.
    package let isEnded: Bool
  }

  /// Whole lines as they lie in the file, in memory of their own.
  package struct OwnBlock: Sendable {
    package let bytes: [UInt8]
    /// How many bytes of the file lie before it.
    package let offset: Int64
    /// The number of its first line, counted from one.
    package let number: Int
    /// Whether a line feed ends the last line, which only the last block may lack.
    package let isEnded: Bool
  }

  private var file: InputFile
  private var buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0
  private var offset: Int64 = 0
  private var number = 0
  private var isAtEnd = false
  /// How many bytes a line may have.
  package let longest: Int

  private static let blockSize = 1 << 20
  /// How many bytes a line may have, where nothing else is said.
  package static let longestLine = 256 << 20

  /// Reads from where the file is.
  ///
  /// - Parameters:
  ///   - file: The file, which the reader closes.
  ///   - longest: How many bytes a line may have.
  package init(_ file: consuming InputFile, longest: Int = longestLine) {
    self.file = file
    self.longest = longest
    unsafe buffer = unsafe Self.target(Self.blockSize)
  }

  deinit { unsafe free(buffer.baseAddress) }

  /// A buffer of so many bytes, with what `old` holds; the system moves the pages of a large one.
  private static func target(
    _ size: Int,
    in old: UnsafeMutableRawBufferPointer? = nil
  ) -> UnsafeMutableRawBufferPointer {
    guard let start = unsafe realloc(old?.baseAddress, size) else {
      fatalError("the system has no memory for a line of \(size) bytes")
    }
    return unsafe UnsafeMutableRawBufferPointer(start: start, count: size)
  }

  /// The next line, or `nil` after the last.
  package func next() throws(Failure) -> Line? {
    var searched = 0
    while true {
      let window = unsafe UnsafeRawBufferPointer(rebasing: buffer[(start + searched)..<end])
      if let found = unsafe Self.lineFeed(in: window) {
        return take(searched + found, isEnded: true)
      }
      searched = end - start
      if isAtEnd { return searched == 0 ? nil : take(searched, isEnded: false) }
      try fill()
    }
  }

  /// The next line in memory of its own, without its end; `nil` after the last.
  ///
  /// One that is longer than a block is read straight into that memory.
  package func take() throws(Failure) -> OwnBlock? {
    while !isAtEnd, end - start < Self.blockSize, !holdsLineFeed { try fill() }
    if let line = try takeLongLine(withEnd: false) { return line }
    return try next().map { line in
      OwnBlock(
        bytes: unsafe Array(line.bytes),
        offset: line.offset,
        number: line.number,
        isEnded: line.isEnded
      )
    }
  }

  private var holdsLineFeed: Bool {
    let window = unsafe UnsafeRawBufferPointer(rebasing: buffer[start..<end])
    return unsafe Self.lineFeed(in: window) != nil
  }

  /// As many whole lines as one reading of the file gives, at least one; `nil` after the last.
  package func nextBlock() throws(Failure) -> Block? {
    while true {
      let window = unsafe UnsafeRawBufferPointer(rebasing: buffer[start..<end])
      if let last = unsafe window.lastIndex(of: 0x0A) {
        let full = window.count
        // A reading of the file that ended early is made good before the lines are given.
        if full >= Self.blockSize / 2 || isAtEnd { return block(last + 1, isEnded: true) }
      } else if isAtEnd {
        return window.count == 0 ? nil : block(window.count, isEnded: false)
      }
      try fill()
    }
  }

  /// As ``nextBlock()``, in memory that is the caller's; the file is read straight into it.
  ///
  /// - Parameter spare: The memory of a block that is done with, to be used again; it is taken.
  /// - Returns: `nil` after the last.
  /// - Throws: ``Failure`` for a file that cannot be read, and for a line that is too long.
  package func takeBlock(reusing spare: inout [UInt8]) throws(Failure) -> OwnBlock? {
    let place = (offset: offset, number: number + 1)
    var bytes: [UInt8] = []
    swap(&bytes, &spare)
    // A long line's memory is not kept for short ones.
    if bytes.count > Self.blockSize { bytes = [] }
    try readLines(into: &bytes)
    if bytes.isEmpty {
      if let line = try takeLongLine(withEnd: true) { return line }
      // The end, or a line longer than a block in a pipe.
      return try nextBlock().map { block in
        OwnBlock(
          bytes: unsafe Array(block.bytes),
          offset: block.offset,
          number: block.number,
          isEnded: block.isEnded
        )
      }
    }
    let isEnded = bytes.last == 0x0A
    unsafe bytes.withUnsafeBytes { unsafe passOver($0, isEnded: isEnded) }
    return OwnBlock(bytes: bytes, offset: place.offset, number: place.number, isEnded: isEnded)
  }

  /// The line that begins with what was read and not given, held once; `nil` at the end, and where the file
  /// cannot be read again.
  private func takeLongLine(withEnd: Bool) throws(Failure) -> OwnBlock? {
    guard !isAtEnd, !holdsLineFeed, file.move(by: 0) else { return nil }
    let held = end - start
    let (rest, isEnded) = try lengthOfRest(behind: held)
    let left = isEnded && !withEnd ? rest.length - 1 : rest.length
    guard file.move(by: -rest.read) else { return nil }
    var failure: FileError?
    let line = unsafe [UInt8](unsafeUninitializedCapacity: held + left) { bytes, count in
      let target = UnsafeMutableRawBufferPointer(bytes)
      unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
      do throws(FileError) {
        unsafe try file.fill(
          UnsafeMutableRawBufferPointer(rebasing: target[held..<(held + left)])
        )
        count = held + left
      } catch {
        failure = error
      }
    }
    if let failure { throw .file(failure) }
    _ = file.move(by: rest.length - left)
    (start, end) = (0, 0)
    number += 1
    defer { offset += Int64(held + rest.length) }
    return OwnBlock(bytes: line, offset: offset, number: number, isEnded: isEnded)
  }

  /// How many bytes the file has to the end of the line, its line feed included, and how many were read for
  /// that; whether the line has an end.
  private func lengthOfRest(
    behind held: Int
  ) throws(Failure) -> ((length: Int, read: Int), isEnded: Bool) {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { unsafe piece.deallocate() }
    var read = 0
    do throws(FileError) {
      while held + read <= longest {
        let count = unsafe try file.read(into: piece)
        let window = unsafe UnsafeRawBufferPointer(rebasing: piece[..<count])
        if let found = unsafe Self.lineFeed(in: window) {
          return ((read + found + 1, read + count), true)
        }
        read += count
        if count < piece.count { return ((read, read), false) }
      }
    } catch {
      throw .file(error)
    }
    throw .tooLong(line: number + 1)
  }

  /// What was read and not given, and one reading of the file behind it, up to the last line's end.
  ///
  /// Nothing where no line ends there. What is left over stays to be given.
  private func readLines(into bytes: inout [UInt8]) throws(Failure) {
    guard !isAtEnd, end - start < Self.blockSize else { return bytes = [] }
    bytes += [UInt8](repeating: 0, count: max(0, Self.blockSize - bytes.count))
    let count: Int
    do throws(FileError) {
      count = unsafe try bytes.withUnsafeMutableBufferPointer { typed throws(FileError) in
        let target = UnsafeMutableRawBufferPointer(typed)
        let left = end - start
        unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: target[left..<Self.blockSize])
        let filled = unsafe try file.read(into: rest)
        isAtEnd = filled < rest.count
        let window = unsafe UnsafeRawBufferPointer(rebasing: target[..<(left + filled)])
        let last = unsafe window.lastIndex(of: 0x0A)
        let count = last.map { $0 + 1 } ?? (isAtEnd ? window.count : 0)
        let over = unsafe UnsafeRawBufferPointer(rebasing: window[count...])
        unsafe buffer.copyMemory(from: over)
        (start, end) = (0, over.count)
        return count
      }
    } catch {
      throw .file(error)
    }
    bytes.removeLast(bytes.count - count)
  }

  private func block(_ length: Int, isEnded: Bool) -> Block {
    let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[start..<start + length])
    let block = unsafe Block(bytes: bytes, offset: offset, number: number + 1, isEnded: isEnded)
    unsafe passOver(bytes, isEnded: isEnded)
    start += length
    return block
  }

  /// Counts the bytes and lines that are given.
  private func passOver(_ bytes: UnsafeRawBufferPointer, isEnded: Bool) {
    number += unsafe Self.lineFeedCount(in: bytes) + (isEnded ? 0 : 1)
    offset += Int64(bytes.count)
  }

  /// Calls `body` with the next line and leaves it to be read.
  package func peek<Answer>(_ body: (Line?) -> Answer) throws(Failure) -> Answer {
    let line = try next()
    let answer = body(line)
    if let line {
      start -= unsafe line.bytes.count + (line.isEnded ? 1 : 0)
      offset = line.offset
      number -= 1
    }
    return answer
  }

  private static func lineFeedCount(in bytes: UnsafeRawBufferPointer) -> Int {
    var count = 0
    var rest = unsafe bytes
    while let place = unsafe lineFeed(in: rest) {
      count += 1
      unsafe rest = UnsafeRawBufferPointer(rebasing: rest[(place + 1)...])
    }
    return count
  }

  /// The place of the first line feed, or `nil`.
  package static func lineFeed(in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress, bytes.count > 0,
      let found = unsafe memchr(base, 0x0A, bytes.count)
    else { return nil }
    return unsafe UnsafeRawPointer(found) - base
  }

  private func take(_ length: Int, isEnded: Bool) -> Line {
    let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[start..<start + length])
    number += 1
    let line = unsafe Line(bytes: bytes, offset: offset, number: number, isEnded: isEnded)
    start += length + (isEnded ? 1 : 0)
    offset += Int64(length + (isEnded ? 1 : 0))
    return line
  }

  /// Moves what is left to the front and reads the next block behind it.
  private func fill() throws(Failure) {
    let left = end - start
    if start > 0 {
      unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
      (start, end) = (0, left)
    }
    if unsafe left == buffer.count {
      // One more, for the line feed.
      guard left <= longest else { throw .tooLong(line: number + 1) }
      unsafe buffer = unsafe Self.target(min(left * 2, longest + 1), in: buffer)
    }
    let target = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[end...])
    let count: Int
    do throws(FileError) {
      count = unsafe try file.read(into: target)
    } catch {
      throw .file(error)
    }
    end += count
    if count < target.count { isAtEnd = true }
  }
}
