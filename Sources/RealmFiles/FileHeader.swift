/// The beginning of a Realm file, 24 bytes, and its end where it has one.
///
/// | at | size | what |
/// |---|---|---|
/// | 0, 8 | 8, 8 | the reference to the top node, in two slots |
/// | 16 | 4 | `T-DB` |
/// | 20, 21 | 1, 1 | the file format of each slot |
/// | 23 | 1 | bit 0: the slot in force |
///
/// A file that was written in one go has all bits of the first reference set; its last 16 bytes are the
/// reference and a mark.
struct FileHeader: Hashable {
  static let size = 24
  /// The formats that are read.
  static let formats: Set<Int> = Set(2...11).union([20, 22, 23, 24])

  let format: Int
  /// The reference to the top node; 0 in a file without tables.
  let top: Int64
  let isStreaming: Bool

  private static let streamingMark: UInt64 = 0x3034_1252_37E5_26C8

  /// Whether a file's first bytes have the mark of Realm.
  static func isMarked(_ start: [UInt8]) -> Bool {
    start.count >= 20 && start[16..<20].elementsEqual("T-DB".utf8)
  }

  /// Reads the header of a file that has the mark.
  init(_ pages: PageCache) throws(RealmError) {
    guard pages.size >= Self.size, pages.size % 8 == 0 else {
      throw .truncated(
        RealmPlace(),
        cause: "\(pages.size) bytes are fewer than \(Self.size), or no multiple of 8"
      )
    }
    let bytes = try pages.bytes(at: 0, count: Self.size)
    let slot = Int(bytes[23] & 1)
    var top = Bytes.unsigned(bytes, 8 * slot, 8)
    isStreaming = slot == 0 && top == .max
    if isStreaming {
      let place = pages.size - 16
      guard place >= Self.size, try pages.word(at: place + 8) == Self.streamingMark else {
        throw .truncated(RealmPlace(), cause: "the mark at the end is missing")
      }
      top = try pages.word(at: place)
    }
    format = Int(bytes[20 + slot])
    guard Self.formats.contains(format) || format == 0 && top == 0 else {
      throw .unsupportedFormat(format)
    }
    guard top % 8 == 0, top == 0 || top <= UInt64(pages.size - Node.headerSize) else {
      throw .truncated(
        RealmPlace(),
        cause: "the top node is at byte \(top) of \(pages.size)"
      )
    }
    self.top = Int64(top)
  }
}
