/// Finds what a text quotes or forwards, which another person may have written.
///
/// | what is there | quoted is |
/// |---|---|
/// | `>` at the beginning of a line | the line |
/// | `[quote]`, `<blockquote>` | what is between it and its end |
/// | `Ada wrote:` | all that follows, unless marked lines do |
/// | `Forwarded message`, `Fwd:`, `-----Original Message-----` | all that follows |
/// | `From: Ada` and, in the next lines, `Sent:` or `Subject:` | all that follows |
package enum QuotedText {
  /// The text with spaces for all that is quoted, byte for byte; `nil` where nothing is.
  package static func own(_ text: [UInt8]) -> [UInt8]? {
    guard text.count < 1 << 20 else { return nil }
    let lines = lines(of: text)
    var own = text
    var isChanged = false
    func blank(_ range: Range<Int>) {
      for place in range where own[place] != 0x0A && own[place] != 0x0D { own[place] = 0x20 }
      isChanged = true
    }
    var closing: String?
    for (index, range) in lines.enumerated() where closing != nil || mayQuote(text[range]) {
      let line = words(of: text[range])
      if let end = closing {
        blank(range)
        if line.contains(end) { closing = nil }
      } else if isMarked(line) {
        blank(range)
      } else if text[range].contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "<") }),
        let pair = pairs.first(where: { line.contains($0.begin) })
      {
        blank(range)
        closing = line.contains(pair.end) ? nil : pair.end
      } else if isForward(line) || isHeader(line, text, lines[(index + 1)...]) {
        blank(range.lowerBound..<text.count)
        break
      } else if isAttribution(line) {
        let next = lines[(index + 1)...].lazy.map { words(of: text[$0]) }.first { !$0.isEmpty }
        guard let next, !isMarked(next), !isAttributed(next) else { continue }
        blank(range.upperBound..<text.count)
        break
      }
    }
    return isChanged ? own : nil
  }

  /// Whether a short line says that a forwarded text begins below it.
  static func isForward(_ line: [UInt8]) -> Bool {
    line.count <= 100 && mayBeForward(line[...]) && isForward(words(of: line[...]))
  }

  /// Whether the first letter of a line and the two bytes behind it begin words for a forwarded text;
  /// symbols are no letters.
  private static func mayBeForward(_ line: ArraySlice<UInt8>) -> Bool {
    for place in line.indices {
      let byte = line[place]
      switch byte {
      case 0xC3...0xE1, 0xE3...0xEE: return byte == 0xD0 || byte == 0xE8
      default:
        guard (byte | 0x20) &- 0x61 < 26 else { continue }
        return beginnings.contains(line[place...].prefix(3).reduce(0) { joined($0, $1 | 0x20) })
      }
    }
    return false
  }

  private static let beginnings = Set(
    [
      "beg", "doo", "enc", "for", "fw:", "fwd", "ino", "men", "mes", "ori", "ree", "rv:", "tra",
      "urs",
      "wei", "wg:",
    ].map { $0.utf8.reduce(0, joined) }
  )

  private static let pairs = [
    (begin: "[quote", end: "[/quote]"), (begin: "<blockquote", end: "</blockquote>"),
    (begin: "<mx-reply", end: "</mx-reply>"),
  ]

  /// Whether a line says that a text of another person begins below it.
  static func beginsOthersText(_ line: [UInt8], _ following: [[UInt8]]) -> Bool {
    let hasColon = line.prefix(longestLine).contains { $0 == UInt8(ascii: ":") || $0 == 0xEF }
    guard hasColon || mayBeForward(line[...]) else { return false }
    let words = words(of: line[...])
    if isForward(words) { return true }
    if isAttribution(words) {
      let next = following.lazy.map { Self.words(of: $0[...]) }.first { !$0.isEmpty }
      return next.map { !isMarked($0) } ?? false
    }
    return isHeaderField(words, senders)
      && following.prefix(5).contains { isHeaderField(Self.words(of: $0[...]), otherFields) }
  }

  /// Whether any of the rules may hold for a line, by its bytes.
  ///
  /// It has a mark of a quotation, a colon behind a word for a sender or behind letters of other
  /// scripts, a colon at its end, or the first letters of words for a forwarded text.
  private static func mayQuote(_ line: ArraySlice<UInt8>) -> Bool {
    var before: UInt8 = 0
    var letters: UInt64 = 0
    var hasOther = false
    var hasColon = false
    var endsWithColon = false
    for byte in line.prefix(longestLine) {
      switch byte {
      case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "["): return true
      // The second bytes of `»`, and of wide marks: `＞` and `：`.
      case 0xBB where before == 0xC2, 0xBC where before == 0xEF: return true
      case 0xC3...0xE1, 0xE3...0xEE: hasOther = true
      case UInt8(ascii: ":"):
        if !hasColon, hasOther || asciiSenders.contains(letters) { return true }
        (hasColon, endsWithColon) = (true, true)
      case 0x21...0x7E:
        if (byte | 0x20) &- 0x61 < 26 { letters = joined(letters, byte | 0x20) }
        endsWithColon = false
      default: break
      }
      before = byte
    }
    return endsWithColon || mayBeForward(line)
  }

  /// The last eight letters as one number.
  private static func joined(_ letters: UInt64, _ letter: UInt8) -> UInt64 {
    letters << 8 | UInt64(letter)
  }

  /// The words for senders that have letters of ASCII only.
  private static let asciiSenders = Set(
    senders.filter { $0.utf8.allSatisfy { $0 < 0x80 } }.map { $0.utf8.reduce(0, joined) }
  )

  /// What follows in a line is not looked at.
  private static let longestLine = 300

  private static func lines(of text: [UInt8]) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    var start = 0
    while start <= text.count {
      let end = text[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? text.count
      lines.append(start..<end)
      start = end + 1
    }
    return lines
  }

  /// A line in small letters, without white space and marks of direction around it.
  private static func words(of line: ArraySlice<UInt8>) -> String {
    let text = String(decoding: line.prefix(longestLine), as: UTF8.self).lowercased().unicodeScalars
    let isBlank = { (scalar: Unicode.Scalar) in
      scalar.properties.isWhitespace || scalar.properties.generalCategory == .format
    }
    return String(text.drop(while: isBlank)).trimmed
  }

  /// Whether a line begins with the mark of a quoted one.
  private static func isMarked(_ line: String) -> Bool {
    line.hasPrefix(">") || line.hasPrefix("＞") || line.hasPrefix("&gt;") || line.hasPrefix("»")
  }

  private static func isForward(_ line: String) -> Bool {
    let isRuled = line.hasPrefix("--")
    let marks = line.prefix { !$0.isLetter }
    guard marks.count <= 30 else { return false }
    let words = line[marks.endIndex...]
    if isRuled {
      let kinds = ["original", "forward", "ursprüng", "weiter", "message d", "mensaje", "doorgest"]
      if kinds.contains(where: words.hasPrefix) { return true }
    }
    return [
      "forwarded from", "forwarded message", "begin forwarded", "fwd:", "fw:", "wg:", "rv:",
      "weitergeleitet", "transféré", "reenviado", "inoltrato", "doorgestuurd", "encaminhad",
      "переслан", "转发", "轉寄", "original message",
    ].contains(where: words.hasPrefix)
  }

  private static let senders = [
    "from", "von", "de", "da", "van", "fra", "från", "od", "от", "发件人", "寄件者", "差出人",
  ]
  private static let otherFields = [
    "sent", "date", "to", "subject", "gesendet", "datum", "an", "betreff", "envoyé", "à", "objet",
    "enviado", "para", "asunto", "assunto", "data", "inviato", "a", "oggetto", "verzonden", "aan",
    "onderwerp", "message-id", "sendt", "dato", "til", "emne", "skickat", "till", "ämne", "wysłano",
    "do", "temat", "отправлено", "дата", "кому", "тема", "发送时间", "日期", "收件人", "主题", "寄件日期",
    "收件者", "主旨", "送信日時", "日時", "宛先", "件名",
  ]

  private static func isHeaderField(_ line: String, _ names: [String]) -> Bool {
    let line = line.filter { $0 != "*" }
    guard let colon = line.firstIndex(where: { $0 == ":" || $0 == "：" }),
      line.index(after: colon) < line.endIndex
    else { return false }
    return names.contains(String(line[..<colon]).trimmed)
  }

  private static func isHeader(
    _ line: String,
    _ text: [UInt8],
    _ following: ArraySlice<Range<Int>>
  ) -> Bool {
    isHeaderField(line, senders)
      && following.prefix(5).contains { isHeaderField(words(of: text[$0]), otherFields) }
  }

  /// Whether a line says that another person wrote what follows: `On Tue, Mar 5, Ada wrote:`.
  private static func isAttribution(_ line: String) -> Bool {
    guard line.hasSuffix(":") || line.hasSuffix("：") else { return false }
    // `2024年3月5日 10:11 Ada <ada@example.com>:`
    if line.hasSuffix(">:"), line.contains("@") { return true }
    let words = line.split { !$0.isLetter }.map(String.init)
    // The end of a long line may have been put into the next one.
    guard words.count > 1 || words == ["wrote"], !words.contains(where: ownWords.contains) else {
      return false
    }
    if words.suffix(2).contains(where: verbs.contains) { return true }
    return line.contains(where: \.isNumber) && words.contains(where: verbsBeforeNames.contains)
  }

  /// Words for the owner, who quotes no one.
  private static let ownWords: Set = ["i", "we", "ich", "wir", "ik", "jag", "jeg"]
  private static let verbs: Set = [
    "wrote", "writes", "said", "says", "sent", "shared", "posted", "schrieb", "schreef", "écrit",
    "escribió", "scritto", "escreveu", "napisał", "napisała", "skrev", "kirjoitti", "написал",
    "написала", "пишет", "写道", "寫道",
  ]
  /// Verbs that are before a name of any length: `Am 5. März um 10:11 schrieb Ada Maria Byron:`.
  private static let verbsBeforeNames: Set = ["schrieb", "schreef", "skrev"]

  private static func isAttributed(_ line: String) -> Bool {
    pairs.contains { line.contains($0.begin) }
  }
}
