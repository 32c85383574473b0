/// How the characters of a document are written as bytes.
///
/// UTF-16 and UTF-32 are identified by their first bytes and turned into UTF-8 here. Of the others, those
/// that write ASCII as ASCII are left to libxml2, and any further one is refused.
enum XMLEncoding: Hashable, Sendable {
  case utf8, utf16BigEndian, utf16LittleEndian, utf32BigEndian, utf32LittleEndian
  /// One byte a character; libxml2 knows it by the name in the declaration.
  case singleByte

  /// The encoding by the first bytes, and the number of bytes of the mark that says so.
  ///
  /// https://www.w3.org/TR/xml/#sec-guessing
  static func guess(_ bytes: [UInt8]) -> (encoding: Self, markSize: Int)? {
    let first = Array(bytes.prefix(4))
    if first.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
    if first.starts(with: [0x00, 0x00, 0xFE, 0xFF]) { return (.utf32BigEndian, 4) }
    if first.starts(with: [0xFF, 0xFE, 0x00, 0x00]) { return (.utf32LittleEndian, 4) }
    if first.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
    if first.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
    guard first.count == 4 else { return (.utf8, 0) }
    // EBCDIC's `<?xm`.
    if first == [0x4C, 0x6F, 0xA7, 0x94] { return nil }
    switch (first[0] == 0, first[1] == 0, first[2] == 0, first[3] == 0) {
    case (true, true, true, false): return (.utf32BigEndian, 0)
    case (false, true, true, true): return (.utf32LittleEndian, 0)
    case (true, false, true, false): return (.utf16BigEndian, 0)
    case (false, true, false, true): return (.utf16LittleEndian, 0)
    default: return (.utf8, 0)
    }
  }

  /// The encoding a declaration names, or `nil` when it is not one that is read.
  ///
  /// https://www.iana.org/assignments/character-sets
  static func named(_ name: String) -> Self? {
    let name = name.lowercased()
    if ["utf-8", "utf8", "us-ascii", "ascii"].contains(name) { return .utf8 }
    let families = ["iso-8859-", "iso_8859-", "iso8859-", "windows-125", "cp125", "koi8-"]
    let others = ["latin1", "latin-1", "macintosh", "x-mac-roman"]
    guard families.contains(where: { name.hasPrefix($0) }) || others.contains(name) else {
      return nil
    }
    return .singleByte
  }

  /// The encoding that the declaration at the start of `bytes` names, or `nil` when it names none.
  static func declaredName(in bytes: [UInt8]) -> String? {
    guard bytes.starts(with: "<?xml".utf8) else { return nil }
    let declaration = bytes.prefix(512).prefix { $0 != UInt8(ascii: ">") }
    let text = String(decoding: declaration, as: UTF8.self)
    guard let keyword = text.range(of: "encoding") else { return nil }
    let rest = text[keyword.upperBound...].drop { $0 == " " || $0 == "=" || $0.isNewline }
    guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
    return String(rest.dropFirst().prefix { $0 != quote })
  }
}

extension String {
  /// Where `text` first is in this string.
  fileprivate func range(of text: String) -> Range<Index>? {
    var place = startIndex
    while place < endIndex {
      if self[place...].hasPrefix(text) {
        return place..<index(place, offsetBy: text.count)
      }
      place = index(after: place)
    }
    return nil
  }
}
