import Files

/// Gives the messages of an exported WhatsApp chat, in its usual locales.
///
/// The chat is read twice: once for the order in which its dates are written, once for the
/// messages. A line without a head goes on with the message before. Clocks have no zone.
final class ChatReader: LegacyReader {
  private let lines: LineReader
  private let name: String
  private let layout: ChatLayout
  private var held: [LegacyItem] = []
  private var message: Message?
  private var number = 0
  private var hasNotedStart = false

  /// The longest message, and line, that is read.
  static let longestMessage = 4 << 20
  /// How many heads are looked at for the order of dates.
  private static let lookedAt = 200_000

  private struct Message {
    let head: ChatHead
    let line: Int
    var text: [UInt8]
  }

  init(path: String, name: String, order: ChatDateOrder?) throws(LegacyFileError) {
    self.name = name
    if let order {
      layout = ChatLayout(order: order)
    } else {
      layout = try Self.layout(of: path, name: name)
    }
    lines = LineReader(try Self.open(path), longest: Self.longestMessage)
    if let doubt = layout.doubt {
      held.append(.note(LegacyNote(code: "date-order", place: "", cause: doubt)))
    }
  }

  private static func open(_ path: String) throws(LegacyFileError) -> InputFile {
    do throws(FileError) { return try InputFile(path) } catch { throw .file(error) }
  }

  private static func layout(
    of path: String,
    name: String
  ) throws(LegacyFileError) -> ChatLayout {
    let lines = LineReader(try open(path), longest: longestMessage)
    var heads: [ChatHead] = []
    var known: Set<[Int]> = []
    var count = 0
    while count < lookedAt, let line = try next(lines, name) {
      // The days are enough; one of each keeps this small.
      guard let head = ChatHead(Array(line.bytes.prefix(400))) else { continue }
      count += 1
      if known.insert(head.numbers).inserted { heads.append(head) }
    }
    return ChatLayout(of: heads)
  }

  static func next(
    _ lines: LineReader,
    _ name: String
  ) throws(LegacyFileError) -> LineReader.Line? {
    do throws(LineReader.Failure) {
      return try lines.next()
    } catch {
      switch error {
      case .file(let error): throw .file(error)
      case .tooLong(let line):
        throw .beyondLimit(
          file: name,
          place: "line \(line)",
          limit: "a line of more than \(longestMessage) bytes"
        )
      }
    }
  }

  func next() throws(LegacyFileError) -> LegacyItem? {
    if !held.isEmpty { return held.removeFirst() }
    while let line = try Self.next(lines, name) {
      var bytes = [UInt8](line.bytes)
      if bytes.last == 0x0D { bytes.removeLast() }
      guard let head = ChatHead(bytes) else {
        try goOn(bytes, line.number)
        continue
      }
      let finished = message
      message = Message(head: head, line: line.number, text: Array(bytes[head.bodyStart...]))
      if let finished { return .entry(entry(finished)) }
    }
    guard let last = message else { return held.popLast() }
    message = nil
    return .entry(entry(last))
  }

  /// Adds a line to the message at hand; lines before the first message are left out.
  private func goOn(_ bytes: [UInt8], _ number: Int) throws(LegacyFileError) {
    guard message != nil else {
      if !hasNotedStart, bytes.contains(where: { $0 > 0x20 }) {
        hasNotedStart = true
        held.append(
          .note(
            LegacyNote(
              code: "left-out",
              place: "line \(number)",
              cause: "what stands before the first message is left out"
            )
          )
        )
      }
      return
    }
    message?.text.append(0x0A)
    message?.text += bytes
    guard (message?.text.count ?? 0) <= Self.longestMessage else {
      throw .beyondLimit(
        file: name,
        place: "line \(number)",
        limit: "a message of more than \(Self.longestMessage) bytes"
      )
    }
  }

  private func entry(_ message: Message) -> LegacyEntry {
    number += 1
    let day = message.head.day(layout.order)
    let date = day.map { LegacyDate.local($0, second: message.head.second) }
    let isUsual = date?.isUsual == true
    return LegacyEntry(
      .text,
      text: message.text,
      date: isUsual ? date : nil,
      dateFault: isUsual ? nil : Self.fault(message.head, layout.order),
      sender: message.head.sender.isEmpty ? nil : message.head.sender,
      place: .line(message.line),
      number: number
    )
  }

  private static func fault(_ head: ChatHead, _ order: ChatDateOrder) -> DateFault {
    let found = head.numbers.map(String.init).joined(separator: ".")
    return DateFault(
      kind: .form,
      cause: "its date, read in the order \(order.rawValue), is no day of the years 2010 to 2040",
      found: found,
      cure: "say the order with --date-order, or correct the date in a copy of the file"
    )
  }
}
