/// Stands in for the library of that name, which is not built from sources here: what is digested
/// does not matter to a reader that is fed with anything.
package struct SHA256 {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  package init() {}

  package static func hash(data: some Sequence<UInt8>) -> [UInt8] {
    var hash = SHA256()
    hash.update(data: data)
    return hash.finalize()
  }

  package mutating func update(data: some Sequence<UInt8>) {
    for byte in data { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  package mutating func update(bufferPointer: UnsafeRawBufferPointer) {
    update(data: bufferPointer)
  }

  package func finalize() -> [UInt8] {
    (0..<32).map { UInt8(truncatingIfNeeded: state >> (8 * ($0 % 8))) }
  }
}
