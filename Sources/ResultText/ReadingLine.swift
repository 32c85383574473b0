package import JSONText
import ResultGrammar

extension TextReading {
  /// Writes what became of a text as one line of JSON, without its line end.
  ///
  /// - Parameters:
  ///   - line: The text's place among those that were read, counted from one.
  ///   - bucket: The bucket, where it is not ``bucket`` but `duplicate`.
  ///   - given: The reason, where it is not ``reason``.
  ///   - place: The file and place it is at, where the line alone does not state.
  ///   - writer: What the line is added to.
  package func write(
    line: Int,
    bucket: String? = nil,
    reason given: String? = nil,
    place: (file: String, place: String)? = nil,
    to writer: inout JSONWriter
  ) {
    writer.beginObject()
    writer.name("line")
    writer.integer(Int64(line))
    writer.name("bucket")
    writer.string(bucket ?? self.bucket.rawValue)
    writer.name("results")
    writer.beginArray()
    for result in results { result.write(to: &writer) }
    writer.endArray()
    writer.name("undescribed")
    writer.beginArray()
    for result in undescribed { result.write(to: &writer) }
    writer.endArray()
    writer.name("reason")
    if let reason = given ?? reason { writer.string(reason) } else { writer.null() }
    if let place {
      writer.name("file")
      writer.string(place.file)
      writer.name("place")
      writer.string(place.place)
    }
    writer.endObject()
  }
}

extension GameResult {
  /// Writes the result as a JSON object; what the text does not say is null.
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.name("game")
    writer.string(game)
    writer.name("gameName")
    writer.string(gameName)
    Self.write("puzzle", puzzle.map { ResultNumber($0) }, to: &writer)
    Self.write("puzzleDay", puzzleDay?.description, to: &writer)
    Self.write("score", score, to: &writer)
    Self.write("maxAttempts", maxAttempts.map { ResultNumber($0) }, to: &writer)
    writer.name("completed")
    writer.boolean(completed)
    writer.name("hardMode")
    if let hardMode { writer.boolean(hardMode) } else { writer.null() }
    Self.write("timeSeconds", timeSeconds, to: &writer)
    Self.write("variant", variant, to: &writer)
    writer.name("truncated")
    writer.boolean(isTruncated)
    writer.name("fields")
    writer.beginObject()
    for field in fields {
      writer.name(field.name)
      Self.write(field.value, to: &writer)
    }
    writer.endObject()
    writer.name("start")
    writer.integer(Int64(range.lowerBound))
    writer.name("end")
    writer.integer(Int64(range.upperBound))
    writer.name("identity")
    writer.string(identity)
    writer.endObject()
  }

  fileprivate static func write(
    _ name: StaticString,
    _ number: ResultNumber?,
    to writer: inout JSONWriter
  ) {
    writer.name(name)
    if let number { write(.number(number), to: &writer) } else { writer.null() }
  }

  fileprivate static func write(
    _ name: StaticString,
    _ text: String?,
    to writer: inout JSONWriter
  ) {
    writer.name(name)
    if let text { writer.string(text) } else { writer.null() }
  }

  fileprivate static func write(_ value: Value, to writer: inout JSONWriter) {
    switch value {
    case .number(let number): writer.raw(Array(number.description.utf8))
    case .text(let text): writer.string(text)
    case .flag(let flag): writer.boolean(flag)
    case .day(let day): writer.string(day.description)
    case .numbers(let numbers):
      writer.beginArray()
      for number in numbers {
        if let number { writer.integer(Int64(number)) } else { writer.null() }
      }
      writer.endArray()
    }
  }
}

extension UndescribedResult {
  /// Writes the result as a JSON object; what the text does not say is null.
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    GameResult.write("name", name, to: &writer)
    GameResult.write("mode", mode, to: &writer)
    GameResult.write("puzzle", puzzle.map { ResultNumber($0) }, to: &writer)
    GameResult.write("puzzleDay", puzzleDay?.description, to: &writer)
    GameResult.write("score", score, to: &writer)
    GameResult.write("maximum", maximum, to: &writer)
    GameResult.write("timeSeconds", timeSeconds, to: &writer)
    Self.write("completed", completed, to: &writer)
    Self.write("hardMode", hardMode, to: &writer)
    writer.name("rows")
    writer.beginArray()
    for row in rows { writer.string(row) }
    writer.endArray()
    writer.name("start")
    writer.integer(Int64(range.lowerBound))
    writer.name("end")
    writer.integer(Int64(range.upperBound))
    writer.name("identity")
    writer.string(identity)
    writer.endObject()
  }

  private static func write(
    _ name: StaticString,
    _ flag: Bool?,
    to writer: inout JSONWriter
  ) {
    writer.name(name)
    if let flag { writer.boolean(flag) } else { writer.null() }
  }
}
