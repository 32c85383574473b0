import JSONText
import PropertyLists
import XMLAccess

/// The forms in which legacy files hold shared texts.
package enum LegacyForm: String, CaseIterable, Sendable {
  /// A property list: XML, binary or old style.
  case plist
  /// One JSON value: an array of results, a backup, one result.
  case json
  /// One JSON object a line.
  case jsonl
  /// Any XML, of which names say what holds the texts.
  case xml
  /// What Android's “SMS Backup & Restore” and “Super Backup” write.
  case sms
  /// An exported chat: of WhatsApp, LINE or KakaoTalk, of Discord as DiscordChatExporter writes it, of
  /// Messages as imessage-exporter writes it, or messages that are copied from Discord or Slack.
  case chat
  /// A table of messages, whose first line names its columns.
  case csv
  /// Text with one or many results.
  case text

  /// Recognises the form by the first bytes of a file, or says why it is not one.
  ///
  /// The signs of several people in a text are looked for in a whole file only.
  package static func recognise(
    _ bytes: [UInt8],
    file: String,
    isWhole: Bool = true
  ) throws(LegacyFileError) -> LegacyForm {
    if bytes.starts(with: "SQLite format 3\0".utf8) {
      throw .unknownForm(
        file: file,
        reason: "this is a database",
        cure: "read it with `ferry export`"
      )
    }
    if bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: [0x1F, 0x8B]) {
      throw .unknownForm(
        file: file,
        reason: "this is a compressed archive",
        cure: "unpack it and name what is inside"
      )
    }
    if bytes.starts(with: "bplist".utf8) { return .plist }
    if let form = PropertyListForm(bytes), form == .typedStream || form == .cappuccino {
      return .plist
    }
    if let text = wideText(bytes) { return try recognise(text, file: file, isWhole: isWhole) }
    let text = FirstText(bytes)
    if text.first == UInt8(ascii: "<") { return try xmlForm(text, file: file) }
    // The reader says where it is damaged.
    if let wide = WideText(firstBytes: bytes), wide.markSize > 0 { return .text }
    if bytes.contains(0) {
      throw .unknownForm(
        file: file,
        reason: "these bytes are neither text in UTF-8 or UTF-16 nor a known kind of file",
        cure: "save it as UTF-8, or give the form with --as"
      )
    }
    if let form = text.bracketForm { return form }
    if text.namesColumns { return .csv }
    if ChatStyle(bytes) != nil { return .chat }
    guard isWhole else { return .text }
    var survey = SpeakerSurvey()
    survey.add(bytes)
    survey.endText()
    if let found = survey.found { throw .ofSeveral(file, found) }
    return .text
  }

  /// The beginning of a text that declares UTF-16 or UTF-32, in UTF-8; `nil` for other bytes.
  private static func wideText(_ bytes: [UInt8]) -> [UInt8]? {
    guard var text = WideText(firstBytes: bytes), text.markSize > 0 else { return nil }
    return text.utf8(Array(bytes.dropFirst(text.markSize)))
  }

  private static func xmlForm(
    _ text: FirstText,
    file: String
  ) throws(LegacyFileError) -> LegacyForm {
    switch text.rootElement {
    case "plist", "dict", "array": return .plist
    case "smses", "allsms": return .sms
    case "html", "HTML", "!doctype":
      throw .unknownForm(
        file: file,
        reason: "this is a page for a browser",
        cure: "export what it shows as JSON or as text, or give --as xml if it is well-formed"
      )
    default: return .xml
    }
  }
}

/// The first bytes of a file without byte order mark, zero bytes and white space before them.
private struct FirstText {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    // The zero bytes of wide encodings are passed over: only ASCII letters count here.
    let isWide = bytes.prefix(4).contains(0)
    var found = isWide ? bytes.filter { $0 != 0 } : bytes
    let marks: [[UInt8]] = [[0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0xFE, 0xFF]]
    for mark in marks where found.starts(with: mark) { found.removeFirst(mark.count) }
    self.bytes = Array(found.drop { Self.isSpace($0) })
  }

  var first: UInt8? { bytes.first }

  /// Whether the first line names columns, one of a text and one of a date or of who wrote it.
  var namesColumns: Bool {
    let line = bytes.prefix(1 << 12).prefix { $0 != 0x0A }
    return TableReader.namesColumns(line.last == 0x0D ? Array(line.dropLast()) : Array(line))
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  /// The name of the first element, behind declaration, comments and DOCTYPE.
  var rootElement: String? {
    var place = 0
    while place < bytes.count {
      guard bytes[place] == UInt8(ascii: "<") else {
        place += 1
        continue
      }
      let next = place + 1 < bytes.count ? bytes[place + 1] : 0
      if next == UInt8(ascii: "!"), bytes[(place + 2)...].starts(with: "DOCTYPE".utf8) {
        let name = bytes[(place + 9)...].drop { Self.isSpace($0) }.prefix { Self.isName($0) }
        return String(decoding: name, as: UTF8.self)
      }
      if bytes[(place + 1)...].starts(with: "!--".utf8) {
        place = end(of: "-->", from: place)
      } else if next == UInt8(ascii: "?") {
        place = end(of: "?>", from: place)
      } else {
        let name = bytes[(place + 1)...].prefix { Self.isName($0) }
        return String(decoding: name, as: UTF8.self)
      }
    }
    return nil
  }

  private static func isName(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte != UInt8(ascii: ">") && byte != UInt8(ascii: "/")
      && byte != UInt8(ascii: "[")
  }

  private func end(of ending: String, from start: Int) -> Int {
    let ending = Array(ending.utf8)
    var place = start
    while place + ending.count <= bytes.count {
      if bytes[place...].starts(with: ending) { return place + ending.count }
      place += 1
    }
    return bytes.count
  }

  /// JSON, JSON Lines or an old-style list; `nil` for what begins with no bracket of theirs.
  var bracketForm: LegacyForm? {
    guard let first else { return nil }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
      return first == UInt8(ascii: "(") || bytes.starts(with: "/*".utf8)
        || bytes.starts(with: "//".utf8) ? oldStyle : nil
    }
    if first == UInt8(ascii: "[") { return ChatStyle(bytes) == nil ? jsonArray : .chat }
    let inside = bytes.dropFirst().drop { Self.isSpace($0) }
    guard inside.first == UInt8(ascii: "\"") || inside.first == UInt8(ascii: "}") else {
      return oldStyle
    }
    if inside.first == UInt8(ascii: "\"") {
      let after = inside.dropFirst().drop { $0 != UInt8(ascii: "\"") }.dropFirst()
      if after.drop(while: { Self.isSpace($0) }).first == UInt8(ascii: "=") { return oldStyle }
    }
    return isClosedInFirstLine ? .jsonl : .json
  }

  /// An old-style list is believed only where it can be read as one.
  private var oldStyle: LegacyForm? {
    PropertyListForm(bytes) == .oldStyle ? .plist : nil
  }

  /// An array of JSON, rather than a text that begins with a bracket.
  private var jsonArray: LegacyForm? {
    let inside = bytes.dropFirst().drop { Self.isSpace($0) }.first
    switch inside {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "]"): return .json
    default: return nil
    }
  }

  /// Whether the object that begins the file ends in its line and another begins behind it.
  private var isClosedInFirstLine: Bool {
    guard let end = bytes.firstIndex(of: 0x0A) else { return false }
    let line = bytes[..<end].reversed().drop { Self.isSpace($0) }
    let after = bytes[end...].drop { Self.isSpace($0) }
    return line.first == UInt8(ascii: "}") && (after.first == UInt8(ascii: "{"))
  }
}

extension LegacyFileError {
  /// A text that may be of several people, and does not say it in a form that is read.
  static func ofSeveral(
    _ file: String,
    _ found: (line: Int, reason: String)
  ) -> LegacyFileError {
    .unknownForm(
      file: file,
      reason: "line \(found.line): \(found.reason): it would not be seen who sent a result, and "
        + "when",
      cure: "write these beginnings as “[2024-03-05, 10:11:12] Ada: ” in a copy of the file, or "
        + "give --as text if every result in it is yours"
    )
  }
}
