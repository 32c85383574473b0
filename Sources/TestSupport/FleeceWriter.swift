/// Writes values of Fleece as its authors describe them, so that tests need no file of Couchbase's own.
///
/// https://github.com/couchbase/fleece/blob/master/Fleece.md
package struct FleeceWriter {
  /// A value to be written.
  package indirect enum Value: Sendable {
    case null, undefined
    case boolean(Bool)
    /// In as few bytes as it needs.
    case integer(Int64)
    /// In eight bytes, without a sign.
    case unsigned(UInt64)
    case float(Float)
    /// A double that 32 bits hold.
    case shortDouble(Float)
    case double(Double)
    case text(String)
    /// The bytes of a text, whatever they are.
    case rawText([UInt8])
    case data([UInt8])
    case array([Value], isWide: Bool = false)
    case dictionary([(Key, Value)], isWide: Bool = false)
  }

  /// The name of a member.
  package enum Key: Sendable {
    case text(String)
    /// The number of a shared key.
    case number(Int)
    /// Leads to the dictionary that this one goes on from.
    case parent
  }

  package private(set) var bytes: [UInt8] = []
  private var textPlaces: [[UInt8]: Int] = [:]

  package init() {}

  /// The bytes of a whole value.
  package static func bytes(_ value: Value) -> [UInt8] {
    var writer = FleeceWriter()
    return writer.finish(value)
  }

  /// The list of shared keys, as the database keeps it.
  package static func sharedKeys(_ names: [String]) -> [UInt8] {
    bytes(.array(names.map { .text($0) }))
  }

  /// The body of a document of release 2: revisions with their values, or `nil` for those without one, the
  /// current one first.
  package static func revisions(_ revisions: [[UInt8]?]) -> [UInt8] {
    var tree: [UInt8] = []
    for (place, value) in revisions.enumerated() {
      let id: [UInt8] = [UInt8(revisions.count - place), 0xAB, 0xCD]
      let parent: [UInt8] = place + 1 < revisions.count ? [0, UInt8(place + 1)] : [0xFF, 0xFF]
      var revision = parent + [value == nil ? 0x02 : 0x82, UInt8(id.count)] + id + [1]
      revision += value ?? []
      tree += bigEndian(UInt32(revision.count + 4)) + revision
    }
    return tree + [0, 0, 0, 0]
  }

  private mutating func finish(_ value: Value) -> [UInt8] {
    let place = write(value)
    guard let place else { return bytes + scalar(value) }
    if (bytes.count - place) / 2 >= 0x4000 {
      bytes += Self.pointer(back: bytes.count - place, isWide: true)
      bytes += Self.pointer(back: 4, isWide: false)
    } else {
      bytes += Self.pointer(back: bytes.count - place, isWide: false)
    }
    return bytes
  }

  /// Writes a value and gives its place; `nil` for one of two bytes, which lies where it is used.
  private mutating func write(_ value: Value, width: Int = 2) -> Int? {
    switch value {
    case .array(let values, let isWide):
      guard !values.isEmpty else { return nil }
      let items = values.map { ($0, write($0, width: isWide ? 4 : 2)) }
      return collection(0x60, count: values.count, items, isWide)
    case .dictionary(let members, let isWide):
      guard !members.isEmpty else { return nil }
      var items: [(Value, Int?)] = []
      for (key, value) in members {
        let name = Self.value(of: key)
        items.append((name, write(name, width: isWide ? 4 : 2)))
        items.append((value, write(value, width: isWide ? 4 : 2)))
      }
      return collection(0x70, count: members.count, items, isWide)
    case .text(let text):
      if let place = textPlaces[Array(text.utf8)] { return place }
      let place = append(scalar(value), unless: width)
      if let place { textPlaces[Array(text.utf8)] = place }
      return place
    case .null, .undefined, .boolean, .integer, .unsigned, .float, .shortDouble, .double, .rawText,
      .data:
      return append(scalar(value), unless: width)
    }
  }

  private mutating func append(_ value: [UInt8], unless width: Int) -> Int? {
    guard value.count > width else { return nil }
    let place = bytes.count
    bytes += value + Array(repeating: 0, count: value.count % 2)
    return place
  }

  private mutating func collection(
    _ type: UInt8,
    count: Int,
    _ items: [(Value, Int?)],
    _ isWide: Bool
  ) -> Int {
    let start = bytes.count
    let shown = min(count, 2047)
    bytes += [type | (isWide ? 8 : 0) | UInt8(shown >> 8), UInt8(shown & 0xFF)]
    if count >= 2047 {
      let more = Self.varint(UInt64(count - 2047))
      bytes += more + Array(repeating: 0, count: more.count % 2)
    }
    for (value, place) in items {
      if let place {
        bytes += Self.pointer(back: bytes.count - place, isWide: isWide)
      } else {
        let value = scalar(value)
        bytes += value + Array(repeating: 0, count: (isWide ? 4 : 2) - value.count)
      }
    }
    return start
  }

  private static func value(of key: Key) -> Value {
    switch key {
    case .text(let text): .text(text)
    case .number(let number): .integer(Int64(number))
    case .parent: .integer(-2048)
    }
  }

  /// The bytes of a value without a collection in it.
  private func scalar(_ value: Value) -> [UInt8] {
    switch value {
    case .null: [0x30, 0]
    case .boolean(false): [0x34, 0]
    case .boolean(true): [0x38, 0]
    case .undefined: [0x3C, 0]
    case .integer(let number): Self.integer(number)
    case .unsigned(let number): [0x1F] + Self.littleEndian(number, 8)
    case .float(let number): [0x20, 0] + Self.littleEndian(UInt64(number.bitPattern), 4)
    case .shortDouble(let number): [0x24, 0] + Self.littleEndian(UInt64(number.bitPattern), 4)
    case .double(let number): [0x28, 0] + Self.littleEndian(number.bitPattern, 8)
    case .text(let text): Self.sized(0x40, Array(text.utf8))
    case .rawText(let bytes): Self.sized(0x40, bytes)
    case .data(let bytes): Self.sized(0x50, bytes)
    case .array(_, let isWide): [isWide ? 0x68 : 0x60, 0]
    case .dictionary(_, let isWide): [isWide ? 0x78 : 0x70, 0]
    }
  }

  private static func integer(_ number: Int64) -> [UInt8] {
    if (-2048...2047).contains(number) {
      return [UInt8((number >> 8) & 0x0F), UInt8(truncatingIfNeeded: number)]
    }
    let count = (1...8).first { count in
      let unused = Int64(64 - 8 * count)
      return (number << unused) >> unused == number
    }
    let bits = UInt64(bitPattern: number)
    return [0x10 | UInt8((count ?? 8) - 1)] + littleEndian(bits, count ?? 8)
  }

  private static func sized(_ type: UInt8, _ content: [UInt8]) -> [UInt8] {
    content.count < 15
      ? [type | UInt8(content.count)] + content
      : [type | 15] + varint(UInt64(content.count)) + content
  }

  private static func pointer(back distance: Int, isWide: Bool) -> [UInt8] {
    let offset = UInt32(distance / 2)
    let pointer = bigEndian(offset | 0x8000_0000)
    if isWide { return pointer }
    precondition(offset < 0x4000, "the collection has to be wide")
    return [0x80 | UInt8(offset >> 8), UInt8(offset & 0xFF)]
  }

  private static func bigEndian(_ number: UInt32) -> [UInt8] {
    (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
  }

  private static func littleEndian(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  package static func varint(_ number: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    var left = number
    while left >= 0x80 {
      bytes.append(UInt8(left & 0x7F) | 0x80)
      left >>= 7
    }
    return bytes + [UInt8(left)]
  }
}
