import JSONText
import TextCodecs

/// Writes a property list as JSON that a reader can turn back into the same list.
///
/// | value | becomes |
/// |---|---|
/// | string, boolean, null | itself |
/// | integer, up to `UInt64.max` | its digits, without fraction and exponent |
/// | real | the shortest digits, always with a fraction or an exponent; else `{"$real": "NaN"}` |
/// | date | `{"$date": "2001-01-01T00:00:00Z"}`; one that no calendar has as `{"$date": seconds}` |
/// | data | `{"$base64": "…"}` |
/// | array | an array |
/// | set | `{"$set": […]}` |
/// | dictionary | an object; a name that begins with `$` gets one more in front |
/// | UID | `{"$uid": 5}` |
///
/// Members are sorted by the bytes of their names, so that the text is canonical.
package struct PropertyListJSON {
  private var writer = JSONWriter()
  private var leaves: [(leaf: LongLeaf, place: Int)] = []
  /// How many bytes their texts have together.
  private var leavesSize = 0
  private let limit: Int
  private var isTooLong = false

  /// The longest text that is written: a small file can share one value a million times.
  package static let limit = 256 << 20

  private init(limit: Int) {
    self.limit = limit
  }

  /// The text, or `nil` when it would be longer than `limit` bytes.
  ///
  /// A long leaf is an empty string in it, between whose quotes its text belongs, or its bytes in base 64.
  package static func parts(
    _ list: PropertyList,
    limit: Int = Self.limit
  ) -> (json: [UInt8], leaves: [(leaf: LongLeaf, place: Int)])? {
    var json = PropertyListJSON(limit: limit)
    json.write(list)
    return json.isTooLong ? nil : (json.writer.bytes, json.leaves)
  }

  /// The text of a list that is held, or `nil` when it would be longer than ``limit``.
  package static func bytes(_ list: PropertyList) -> [UInt8]? {
    guard let parts = parts(list) else { return nil }
    precondition(parts.leaves.isEmpty, "the list is held")
    return parts.json
  }

  // The depth is bounded: a list that lies too deep is refused when it is read.
  private mutating func write(_ list: PropertyList) {
    guard !isTooLong, writer.count + leavesSize <= limit else {
      isTooLong = true
      return
    }
    switch list {
    case .null: writer.null()
    case .boolean(let flag): writer.boolean(flag)
    case .integer(let number): writer.integer(number)
    case .unsignedInteger(let number): writer.unsigned(number)
    // Swift's own description has a fraction or an exponent, and reads back the same.
    case .real(let number) where number.isFinite: writer.raw(Array(number.description.utf8))
    case .real(let number): tag("$real", Self.infinite(number))
    case .date(let seconds): tag("$date", Self.date(seconds))
    case .data(let bytes): tag("$base64", .string(Base64.text(bytes)))
    case .string(let text): writer.string(text)
    case .long(let leaf) where leaf.isText: add(leaf)
    case .long(let leaf):
      writer.beginObject()
      writer.name("$base64" as String)
      add(leaf)
      writer.endObject()
    case .array(let elements): write(elements)
    case .set(let elements):
      writer.beginObject()
      writer.name("$set" as String)
      write(elements)
      writer.endObject()
    case .dictionary(let members): write(members)
    case .uid(let number): tag("$uid", .number(JSONNumber(Int64(number))))
    }
  }

  private mutating func add(_ leaf: LongLeaf) {
    writer.string("" as String)
    leaves.append((leaf, writer.count - 1))
    leavesSize += leaf.isText ? leaf.count : Base64.length(of: leaf.count)
  }

  private mutating func write(_ elements: [PropertyList]) {
    writer.beginArray()
    for element in elements {
      write(element)
      if isTooLong { break }
    }
    writer.endArray()
  }

  private mutating func write(_ members: [PropertyList.Member]) {
    writer.beginObject()
    for member in members.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
      writer.name(member.name.hasPrefix("$") ? "$" + member.name : member.name)
      write(member.value)
      if isTooLong { break }
    }
    writer.endObject()
  }

  private mutating func tag(_ name: String, _ value: JSONValue) {
    writer.beginObject()
    writer.name(name)
    writer.value(value)
    writer.endObject()
  }

  private static func date(_ seconds: Double) -> JSONValue {
    guard seconds.isFinite else { return infinite(seconds) }
    let text = ReferenceDate.text(seconds: seconds)
    return text.hasSuffix("Z") ? .string(text) : .number(JSONNumber(seconds))
  }

  private static func infinite(_ number: Double) -> JSONValue {
    .string(number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")
  }
}
