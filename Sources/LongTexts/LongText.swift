import Files
package import Records

/// A text of a record that is too long to be held: its SHA-256 and its size stand for it.
///
/// In the JSON of a record a string of its own form takes its place, the same for the same text, so that two
/// are compared without either of them:
///
/// ```
/// "\u{FDD0}text of 52428800 bytes, SHA-256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
/// ```
///
/// U+FDD0 is no character of any text. A text that begins with it all the same is treated as a long one,
/// however short it is, so that no text of a record is ever taken for a long one's place.
///
/// https://www.unicode.org/faq/private_use.html#noncharacters
package struct LongText: Hashable, Sendable {
  package let digest: Digest
  /// How many bytes of UTF-8 the text has.
  package let count: Int

  package init(digest: Digest, count: Int) {
    self.digest = digest
    self.count = count
  }

  /// A text with more bytes of UTF-8 than these is a long one, and no other is but for how it begins.
  ///
  /// A record may have many texts, so these are fewer than a single large value may have to be held.
  package static let mostHeld = 1 << 16

  /// What stands for the text, between its quotes.
  package var standIn: [UInt8] {
    Self.mark + Array("\(Self.opening)\(count)\(Self.middle)\(digest)".utf8)
  }

  /// What a person reads in place of the text.
  package var description: String { "\(Self.opening)\(count)\(Self.middle)\(digest)" }

  /// A text as it is compared with others that may have stand-ins: any that may have one somewhere by its
  /// stand-in, which stays itself.
  package static func comparable(_ text: String) -> String {
    guard mayHaveStandIn(text), let digest = digest(of: text) else { return text }
    return String(
      decoding: LongText(digest: digest, count: text.utf8.count).standIn,
      as: UTF8.self
    )
  }

  private static func mayHaveStandIn(_ text: String) -> Bool {
    if text.utf8.count > mostHeld { return true }
    return text.utf8.starts(with: mark) && LongText(standIn: text.utf8) == nil
  }

  private static func digest(of text: String) -> Digest? {
    Digest(bytes: ByteDigest.sha256(of: Array(text.utf8)))
  }

  /// How a stand-in begins: U+FDD0 in UTF-8.
  package static let mark: [UInt8] = [0xEF, 0xB7, 0x90]
  private static let opening = "text of "
  private static let middle = " bytes, SHA-256 "

  /// The text that a stand-in without its quotes stands for; `nil` for any other text.
  package init?(standIn bytes: some BidirectionalCollection<UInt8>) {
    guard bytes.starts(with: Self.mark) else { return nil }
    let words = String(decoding: bytes.dropFirst(Self.mark.count), as: UTF8.self)
    let tail = words.utf8.suffix(64)
    guard words.hasPrefix(Self.opening), let digest = Digest(hexadecimal: String(tail) ?? ""),
      let count = Int(
        words.dropFirst(Self.opening.count).dropLast(64 + Self.middle.count)
      ), Self(digest: digest, count: count).description == words
    else { return nil }
    self.init(digest: digest, count: count)
  }
}

/// A stand-in inside of JSON.
struct FoundStandIn {
  let text: LongText
  /// Where it lies, without its quotes.
  let range: Range<Int>
}

extension LongText {
  /// Whether JSON may have a stand-in in it, or a text that has to get one for the way it begins.
  ///
  /// Those in escapes are found too.
  package static func mayBeIn(_ json: [UInt8]) -> Bool {
    json.withUnsafeBytes { mayBeIn($0) }
  }

  /// The same of JSON that is lent.
  package static func mayBeIn(_ json: UnsafeRawBufferPointer) -> Bool {
    if find(mark, in: json) != nil { return true }
    var start = 0
    while let place = find(escape, in: json, from: start) {
      start = place + escape.count
      if isEscapedMark(json[place...]) { return true }
    }
    return false
  }

  private static let escape = Array("\\u".utf8)

  /// Whether a text in JSON's escapes begins with U+FDD0.
  static func beginsWithMark(_ raw: Slice<UnsafeRawBufferPointer>) -> Bool {
    raw.starts(with: mark) || raw.starts(with: escape) && isEscapedMark(raw)
  }

  private static func isEscapedMark(_ raw: Slice<UnsafeRawBufferPointer>) -> Bool {
    String(decoding: raw.prefix(6).dropFirst(2), as: UTF8.self).lowercased() == "fdd0"
  }

  /// About how many bytes JSON has with its long texts: escapes in them do not count.
  package static func size(of json: [UInt8]) -> Int {
    guard mayBeIn(json) else { return json.count }
    return all(in: json).reduce(json.count) { size, standIn in
      size - standIn.range.count + standIn.text.count
    }
  }

  /// The long texts that JSON has stand-ins for, each once, from front to back.
  package static func named(in json: [UInt8]) -> [LongText] {
    guard mayBeIn(json) else { return [] }
    var named: [LongText] = []
    for standIn in all(in: json) where !named.contains(standIn.text) { named.append(standIn.text) }
    return named
  }

  /// JSON with an empty string in place of each stand-in, and where the long texts belong in it.
  package static func emptied(_ json: [UInt8]) -> (
    json: [UInt8], texts: [(text: LongText, place: Int)]
  ) {
    var emptied: [UInt8] = []
    var texts: [(text: LongText, place: Int)] = []
    var end = 0
    for standIn in all(in: json) {
      emptied += json[end..<standIn.range.lowerBound]
      texts.append((standIn.text, emptied.count))
      end = standIn.range.upperBound
    }
    return (emptied + json[end...], texts)
  }

  /// The stand-ins in JSON, from front to back.
  static func all(in json: [UInt8]) -> [FoundStandIn] {
    var found: [FoundStandIn] = []
    json.withUnsafeBytes { bytes in
      var start = 0
      while let place = find(mark, in: bytes, from: start) {
        start = place + mark.count
        // The quote that begins a text is behind no backslash; one inside of a text is.
        guard place > 1, bytes[place - 1] == UInt8(ascii: "\""),
          bytes[place - 2] != UInt8(ascii: "\\"),
          let end = bytes[start...].prefix(160).firstIndex(of: UInt8(ascii: "\"")),
          let text = LongText(standIn: bytes[place..<end])
        else { continue }
        found.append(FoundStandIn(text: text, range: place..<end))
        start = end
      }
    }
    return found
  }

  /// The place of the first of some bytes that follow each other, from a place on.
  private static func find(
    _ wanted: [UInt8],
    in bytes: UnsafeRawBufferPointer,
    from start: Int = 0
  ) -> Int? {
    var place = start
    while place + wanted.count <= bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[place...])
      guard let found = rest.firstPlace(of: wanted[0]) else { return nil }
      place += found
      if bytes[place...].starts(with: wanted) { return place }
      place += 1
    }
    return nil
  }
}
