/// UUIDs as upper-case text.
enum UUIDText {
  static let length = 36

  /// Writes the text of 16 bytes.
  static func write(_ source: UnsafeRawBufferPointer, with pen: inout Pen) {
    for index in 0..<16 {
      if index == 4 || index == 6 || index == 8 || index == 10 { pen.put(UInt8(ascii: "-")) }
      let byte = source[index]
      pen.put(digit(byte >> 4))
      pen.put(digit(byte & 15))
    }
  }

  static func append(_ source: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    withUnsafeTemporaryAllocation(byteCount: length, alignment: 1) { room in
      guard let start = room.baseAddress else { return }
      var pen = Pen(start)
      write(source, with: &pen)
      bytes.append(contentsOf: room)
    }
  }

  @inline(__always)
  private static func digit(_ value: UInt8) -> UInt8 {
    value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "A") - 10)
  }
}
