import CCheckedPages
package import Files

/// Looks whether the log that a killed run left beside its database still holds all of it.
///
/// SQLite takes in what agrees with its checksums, up to the first frame that does not, and forgets the
/// rest: that is how a commit ends which a power cut tore. A byte that changed by itself would so
/// roll back commits whose requests have long left. The two are distinguished by what follows. A commit is
/// on the disk before the next begins, so a torn one is the last. Where a frame does not agree and a
/// commit after it was followed by another, the log was whole once.
///
/// The last commit of a log cannot be distinguished from a torn one.
///
/// <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>
package struct LogCheck: ~Copyable {
  private static let headerSize = 32
  private static let frameHeaderSize = 24

  private let header: [UInt8]
  private let isBigEndian: Int32
  private let pageSize: Int
  private var file: InputFile

  /// Where the log beside a database does not agree though it did once; `nil` where it is whole, or torn
  /// at its end.
  ///
  /// A log without its file is no one's.
  package static func damage(beside path: String) throws(FileError) -> Int? {
    let log = path + "-wal"
    guard try isWritten(beside: path), InputFile.isPresent(path), try InputFile(path).size() > 0,
      let place = try whileThere(log, { () throws(FileError) in try damage(in: log) }) ?? nil,
      // A run that writes meanwhile is further by now, or at its end.
      try whileThere(log, { () throws(FileError) in try damage(in: log) }) == place
    else { return nil }
    return place
  }

  /// Whether a log with something in it lies beside a database.
  ///
  /// A power cut amid the making of a database may leave an empty one, and SQLite's journal with it.
  package static func isWritten(beside path: String) throws(FileError) -> Bool {
    let log = path + "-wal"
    return try whileThere(log) { () throws(FileError) in try InputFile(log).size() > 0 } ?? false
  }

  /// The numbers of the pages that are in the commits of the log beside a database; none where there is no
  /// log, or no more.
  package static func pages(beside path: String) throws(FileError) -> Set<Int> {
    let log = path + "-wal"
    let found = try whileThere(log) { () throws(FileError) in try places(in: log) }
    return Set((found ?? [:]).keys)
  }

  /// The header of the file as the last commit in the log beside a database has it that wrote the
  /// first page; `nil` where none did.
  package static func firstHeader(beside path: String) throws(FileError) -> [UInt8]? {
    let log = path + "-wal"
    return try whileThere(log) { () throws(FileError) -> [UInt8]? in
      guard let place = try places(in: log)[1] else { return nil }
      return try InputFile(log).bytes(at: place, count: CheckedPages.headerSize)
    } ?? nil
  }

  /// Where in a log the pages begin that are in its commits, by their numbers; the last of each.
  private static func places(in log: String) throws(FileError) -> [Int: Int64] {
    var file = try InputFile(log)
    let header = try file.bytes(upTo: headerSize)
    guard header.count == headerSize else { return [:] }
    let pageSize = Int(word(header, 8))
    guard (512...65_536).contains(pageSize) else { return [:] }
    var committed: [Int: Int64] = [:]
    var waiting: [Int: Int64] = [:]
    var place = Int64(headerSize)
    while true {
      let frame = try file.bytes(upTo: frameHeaderSize + pageSize)
      guard frame.count == frameHeaderSize + pageSize, frame[8..<16] == header[16..<24] else {
        return committed
      }
      waiting[Int(word(frame, 0))] = place + Int64(frameHeaderSize)
      if word(frame, 4) != 0 {
        committed.merge(waiting) { _, last in last }
        waiting = [:]
      }
      place += Int64(frame.count)
    }
  }

  /// What `body` gives of a log; `nil` if it does not exist, or a run that ends has taken it away.
  private static func whileThere<Value>(
    _ log: String,
    _ body: () throws(FileError) -> Value
  ) throws(FileError) -> Value? {
    guard InputFile.isPresent(log) else { return nil }
    do throws(FileError) {
      return try body()
    } catch {
      guard InputFile.isPresent(log) else { return nil }
      throw error
    }
  }

  /// Where the log does not agree though it did once; `nil` where it is whole, or torn at its end.
  private static func damage(in log: String) throws(FileError) -> Int? {
    var file = try InputFile(log)
    let header = try file.bytes(upTo: headerSize)
    guard header.count == headerSize, header.contains(where: { $0 != 0 }) else { return nil }
    var sums: [UInt32] = [0, 0]
    let isBigEndian: Int32 = header[3] & 1 == 1 ? 1 : 0
    add(header[..<24], to: &sums, isBigEndian)
    guard sums == [word(header, 24), word(header, 28)], word(header, 0) >> 1 == 0x377F_0682 >> 1
    else {
      // The head is one write within a sector; before a new one the frames of the old are of no use.
      let frame = try file.bytes(upTo: frameHeaderSize)
      guard frame.count == frameHeaderSize else { return nil }
      return zip(header[16..<24], frame[8..<16]).count(where: { $0 != $1 }) <= 1 ? 0 : nil
    }
    let pageSize = Int(word(header, 8))
    var check = LogCheck(
      header: header,
      isBigEndian: isBigEndian,
      pageSize: pageSize,
      file: file
    )
    return try check.damage(after: sums)
  }

  /// Goes from frame to frame.
  private mutating func damage(after start: [UInt32]) throws(FileError) -> Int? {
    /// The sums to go on from: what the frame before says, and what it comes to.
    var before = [start]
    /// The first frame that did not agree, and whether a commit ended after it.
    var first: Int?
    var hasEnded = false
    /// Whether that frame may fill up the commit before it, and so do all since.
    var fillsUp = false
    /// How many commits were filled up so far, and how many were not.
    var filledCount = 0
    var plainCount = 0
    let bodyStart = Self.frameHeaderSize
    var last = [UInt8](repeating: 0, count: bodyStart)
    var place = Self.headerSize
    while true {
      let frame = try file.bytes(upTo: Self.frameHeaderSize + pageSize)
      guard frame.count == Self.frameHeaderSize + pageSize else { return nil }
      let isOurs = frame[8..<16] == header[16..<24]
      let said = [Self.word(frame, 16), Self.word(frame, 20)]
      let sums = before.map { before in
        var sums = before
        Self.add(frame[..<8], to: &sums, isBigEndian)
        Self.add(frame[bodyStart...], to: &sums, isBigEndian)
        return sums
      }
      let follows = sums.contains(said)
      // SQLite may write the last page of a commit several times over, to fill a sector. What of that
      // lies beyond the sector is on the disk with the next commit only.
      let hasSameHead = frame[..<8] == last[..<8]
      let isFilling = hasSameHead && frame[bodyStart...] == last[bodyStart...]
      if isOurs, sums[0] == said, Self.isUnwritableFirstPage(frame) { return place }
      // It goes on from the end of a commit, as only what was written after it can.
      if let first, hasEnded, isOurs, follows, !isFilling { return first }
      if first == nil, !(isOurs && sums[0] == said) {
        first = place
        fillsUp = hasSameHead && (filledCount > 0 || plainCount < 2)
      } else if first == nil, Self.word(last, 4) != 0 {
        if isFilling { filledCount += 1 } else { plainCount += 1 }
      }
      fillsUp = fillsUp && (first == place || isFilling)
      hasEnded = first != nil && !fillsUp && (isOurs || follows) && Self.word(frame, 4) != 0
      last = frame
      before = first == place && sums[0] != said ? [said, sums[0]] : [said]
      place += frame.count
    }
  }

  /// Whether a frame has the file's first page, and that a header which lets no run write.
  private static func isUnwritableFirstPage(_ frame: [UInt8]) -> Bool {
    // The log's own header says how long a page is, and need not be right.
    let page = frame[frameHeaderSize...]
    return word(frame, 0) == 1 && page.count > 18 && !CheckedPages.isWritableForm(page)
  }

  private static func add(_ bytes: ArraySlice<UInt8>, to sums: inout [UInt32], _ order: Int32) {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe sums.withUnsafeMutableBufferPointer { sums in
        guard let start = bytes.baseAddress, let sums = sums.baseAddress else { return }
        unsafe ferry_log_sums(order, start, bytes.count, sums)
      }
    }
  }

  private static func word(_ bytes: [UInt8], _ place: Int) -> UInt32 {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
