/// A page of messages that imessage-exporter writes, as the text it writes otherwise.
///
/// Each message is an element of the class `message` with elements of the classes `timestamp`,
/// `sender` and `bubble`; answers that a page shows below a message have messages of their own, and are
/// passed over. <https://github.com/ReagentX/imessage-exporter>
struct MessagePage {
  private let bytes: [UInt8]
  private var place = 0
  /// The classes of the elements that are open, the outermost first.
  private var open: [(element: String, part: Part)] = []
  private var moment: [UInt8] = []
  private var sender: [UInt8] = []
  private var body: [UInt8] = []
  private var text: [UInt8] = []

  private enum Part { case message, answers, moment, sender, bubble, other }

  /// The longest page that is read, in bytes.
  static let longest = 256 << 20

  /// Whether a page begins as one of messages.
  static func isOne(_ bytes: [UInt8]) -> Bool {
    let start = String(decoding: bytes.prefix(1 << 16), as: UTF8.self)
    return start.drop { $0.isWhitespace || $0 == "\u{FEFF}" }.prefix(5).lowercased() == "<html"
      && start.contains("class=\"timestamp\"") && start.contains("class=\"sender\"")
  }

  /// The messages of a page: the moment, the sender and the text of each in lines of their own.
  static func text(of bytes: [UInt8]) -> [UInt8] {
    var page = MessagePage(bytes: bytes)
    page.read()
    return page.text
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func read() {
    while place < bytes.count {
      if bytes[place] == UInt8(ascii: "<") {
        readTag()
      } else {
        let end = bytes[place...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        take(bytes[place..<end])
        place = end
      }
    }
  }

  /// Elements that have no end.
  private static let empty: Set = [
    "br", "hr", "img", "meta", "link", "input", "source", "!doctype", "!--",
  ]

  private mutating func readTag() {
    let end = bytes[place...].firstIndex(of: UInt8(ascii: ">")) ?? bytes.count
    let tag = String(decoding: bytes[min(place + 1, end)..<end], as: UTF8.self)
    place = min(end + 1, bytes.count)
    if tag.hasPrefix("/") {
      close(String(tag.dropFirst()).trimmed.lowercased())
      return
    }
    let name = tag.prefix { !$0.isWhitespace && $0 != "/" }.lowercased()
    if name == "br" { take([0x0A]) }
    guard !Self.empty.contains(name), !tag.hasPrefix("!"), !tag.hasSuffix("/") else { return }
    open.append((name, part(of: tag)))
    if open.last?.part == .message, !isInAnswers { begin() }
  }

  /// Closes the innermost element of a name, and those inside of it that the page left open.
  private mutating func close(_ name: String) {
    guard let last = open.lastIndex(where: { $0.element == name }) else { return }
    let isEnded = open[last...].contains { $0.part == .message }
    open.removeSubrange(last...)
    if isEnded, !isInAnswers { end() }
  }

  private func part(of tag: String) -> Part {
    guard let start = tag.range(of: "class") else { return .other }
    let value = tag[start.upperBound...].drop { $0 == " " || $0 == "=" || $0 == "\"" }
    let classes = value.prefix { $0 != "\"" }.split(separator: " ")
    for name in classes {
      switch name {
      case "message": return .message
      case "replies", "reply": return .answers
      case "timestamp": return .moment
      case "sender": return .sender
      case "bubble": return .bubble
      default: continue
      }
    }
    return .other
  }

  private var isInAnswers: Bool { open.contains { $0.part == .answers } }

  private mutating func begin() {
    (moment, sender, body) = ([], [], [])
  }

  private mutating func end() {
    guard !moment.isEmpty, !sender.isEmpty else { return }
    text += moment + [0x0A] + sender + [0x0A] + body + [0x0A, 0x0A]
  }

  /// Takes characters, each entity as what it stands for.
  private mutating func take(_ characters: some Collection<UInt8>) {
    guard open.contains(where: { $0.part == .message }), !isInAnswers,
      let part = open.last(where: { $0.part != .other })?.part
    else { return }
    let plain = Self.plain(characters)
    switch part {
    case .moment: moment += plain.filter { $0 != 0x0A }
    case .sender: sender += plain.filter { $0 != 0x0A }
    case .bubble: body += plain
    case .message, .answers, .other: break
    }
  }

  /// Text without its entities.
  private static func plain(_ bytes: some Collection<UInt8>) -> [UInt8] {
    guard bytes.contains(UInt8(ascii: "&")) else { return Array(bytes) }
    var text = String(decoding: bytes, as: UTF8.self)
    let entities = [
      ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'"),
      ("&apos;", "'"), ("&nbsp;", " "), ("&amp;", "&"),
    ]
    for (entity, character) in entities {
      text = text.split(separator: entity, omittingEmptySubsequences: false)
        .joined(separator: character)
    }
    return Array(text.utf8)
  }
}

extension String {
  /// Where the first of a text is.
  fileprivate func range(of part: String) -> Range<String.Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(part) {
        return start..<(index(start, offsetBy: part.count, limitedBy: endIndex) ?? endIndex)
      }
      start = index(after: start)
    }
    return nil
  }
}
