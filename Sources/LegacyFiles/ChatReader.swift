import Files

/// Gives the messages of an exported chat, in the styles of ``ChatStyle`` and its usual locales.
///
/// The chat is read twice: once for the order in which its dates are written, once for the
/// messages. A line without a head goes on with the message before; one that begins as a message does,
/// in a form that is not read, makes the chat refused. Clocks have no zone.
final class ChatReader: LegacyReader {
  private var lines: ChatLines
  private let name: String
  private let style: ChatStyle
  private let layout: ChatLayout
  private var held: [LegacyItem] = []
  private var message: Message?
  private var number = 0
  private var hasNotedStart = false
  /// The day that a line of its own said, and the clock of the message before.
  private var day: ChatHead?
  /// Whether the line below names the sender.
  private var awaitsName = false
  /// Whether the lines are those of answers that are shown below a message, and have messages of their own.
  private var isInAnswers = false
  private var lastSecond = 0

  /// The longest message, and line, that is read.
  static let longestMessage = 4 << 20
  /// How many heads are looked at for the order of dates.
  private static let lookedAt = 200_000

  private struct Message {
    var head: ChatHead
    let line: Int
    var text: [UInt8]
  }

  init(path: String, name: String, order: ChatDateOrder?) throws(LegacyFileError) {
    self.name = name
    style = try Self.style(of: path)
    if let order {
      layout = ChatLayout(order: order)
    } else {
      layout = try Self.layout(of: path, name: name, style)
    }
    lines = try ChatLines(path, name: name)
    if let doubt = layout.doubt {
      held.append(.note(LegacyNote(code: "date-order", place: "", cause: doubt)))
    }
  }

  private static func style(of path: String) throws(LegacyFileError) -> ChatStyle {
    do throws(FileError) {
      var file = try InputFile(path)
      return ChatStyle(try file.bytes(upTo: 1 << 14)) ?? .inline
    } catch {
      throw .file(error)
    }
  }

  private static func layout(
    of path: String,
    name: String,
    _ style: ChatStyle
  ) throws(LegacyFileError) -> ChatLayout {
    var lines = try ChatLines(path, name: name)
    var heads: [ChatHead] = []
    var known: Set<[Int]> = []
    var count = 0
    while count < lookedAt, let line = try lines.next() {
      // The days are enough; one of each keeps this small.
      let first = Array(line.bytes.prefix(400))
      let head = style.hasDayLines ? ChatHead(dayLine: first) : ChatHead(first, style)
      guard let head, head.numbers.count == 3 else { continue }
      count += 1
      if known.insert(head.numbers).inserted { heads.append(head) }
    }
    return ChatLayout(of: heads)
  }

  func next() throws(LegacyFileError) -> LegacyItem? {
    if !held.isEmpty { return held.removeFirst() }
    while let line = try lines.next() {
      if awaitsName {
        awaitsName = false
        message?.head.name(String(decoding: line.bytes.prefix(200), as: UTF8.self))
      } else if let head = ChatHead(line.bytes, style) {
        let finished = message
        try begin(head, line)
        if let finished { return .entry(entry(finished)) }
      } else if try takeDay(line) {
        let finished = message
        message = nil
        if let finished { return .entry(entry(finished)) }
      } else {
        try goOn(line.bytes, line.number)
      }
    }
    guard let last = message else { return held.popLast() }
    message = nil
    return .entry(entry(last))
  }

  private func begin(_ head: ChatHead, _ line: ChatLines.Line) throws(LegacyFileError) {
    var head = head
    if style.hasDayLines {
      guard day == nil || head.second >= lastSecond else {
        throw unread(line.number, "its clock goes back, and no line above it says a new day")
      }
      lastSecond = head.second
      head.take(day: day)
    }
    let text = Array(line.bytes[head.bodyStart...])
    awaitsName = style == .written && text.isEmpty
    isInAnswers = false
    message = Message(head: head, line: line.number, text: text)
  }

  /// Whether a line says the day of the messages below it.
  private func takeDay(_ line: ChatLines.Line) throws(LegacyFileError) -> Bool {
    guard style.hasDayLines, line.bytes.count <= 120, line.bytes.contains(where: { $0 > 0x20 })
    else { return false }
    let style = style
    let read = ChatHead(dayLine: line.bytes)
    guard read != nil || LineShape(line.bytes).mayBeDay,
      try lines.isNext({ ChatHead($0.bytes, style) != nil })
    else { return false }
    guard let read, let new = read.day(layout.order) else {
      throw unread(line.number, "it looks like the day of the messages below")
    }
    if let old = day?.day(layout.order), new < old {
      throw unread(line.number, "it says an earlier day than the one before")
    }
    day = read
    lastSecond = 0
    return true
  }

  /// Why a line is neither read as a message nor as a part of the one before.
  private func unread(_ line: Int, _ reason: String) -> LegacyFileError {
    .unreadHead(file: name, line: line, reason: reason)
  }

  /// Adds a line to the message at hand; lines before the first message are left out.
  private func goOn(_ bytes: [UInt8], _ number: Int) throws(LegacyFileError) {
    if style == .written, bytes.starts(with: "    ".utf8), isAnswer(bytes) { isInAnswers = true }
    if isInAnswers { return }
    guard !looksLikeHead(bytes) else {
      throw unread(number, "it begins as a message does, in a form that is not read")
    }
    guard message != nil else {
      if !hasNotedStart, bytes.contains(where: { $0 > 0x20 }) {
        hasNotedStart = true
        held.append(
          .note(
            LegacyNote(
              code: "left-out",
              place: "line \(number)",
              cause: "the text before the first message is left out"
            )
          )
        )
      }
      return
    }
    // Where the head has a line of its own, the message begins in the next one.
    if !style.hasHeadLines || message?.text.isEmpty == false { message?.text.append(0x0A) }
    message?.text += bytes
    guard (message?.text.count ?? 0) <= Self.longestMessage else {
      throw .beyondLimit(
        file: name,
        place: "line \(number)",
        limit: "a message of more than \(Self.longestMessage) bytes"
      )
    }
  }

  /// Whether an answer begins in an indented line.
  private func isAnswer(_ bytes: [UInt8]) -> Bool {
    ChatHead(Array(bytes.drop { $0 == 0x20 }), .written) != nil
  }

  /// Whether a line, or the content of it behind another kind of line end, begins as a message does.
  private func looksLikeHead(_ bytes: [UInt8]) -> Bool {
    // Most lines of a message have no clock.
    guard LineShape.mayHaveMoment(bytes) else { return false }
    if beginsMessage(bytes) { return true }
    guard bytes.contains(where: { $0 == 0xE2 || $0 == 0xC2 || $0 == 0x0B || $0 == 0x0C }) else {
      return false
    }
    let text = String(decoding: bytes, as: UTF8.self)
    let pieces = text.unicodeScalars.split { Self.lineEnds.contains($0) }.dropFirst()
    return pieces.contains { piece in
      let piece = Array(String(piece).utf8)
      return ChatHead(piece, style) != nil || beginsMessage(piece)
    }
  }

  private static let lineEnds: Set<Unicode.Scalar> = [
    "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}",
  ]

  private func beginsMessage(_ bytes: [UInt8]) -> Bool {
    LineShape(bytes).isHead
      || ChatStyle.allCases.contains { other in
        other != style && !other.isLoose && ChatHead(bytes, other)?.sender.isEmpty == false
      }
  }

  private func entry(_ message: Message) -> LegacyEntry {
    number += 1
    let day = message.head.day(layout.order)
    let date = day.map { LegacyDate.local($0, second: message.head.second) }
    let isUsual = date?.isUsual == true
    // A copied clock has no day.
    let isUndated = message.head.numbers.isEmpty && style.isLoose
    return LegacyEntry(
      .text,
      text: style == .tabs ? Self.unquoted(message.text) : message.text,
      date: isUsual ? date : nil,
      dateFault: isUsual || isUndated ? nil : Self.fault(message.head, layout.order),
      sender: message.head.sender.isEmpty ? nil : message.head.sender,
      place: .line(message.line),
      number: number
    )
  }

  /// A message of several lines without the quotation marks around it.
  private static func unquoted(_ text: [UInt8]) -> [UInt8] {
    let mark = UInt8(ascii: "\"")
    let end = (text.lastIndex { $0 > 0x20 } ?? -1) + 1
    guard end > 1, text[0] == mark, text[end - 1] == mark, text.contains(0x0A) else { return text }
    return Array(text[1..<(end - 1)])
  }

  private static func fault(_ head: ChatHead, _ order: ChatDateOrder) -> DateFault {
    guard !head.numbers.isEmpty else {
      return DateFault(
        kind: .form,
        cause: "no line above it has the date of its time",
        cure: "write the day in a line above it in a copy of the file"
      )
    }
    let found = head.numbers.map(String.init).joined(separator: ".")
    return DateFault(
      kind: .form,
      cause:
        "its date, read in the order \(order.rawValue), is not a day of the years 2010 to 2040",
      found: found,
      cure: "give the order with --date-order, or correct the date in a copy of the file"
    )
  }
}
