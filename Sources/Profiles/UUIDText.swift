/// UUIDs as upper-case text.
enum UUIDText {
  static let length = 36

  /// Writes the text of 16 bytes.
  static func write(_ source: UnsafeRawBufferPointer, to room: UnsafeMutableRawPointer) {
    // Where the digits of each four bytes go, eight of them, or twice four around a hyphen.
    put(digits(source, 0), 8, to: room)
    put(digits(source, 4) >> 32, 4, to: room + 9)
    put(digits(source, 4), 4, to: room + 14)
    put(digits(source, 8) >> 32, 4, to: room + 19)
    put(digits(source, 8), 4, to: room + 24)
    put(digits(source, 12), 8, to: room + 28)
    for place in stride(from: 8, through: 23, by: 5) {
      room.storeBytes(of: UInt8(ascii: "-"), toByteOffset: place, as: UInt8.self)
    }
  }

  static func append(_ source: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    withUnsafeTemporaryAllocation(byteCount: length, alignment: 1) { room in
      guard let start = room.baseAddress else { return }
      write(source, to: start)
      bytes.append(contentsOf: room)
    }
  }

  /// The eight digits of four bytes, the first in the highest byte, all computed at once.
  @inline(__always)
  private static func digits(_ source: UnsafeRawBufferPointer, _ start: Int) -> UInt64 {
    let four = source.loadUnaligned(fromByteOffset: start, as: UInt32.self)
    var spread = UInt64(UInt32(bigEndian: four))
    spread = (spread & 0xFFFF_0000) << 16 | spread & 0xFFFF
    spread = spread << 8 & 0x00FF_0000_00FF_0000 | spread & 0x0000_00FF_0000_00FF
    spread = spread << 4 & 0x0F00_0F00_0F00_0F00 | spread & 0x000F_000F_000F_000F
    let isLetter = (spread + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return spread + 0x3030_3030_3030_3030 + isLetter * 7
  }

  /// Stores the last `count` bytes, highest first.
  @inline(__always)
  private static func put(_ digits: UInt64, _ count: Int, to room: UnsafeMutableRawPointer) {
    if count == 8 {
      room.storeBytes(of: digits.bigEndian, as: UInt64.self)
    } else {
      room.storeBytes(of: UInt32(truncatingIfNeeded: digits).bigEndian, as: UInt32.self)
    }
  }
}
