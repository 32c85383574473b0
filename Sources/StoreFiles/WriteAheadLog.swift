package import Files

/// What the write-ahead log of a store holds.
///
/// https://sqlite.org/fileformat2.html#the_write_ahead_log
package struct WriteAheadLog: Hashable, Sendable {
  package let byteCount: Int64
  /// Frames that fit into the file, whether or not they count.
  package let frameCount: Int
  /// Frames whose salts and running checksum are right, from the first on.
  package let validFrameCount: Int
  /// Valid frames up to the last one that ends a transaction: what SQLite will show.
  package let committedFrameCount: Int
  /// The size of its pages in bytes; zero when the header is not sound.
  package let pageSize: Int

  /// Reads and checks the whole log.
  package init(of path: String) throws(FileError) {
    var file = try InputFile(path, followsLinks: false)
    byteCount = try file.size()
    var header = [UInt8](repeating: 0, count: Self.headerSize)
    guard try Self.fill(&header, from: &file), let start = Header(header) else {
      (frameCount, validFrameCount, committedFrameCount, pageSize) = (0, 0, 0, 0)
      return
    }
    pageSize = start.pageSize
    var frame = [UInt8](repeating: 0, count: Self.frameHeaderSize + start.pageSize)
    frameCount = Int((byteCount - Int64(Self.headerSize)) / Int64(frame.count))
    var sums = start.sums
    var valid = 0
    var committed = 0
    while valid < frameCount, try Self.fill(&frame, from: &file) {
      guard frame[8..<16] == header[16..<24] else { break }
      sums.add(frame[0..<8], isBigEndian: start.isBigEndian)
      sums.add(frame[Self.frameHeaderSize...], isBigEndian: start.isBigEndian)
      guard sums.match(frame[16..<24]) else { break }
      valid += 1
      if bigEndian(frame, at: 4) != 0 { committed = valid }
    }
    (validFrameCount, committedFrameCount) = (valid, committed)
  }

  /// Whether a page that counts in the log at `path` is another in the database, or not in it.
  package func changes(_ database: String, from path: String) throws(FileError) -> Bool {
    let log = try InputFile(path, followsLinks: false)
    let main = try InputFile(database, followsLinks: false)
    let size = try main.size()
    for (page, place) in try lastFrames(of: log) {
      let end = Int64(page) * Int64(pageSize)
      let bytes = try log.bytes(at: place, count: pageSize)
      guard end <= size, try main.bytes(at: end - Int64(pageSize), count: pageSize) == bytes else {
        return true
      }
    }
    return false
  }

  /// Where the last content of each page begins that counts.
  private func lastFrames(of log: borrowing InputFile) throws(FileError) -> [UInt32: Int64] {
    let step = Int64(Self.frameHeaderSize + pageSize)
    var frames: [UInt32: Int64] = [:]
    for index in 0..<Int64(committedFrameCount) {
      let place = Int64(Self.headerSize) + index * step
      let page = bigEndian(try log.bytes(at: place, count: 4), at: 0)
      if page > 0 { frames[page] = place + Int64(Self.frameHeaderSize) }
    }
    return frames
  }

  static let headerSize = 32
  static let frameHeaderSize = 24

  private static func fill(
    _ buffer: inout [UInt8],
    from file: inout InputFile
  ) throws(FileError) -> Bool {
    var failure: FileError?
    var count = 0
    unsafe buffer.withUnsafeMutableBytes { bytes in
      do throws(FileError) {
        count = unsafe try file.read(into: bytes)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return count == buffer.count
  }
}

extension WriteAheadLog {
  /// The first 32 bytes of a log, when they are sound.
  private struct Header {
    let pageSize: Int
    let isBigEndian: Bool
    let sums: Checksum

    init?(_ bytes: [UInt8]) {
      let magic = bigEndian(bytes, at: 0)
      let size = Int(bigEndian(bytes, at: 8))
      guard magic & 0xFFFF_FFFE == 0x377F_0682, bigEndian(bytes, at: 4) == 3_007_000,
        (512...65_536).contains(size), size & (size - 1) == 0
      else { return nil }
      isBigEndian = magic & 1 == 1
      var sums = Checksum()
      sums.add(bytes[0..<24], isBigEndian: isBigEndian)
      guard sums.match(bytes[24..<32]) else { return nil }
      self.sums = sums
      pageSize = size
    }
  }

  /// The log's running checksum.
  private struct Checksum {
    private var first: UInt32 = 0
    private var second: UInt32 = 0

    mutating func add(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) {
      var (first, second) = (first, second)
      unsafe bytes.withUnsafeBytes { raw in
        var place = 0
        while place + 8 <= raw.count {
          let one = unsafe raw.loadUnaligned(fromByteOffset: place, as: UInt32.self)
          let two = unsafe raw.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
          first &+= (isBigEndian ? one.bigEndian : one.littleEndian) &+ second
          second &+= (isBigEndian ? two.bigEndian : two.littleEndian) &+ first
          place += 8
        }
      }
      (self.first, self.second) = (first, second)
    }

    func match(_ bytes: ArraySlice<UInt8>) -> Bool {
      let stored = Array(bytes)
      return bigEndian(stored, at: 0) == first && bigEndian(stored, at: 4) == second
    }
  }
}

/// The 32-bit number at `place`, the most significant byte first.
private func bigEndian(_ bytes: [UInt8], at place: Int) -> UInt32 {
  UInt32(bytes[place]) << 24 | UInt32(bytes[place + 1]) << 16 | UInt32(bytes[place + 2]) << 8
    | UInt32(bytes[place + 3])
}
