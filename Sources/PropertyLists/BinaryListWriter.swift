extension PropertyList {
  /// The list as a binary property list, each value an object of its own.
  package var binary: [UInt8] {
    var writer = BinaryListWriter()
    let top = writer.add(self)
    return writer.file(top: top)
  }
}

/// Writes the objects of a binary property list (`bplist00`), and behind them where each begins.
struct BinaryListWriter {
  private var objects: [[UInt8]] = []

  mutating func add(_ value: PropertyList) -> Int {
    let object: [UInt8]
    switch value {
    case .null: object = [0x00]
    case .boolean(let flag): object = [flag ? 0x09 : 0x08]
    case .integer(let number): object = Self.integer(number)
    case .unsignedInteger(let number):
      object = [0x14] + Self.bigEndian(0, 8) + Self.bigEndian(number, 8)
    case .real(let number): object = [0x23] + Self.bigEndian(number.bitPattern, 8)
    case .date(let seconds): object = [0x33] + Self.bigEndian(seconds.bitPattern, 8)
    case .data(let bytes): object = Self.marker(0x4, bytes.count) + bytes
    case .string(let text): object = Self.string(text)
    case .long: preconditionFailure("a list that is written is held")
    case .uid(let number): object = [0x83] + Self.bigEndian(UInt64(number), 4)
    case .array(let elements): object = container(0xA, elements.count, elements)
    case .set(let elements): object = container(0xC, elements.count, elements)
    case .dictionary(let members):
      object = container(
        0xD,
        members.count,
        members.map { .string($0.name) } + members.map(\.value)
      )
    }
    objects.append(object)
    return objects.count - 1
  }

  /// The whole file: the objects, the table of their places, and the trailer of 32 bytes.
  func file(top: Int) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var places: [UInt64] = []
    for object in objects {
      places.append(UInt64(bytes.count))
      bytes += object
    }
    let table = UInt64(bytes.count)
    for place in places { bytes += Self.bigEndian(place, 4) }
    bytes += [0, 0, 0, 0, 0, 0, 4, 4]
    for number in [UInt64(objects.count), UInt64(top), table] { bytes += Self.bigEndian(number, 8) }
    return bytes
  }

  private mutating func container(_ kind: UInt8, _ count: Int, _ parts: [PropertyList]) -> [UInt8] {
    let references = parts.map { add($0) }
    return Self.marker(kind, count) + references.flatMap { Self.bigEndian(UInt64($0), 4) }
  }

  private static func integer(_ number: Int64) -> [UInt8] {
    switch number {
    case 0...0xFF: [0x10] + bigEndian(UInt64(number), 1)
    case 0x100...0xFFFF: [0x11] + bigEndian(UInt64(number), 2)
    case 0x1_0000...0xFFFF_FFFF: [0x12] + bigEndian(UInt64(number), 4)
    default: [0x13] + bigEndian(UInt64(bitPattern: number), 8)
    }
  }

  /// ASCII in bytes, any other text in UTF-16.
  private static func string(_ text: String) -> [UInt8] {
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      return marker(0x5, text.utf8.count) + Array(text.utf8)
    }
    return marker(0x6, text.utf16.count) + text.utf16.flatMap { bigEndian(UInt64($0), 2) }
  }

  private static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 15] + integer(Int64(count))
  }

  private static func bigEndian(_ number: UInt64, _ size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}
