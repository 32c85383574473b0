import Files

/// The records of an entity, one at a time, read in blocks.
package final class RecordStream {
  private let root: String
  private var rest: [PackageManifest.File]
  private var file: InputFile?
  private var name = ""
  private var buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0
  private var offset: Int64 = 0
  private var line = 0
  private var isAtEnd = true
  private var skipped: RecordPlace?

  private static let blockSize = 1 << 20
  /// The longest line that is read.
  private static let longestLine = 256 << 20

  init(root: String, files: [PackageManifest.File], after last: RecordPlace?) {
    self.root = root
    rest = files
    skipped = last
    buffer = .allocate(byteCount: Self.blockSize, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// The next record, or `nil` after the last.
  ///
  /// The bytes are valid until the next call.
  package func next() throws(PackageError) -> (line: UnsafeRawBufferPointer, place: RecordPlace)? {
    while true {
      guard let found = try nextLine() else { return nil }
      if let last = skipped {
        if found.place.offset <= last.offset { continue }
        skipped = nil
      }
      return found
    }
  }

  private func nextLine() throws(PackageError)
    -> (line: UnsafeRawBufferPointer, place: RecordPlace)?
  {
    var searched = 0
    while true {
      let window = UnsafeRawBufferPointer(rebasing: buffer[(start + searched)..<end])
      if let found = window.firstIndex(of: 0x0A) {
        return take(searched + found)
      }
      searched = end - start
      if isAtEnd {
        guard searched == 0 else {
          throw .damaged(path: "\(root)/\(name)", reason: "its last line has no end")
        }
        guard try openNext() else { return nil }
      }
      try fill()
    }
  }

  private func take(_ length: Int) -> (line: UnsafeRawBufferPointer, place: RecordPlace) {
    let bytes = UnsafeRawBufferPointer(rebasing: buffer[start..<start + length])
    line += 1
    let place = RecordPlace(file: name, offset: offset, length: length, line: line)
    start += length + 1
    offset += Int64(length + 1)
    return (bytes, place)
  }

  private func openNext() throws(PackageError) -> Bool {
    guard !rest.isEmpty else { return false }
    let next = rest.removeFirst()
    name = next.path
    if skipped?.file != next.path { skipped = nil }
    let opened = try files { () throws(FileError) in try InputFile("\(root)/\(next.path)") }
    let size = try files { () throws(FileError) in try opened.size() }
    guard size == next.size else {
      throw .damaged(
        path: "\(root)/\(name)",
        reason: "it has \(size) bytes and should have \(next.size)"
      )
    }
    file = consume opened
    (start, end, offset, line, isAtEnd) = (0, 0, 0, 0, false)
    return true
  }

  /// Moves what is left to the front and reads the next block behind it.
  private func fill() throws(PackageError) {
    let left = end - start
    if start > 0 {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
      (start, end) = (0, left)
    }
    if left == buffer.count {
      guard left < Self.longestLine else {
        throw .damaged(path: "\(root)/\(name)", reason: "line \(line + 1) is too long")
      }
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: buffer.count * 2,
        alignment: 16
      )
      larger.copyMemory(from: UnsafeRawBufferPointer(buffer))
      buffer.deallocate()
      buffer = larger
    }
    let room = UnsafeMutableRawBufferPointer(rebasing: buffer[end...])
    let count = try files { () throws(FileError) in try file?.read(into: room) ?? 0 }
    end += count
    if count < room.count { isAtEnd = true }
  }
}
