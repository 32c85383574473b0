import DestinationModel
import Files
import JSONText
import LongTexts
import TextCodecs

/// A column's text that is too long to be held, to be sent in pieces.
struct LongColumn: Sendable {
  /// How the bytes of a part become a column's text.
  private enum Form {
    /// A string of JSON, without its quotes and escapes.
    case text(LongText)
    /// The same, whose base64 becomes digits.
    case bytes(LongText)
    case json([UInt8])
  }

  private enum Part {
    case bytes([UInt8])
    case long(Form, isElement: Bool)
  }

  private let parts: [Part]
  private let texts: LongTexts

  /// Takes a value with a stand-in for each of its long texts; `nil` for one that has none in a place where its
  /// column may have one.
  init?(
    _ value: JSONValue,
    as type: ColumnType,
    _ texts: LongTexts
  ) throws(ColumnType.Misfit) {
    self.texts = texts
    guard case .array(let element) = type, let elements = value.array else {
      guard let form = Self.form(of: value, type) else { return nil }
      let opening: [Part] = if case .bytes = form { [.bytes(Array("\\x".utf8))] } else { [] }
      parts = opening + [.long(form, isElement: false)]
      return
    }
    var parts: [Part] = []
    for (place, value) in elements.enumerated() {
      var opening = place > 0 ? "," : ""
      if let form = Self.form(of: value, element) {
        opening += "\""
        if case .bytes = form { opening += "\\\\x" }
        parts += [
          .bytes(Array(opening.utf8)), .long(form, isElement: true), .bytes([UInt8(ascii: "\"")]),
        ]
      } else {
        ArrayText.append(try element.text(of: value), to: &opening)
        parts.append(.bytes(Array(opening.utf8)))
      }
    }
    guard parts.contains(where: { if case .long = $0 { true } else { false } }) else { return nil }
    self.parts = [.bytes([UInt8(ascii: "{")])] + parts + [.bytes([UInt8(ascii: "}")])]
  }

  private static func form(of value: JSONValue, _ type: ColumnType) -> Form? {
    let text = value.text.flatMap { LongText(standIn: $0.utf8) }
    switch type {
    case .text, .other: return text.map { .text($0) }
    case .bytes: return text.map { .bytes($0) }
    case .json:
      let json = value.canonicalBytes
      return LongText.mayBeIn(json) ? .json(json) : nil
    case .boolean, .integer, .numeric, .float, .uuid, .instant, .date, .array: return nil
    }
  }

  /// Passes the column's text on, piece by piece.
  ///
  /// - Throws: What the body throws, and a `ServerFault` as the server would state it where the text is not at
  ///   hand any more, or the column cannot hold it.
  func read(_ body: ([UInt8]) throws(DatabaseFault) -> Void) throws(DatabaseFault) {
    for part in parts {
      switch part {
      case .bytes(let bytes): try body(bytes)
      case .long(let form, let isElement):
        try read(form) { piece throws(DatabaseFault) in
          try body(isElement ? Self.escaped(piece) : piece)
        }
      }
    }
  }

  private func read(
    _ form: Form,
    _ body: ([UInt8]) throws(DatabaseFault) -> Void
  ) throws(DatabaseFault) {
    switch form {
    case .text(let text):
      try read(text) { piece throws(DatabaseFault) in
        guard !piece.contains(0) else {
          throw .unfit("it has the character U+0000, which no column can hold")
        }
        try body(piece)
      }
    case .bytes(let text): try readBytes(text, body)
    case .json(let json):
      let found = try Self.available { () throws(LongTextFault) in try texts.body(of: json) }
      guard let reader = found?.reader() else { return try body(json) }
      while let piece = try Self.available({ () throws(LongTextFault) in try reader.next() }) {
        try body(piece)
      }
    }
  }

  private func read(
    _ text: LongText,
    _ body: ([UInt8]) throws(DatabaseFault) -> Void
  ) throws(DatabaseFault) {
    let reader = try Self.available { () throws(LongTextFault) in try texts.reader(of: text) }
    while let piece = try Self.available({ () throws(LongTextFault) in try reader.next() }) {
      try body(piece)
    }
  }

  /// Four digits of base64 are three bytes; only the last four may have a padding.
  private func readBytes(
    _ text: LongText,
    _ body: ([UInt8]) throws(DatabaseFault) -> Void
  ) throws(DatabaseFault) {
    var rest: [UInt8] = []
    var isPadded = false
    func decode(_ digits: [UInt8]) throws(DatabaseFault) {
      guard !isPadded, let bytes = Base64.bytes(padded: digits) else {
        throw .unfit("the column takes bytes in base64")
      }
      isPadded = digits.last == UInt8(ascii: "=")
      try body(Array(Hexadecimal.text(bytes).utf8))
    }
    try read(text) { piece throws(DatabaseFault) in
      let digits = rest + piece
      let count = digits.count / 4 * 4
      rest = Array(digits[count...])
      if count > 0 { try decode(Array(digits[..<count])) }
    }
    if !rest.isEmpty { try decode(rest) }
  }

  /// A piece of an element of an array, as it is between its quotes.
  private static func escaped(_ piece: [UInt8]) -> [UInt8] {
    var escaped: [UInt8] = []
    escaped.reserveCapacity(piece.count + piece.count / 16)
    for byte in piece {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        escaped.append(UInt8(ascii: "\\"))
      }
      escaped.append(byte)
    }
    return escaped
  }

  private static func available<Value>(
    _ read: () throws(LongTextFault) -> Value
  ) throws(DatabaseFault) -> Value {
    do throws(LongTextFault) { return try read() } catch {
      // Nothing is wrong with the row: it may be sent later.
      throw .refused(ServerFault(code: "57014", message: error.description))
    }
  }

  /// The whole text, for a role that may not have the server put it together.
  func held() throws(DatabaseFault) -> String {
    var bytes: [UInt8] = []
    try read { piece throws(DatabaseFault) in bytes += piece }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension DatabaseFault {
  /// What the server would say of a value that its column does not take.
  fileprivate static func unfit(_ reason: String) -> DatabaseFault {
    .refused(ServerFault(code: "22021", message: reason))
  }
}

// MARK: - Long values of a row that is read

extension DatabaseColumn {
  /// The column's value of one row as JSON, from its bytes in pieces.
  ///
  /// `pieces` gives all of them to its argument; each but the last has a multiple of three bytes.
  func value(
    _ texts: LongTexts,
    from pieces: (([UInt8]) throws(DatabaseFault) -> Void) throws(DatabaseFault) -> Void
  ) throws(DatabaseFault) -> JSONValue {
    let json =
      switch type {
      case .json, .array: try Self.filtered(texts, pieces)
      default: try Self.quoted(texts, isBytes: type == .bytes, pieces)
      }
    guard let value = try? JSONValue(parsing: json) else {
      throw .refused(
        ServerFault(code: "22P02", message: "the column \(name) has a value that is no JSON")
      )
    }
    return value
  }

  private static func filtered(
    _ texts: LongTexts,
    _ pieces: (([UInt8]) throws(DatabaseFault) -> Void) throws(DatabaseFault) -> Void
  ) throws(DatabaseFault) -> [UInt8] {
    var filter = LongTextFilter(texts, .written)
    try pieces { piece throws(DatabaseFault) in
      do throws(FileError) { try filter.take(piece) } catch { throw .unkept(error) }
    }
    return filter.finished()
  }

  private static func quoted(
    _ texts: LongTexts,
    isBytes: Bool,
    _ pieces: (([UInt8]) throws(DatabaseFault) -> Void) throws(DatabaseFault) -> Void
  ) throws(DatabaseFault) -> [UInt8] {
    var writer: LongStringWriter
    do throws(FileError) { writer = try LongStringWriter(texts) } catch { throw .unkept(error) }
    try pieces { piece throws(DatabaseFault) in
      let text = isBytes ? Array(Base64.text(piece).utf8) : piece
      do throws(FileError) { try writer.take(text) } catch { throw .unkept(error) }
    }
    do throws(FileError) { return try writer.finished() } catch { throw .unkept(error) }
  }
}

extension DatabaseFault {
  /// Why a long text that the database has cannot be kept in a file.
  static func unkept(_ error: FileError) -> DatabaseFault {
    .misfit(
      .misconfigured(
        reason: "a long text of a record could not be kept in a file: \(error)",
        cure: "free some space, or let TMPDIR name a folder on another disk"
      )
    )
  }
}
