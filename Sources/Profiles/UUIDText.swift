/// UUIDs as upper-case text.
enum UUIDText {
  private static let digits = Array("0123456789ABCDEF".utf8)

  static func append(_ source: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    for (index, byte) in source.enumerated() {
      if index == 4 || index == 6 || index == 8 || index == 10 { bytes.append(UInt8(ascii: "-")) }
      bytes.append(digits[Int(byte >> 4)])
      bytes.append(digits[Int(byte & 15)])
    }
  }
}
