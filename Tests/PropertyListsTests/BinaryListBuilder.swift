import PropertyLists

/// Writes binary property lists for tests.
enum BinaryListBuilder {
  /// A list of these objects as they are, the first on top, references of one byte.
  static func list(_ objects: [[UInt8]], offsetSize: Int = 2) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      bytes += object
    }
    let table = bytes.count
    for offset in offsets { bytes += bigEndian(offset, size: offsetSize) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), 1]
    bytes += bigEndian(objects.count, size: 8) + bigEndian(0, size: 8) + bigEndian(table, size: 8)
    return bytes
  }

  static func bigEndian(_ number: Int, size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}
