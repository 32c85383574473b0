import CouchbaseDocuments
import Files
import JSONText
import LongTexts
import TextCodecs

/// Writes values of Fleece as JSON, in canonical form.
///
/// | value | JSON |
/// |---|---|
/// | null, truth value, whole number, text | itself |
/// | number of 32 or 64 bits | the shortest digits that read back the same as a double; `{"$real": "NaN"}` and the like where there are none |
/// | data, a text that is not UTF-8 | `{"$base64": "…"}` |
/// | array, dictionary | an array, an object |
/// | undefined in an array | null |
///
/// A text that is too long to be held has a stand-in.
struct FleeceJSON {
  private(set) var writer = JSONWriter()
  /// How many bytes the long texts have that are not in what was written.
  private(set) var longCount: Int64 = 0
  private let texts: LongTexts
  /// What the long texts and arrays lie in, and what reads these.
  private let content: DocumentBytes
  private let reader: FleeceReader
  /// What was written for each long text or data.
  private var written: [FleeceValue: Long] = [:]

  /// What a long text or data becomes.
  private struct Long {
    let json: [UInt8]
    let isText: Bool
    let count: Int
  }

  /// How many bytes are taken at a time, a multiple of three.
  private static let pieceSize = 3 << 16

  init(_ content: DocumentBytes, of reader: FleeceReader, _ texts: LongTexts) {
    self.content = content
    self.reader = reader
    self.texts = texts
  }

  /// Writes a value; gives where it lies in what has been written.
  mutating func write(part value: FleeceValue) throws(UnreadableDocument) -> Range<Int> {
    let start = writer.count
    try write(value)
    return start..<writer.count
  }

  private mutating func write(_ value: FleeceValue) throws(UnreadableDocument) {
    switch value {
    case .null, .undefined: writer.null()
    case .boolean(let flag): writer.boolean(flag)
    case .integer(let number): writer.integer(number)
    case .unsigned(let number): writer.unsigned(number)
    case .float(let number): write(Double(number))
    case .double(let number): write(number)
    case .text(let text): try write(text)
    case .malformedText(let bytes), .data(let bytes): tag("$base64", Base64.text(bytes))
    case .long(let range, let isText): try write(value, range, isText: isText)
    case .array(let values):
      writer.beginArray()
      for value in values { try write(value) }
      writer.endArray()
    case .longArray(let items):
      writer.beginArray()
      var items = reader.items(of: items, in: content)
      while let value = try UnreadableDocument.reading({ () throws(FleeceError) in
        try items.take()
      }) {
        try write(value)
      }
      writer.endArray()
    case .dictionary(let members): try write(members)
    }
  }

  /// What has been written, without a copy of it.
  consuming func finished() -> [UInt8] { writer.finished() }

  /// Writes the members of a dictionary as an object, in the order of their names.
  private mutating func write(_ members: [FleeceMember]) throws(UnreadableDocument) {
    writer.beginObject()
    for member in members.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
      try write(name: member.name)
      try write(member.value)
    }
    writer.endObject()
  }

  private mutating func write(_ number: Double) {
    guard !number.isFinite else { return writer.double(number) }
    tag("$real", number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")
  }

  private mutating func tag(_ name: String, _ text: String) {
    writer.beginObject()
    writer.name(name)
    writer.string(text)
    writer.endObject()
  }
}

// MARK: - Long texts

extension FleeceJSON {
  /// Writes a text that is held; one that could be taken for the place of a long one gets a stand-in too.
  private mutating func write(_ text: String) throws(UnreadableDocument) {
    guard text.utf8.starts(with: LongText.mark) else { return writer.string(text) }
    writer.raw(try standingIn(text))
  }

  private mutating func write(name: String) throws(UnreadableDocument) {
    guard name.utf8.starts(with: LongText.mark) else { return writer.name(name) }
    writer.name(Array(try standingIn(name).dropFirst().dropLast()))
  }

  private func standingIn(_ text: String) throws(UnreadableDocument) -> [UInt8] {
    try UnreadableDocument.reading { () throws(FileError) in
      var string = try LongStringWriter(texts)
      try string.take(Array(text.utf8))
      return try string.finished()
    }
  }

  /// Writes a text or data that is not held; one that several values point to is read once.
  private mutating func write(
    _ value: FleeceValue,
    _ range: Range<Int>,
    isText: Bool
  ) throws(UnreadableDocument) {
    let long: Long
    if let known = written[value] {
      long = known
    } else {
      long = try UnreadableDocument.reading { () throws(FileError) in
        try read(range, isText: isText)
      }
      written[value] = long
    }
    longCount += Int64(long.count)
    guard !long.isText else { return writer.raw(long.json) }
    writer.beginObject()
    writer.name("$base64" as String)
    writer.raw(long.json)
    writer.endObject()
  }

  /// The string of a text, or of data in base 64, as is that of a text that is not UTF-8.
  private func read(_ range: Range<Int>, isText: Bool) throws(FileError) -> Long {
    var string = try LongStringWriter(texts)
    for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.pieceSize) {
      let piece = content.bytes(start..<min(range.upperBound, start + Self.pieceSize))
      try string.take(isText ? piece : Array(Base64.text(piece).utf8))
    }
    let json = try string.finished()
    guard !isText || String(validating: json, as: UTF8.self) != nil else {
      return try read(range, isText: false)
    }
    return Long(
      json: json,
      isText: isText,
      count: isText ? range.count : Base64.length(of: range.count)
    )
  }
}

/// Why a document cannot be read.
struct UnreadableDocument: Error {
  let reason: String

  /// Gives what is read, or the reason why it cannot be.
  static func reading<Value, Failure: Error & CustomStringConvertible>(
    _ body: () throws(Failure) -> Value
  ) throws(UnreadableDocument) -> Value {
    do throws(Failure) {
      return try body()
    } catch {
      throw UnreadableDocument(reason: error.description)
    }
  }
}
