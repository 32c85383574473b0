import Files

/// The chat in an archive that WhatsApp writes: `_chat.txt`, or the only text beside its pictures.
///
/// The archive is a ZIP file, <https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT>; only the
/// list of its entries and the one text are read.
struct ChatArchive: ~Copyable {
  private let input: InputFile
  private let file: String

  /// The longest text that is unpacked, in bytes.
  private static let longestText = 256 << 20
  /// How far from the end of an archive its last record may begin.
  private static let lastRecord = 22 + 65_535
  /// The longest list of entries that is read, in bytes.
  private static let longestList = 32 << 20

  private struct Entry {
    let name: String
    let isEncrypted: Bool
    let method: Int
    let packedSize: Int
    let size: Int
    let offset: Int
  }

  /// Whether a file begins as an archive.
  static func isOne(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x50, 0x4B, 3, 4]) }

  init(_ path: String, file: String) throws(LegacyFileError) {
    do throws(FileError) { input = try InputFile(path) } catch { throw .file(error) }
    self.file = file
  }

  /// The name and the text of the chat.
  ///
  /// - Throws: ``LegacyFileError`` when the archive is damaged or has no chat.
  func chat() throws(LegacyFileError) -> (name: String, text: [UInt8]) {
    let entries = try entries()
    let texts = entries.filter { $0.name.lowercased().hasSuffix(".txt") }
    let named = texts.filter { $0.name == "_chat.txt" || $0.name.hasSuffix("/_chat.txt") }
    let candidates = named.isEmpty ? texts : named
    guard candidates.count == 1 else {
      throw noChat("it has \(candidates.count) texts that may be the chat")
    }
    return (candidates[0].name, try text(of: candidates[0]))
  }

  private func entries() throws(LegacyFileError) -> [Entry] {
    let size = try size()
    let tail = Int(min(size, Int64(Self.lastRecord)))
    let end = try bytes(at: size - Int64(tail), count: tail)
    let mark: [UInt8] = [0x50, 0x4B, 5, 6]
    var place = end.count - 22
    while place >= 0, !end[place...].starts(with: mark) { place -= 1 }
    guard place >= 0 else { throw noChat("its list of entries is missing") }
    let listSize = Self.number(end, place + 12, 4)
    guard listSize <= Self.longestList else { throw damaged("its list of entries is too long") }
    return Self.entries(in: try bytes(at: Int64(Self.number(end, place + 16, 4)), count: listSize))
  }

  private static func entries(in list: [UInt8]) -> [Entry] {
    var entries: [Entry] = []
    var place = 0
    while place + 46 <= list.count, list[place...].starts(with: [0x50, 0x4B, 1, 2] as [UInt8]) {
      let name = place + 46..<place + 46 + number(list, place + 28, 2)
      guard name.upperBound <= list.count else { break }
      entries.append(
        Entry(
          name: String(decoding: list[name], as: UTF8.self),
          isEncrypted: number(list, place + 8, 2) & 1 == 1,
          method: number(list, place + 10, 2),
          packedSize: number(list, place + 20, 4),
          size: number(list, place + 24, 4),
          offset: number(list, place + 42, 4)
        )
      )
      place = name.upperBound + number(list, place + 30, 2) + number(list, place + 32, 2)
    }
    return entries
  }

  private func text(of entry: Entry) throws(LegacyFileError) -> [UInt8] {
    guard !entry.isEncrypted else { throw damaged("\(entry.name) is encrypted") }
    guard entry.size <= Self.longestText, entry.packedSize <= Self.longestText else {
      throw .beyondLimit(
        file: file,
        place: entry.name,
        limit: "a text of more than \(Self.longestText) bytes"
      )
    }
    let head = try bytes(at: Int64(entry.offset), count: 30)
    let start = entry.offset + 30 + Self.number(head, 26, 2) + Self.number(head, 28, 2)
    let packed = try bytes(at: Int64(start), count: entry.packedSize)
    let text = try unpacked(packed, entry)
    guard text.count == entry.size else { throw damaged("\(entry.name) ends early") }
    return text
  }

  private func unpacked(_ packed: [UInt8], _ entry: Entry) throws(LegacyFileError) -> [UInt8] {
    if entry.method == 0 { return packed }
    guard entry.method == 8 else {
      throw damaged("\(entry.name) is packed in a way that is not read")
    }
    do throws(Inflation.Failure) {
      return try Inflation.inflated(packed, .none, limit: entry.size)
    } catch {
      throw damaged("\(entry.name) cannot be unpacked")
    }
  }

  private func noChat(_ reason: String) -> LegacyFileError {
    .unknownForm(
      file: file,
      reason: "this is a compressed archive, and \(reason)",
      cure: "unpack it and name what is inside"
    )
  }

  private func damaged(_ reason: String) -> LegacyFileError {
    .malformed(file: file, place: "the archive", reason: reason)
  }

  private func size() throws(LegacyFileError) -> Int64 {
    do throws(FileError) { return try input.size() } catch { throw .file(error) }
  }

  private func bytes(at offset: Int64, count: Int) throws(LegacyFileError) -> [UInt8] {
    do throws(FileError) {
      return try input.bytes(at: offset, count: count)
    } catch {
      throw .file(error)
    }
  }

  /// A number of 2 or 4 bytes, the lowest first.
  private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int {
    (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
  }
}
