import CouchbaseDocuments
import JSONText
import TextCodecs

/// Writes values of Fleece as JSON.
///
/// | value | JSON |
/// |---|---|
/// | null, truth value, whole number, text | itself |
/// | number of 32 or 64 bits | the shortest digits that read back the same as a double; `{"$real": "NaN"}` and the like where there are none |
/// | data, a text that is not UTF-8 | `{"$base64": "…"}` |
/// | array, dictionary | an array, an object |
/// | undefined in an array | null |
enum FleeceJSON {
  /// Writes a value.
  static func write(_ value: FleeceValue, to writer: inout JSONWriter) {
    switch value {
    case .null, .undefined: writer.null()
    case .boolean(let flag): writer.boolean(flag)
    case .integer(let number): writer.integer(number)
    case .unsigned(let number): writer.unsigned(number)
    case .float(let number): write(Double(number), to: &writer)
    case .double(let number): write(number, to: &writer)
    case .text(let text): writer.string(text)
    case .malformedText(let bytes), .data(let bytes):
      tag("$base64", Base64.text(bytes), to: &writer)
    case .array(let values):
      writer.beginArray()
      for value in values { write(value, to: &writer) }
      writer.endArray()
    case .dictionary(let members): write(members, to: &writer)
    }
  }

  /// Writes the members of a dictionary as an object.
  static func write(_ members: [FleeceMember], to writer: inout JSONWriter) {
    writer.beginObject()
    for member in members {
      writer.name(member.name)
      write(member.value, to: &writer)
    }
    writer.endObject()
  }

  private static func write(_ number: Double, to writer: inout JSONWriter) {
    guard !number.isFinite else { return writer.double(number) }
    tag("$real", number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity", to: &writer)
  }

  private static func tag(_ name: String, _ text: String, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.name(name)
    writer.string(text)
    writer.endObject()
  }
}
