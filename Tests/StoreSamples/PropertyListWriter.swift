package import PropertyLists

/// Writes binary property lists for tests, each value as an object of its own.
package struct PropertyListWriter {
  private var objects: [[UInt8]] = []

  package static func bytes(_ list: PropertyList) -> [UInt8] {
    var writer = PropertyListWriter()
    let top = writer.add(list)
    return writer.file(top: top)
  }

  private func file(top: Int) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      bytes += object
    }
    let table = bytes.count
    for offset in offsets { bytes += Self.bigEndian(offset, 4) }
    bytes += [0, 0, 0, 0, 0, 0, 4, 4]
    for number in [objects.count, top, table] { bytes += Self.bigEndian(number, 8) }
    return bytes
  }

  private mutating func add(_ value: PropertyList) -> Int {
    let object: [UInt8]
    switch value {
    case .null: object = [0]
    case .boolean(let flag): object = [flag ? 9 : 8]
    case .integer(let number): object = [0x13] + Self.bigEndian(Int(number), 8)
    case .unsignedInteger(let number):
      object = [0x14] + Self.bigEndian(0, 8) + Self.bigEndian(Int(bitPattern: UInt(number)), 8)
    case .real(let number):
      object = [0x23] + Self.bigEndian(Int(bitPattern: UInt(number.bitPattern)), 8)
    case .date(let seconds):
      object = [0x33] + Self.bigEndian(Int(bitPattern: UInt(seconds.bitPattern)), 8)
    case .data(let bytes): object = Self.marker(4, bytes.count) + bytes
    case .string(let text): object = Self.marker(5, text.utf8.count) + Array(text.utf8)
    case .long: preconditionFailure("samples are held")
    case .uid(let number): object = [0x83] + Self.bigEndian(number, 4)
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

  private mutating func container(_ kind: UInt8, _ count: Int, _ parts: [PropertyList]) -> [UInt8] {
    let references = parts.map { add($0) }
    return Self.marker(kind, count) + references.flatMap { Self.bigEndian($0, 4) }
  }

  private static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 15, 0x12] + bigEndian(count, 4)
  }

  private static func bigEndian(_ number: Int, _ size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}
