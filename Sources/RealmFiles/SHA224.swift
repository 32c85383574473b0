/// SHA-224: SHA-256 with other initial values, cut to 28 bytes (FIPS 180-4, sections 5.3.2 and 6.3).
///
/// Realm authenticates its encrypted pages with it, and swift-crypto has no SHA-224.
package struct SHA224 {
  package static let digestSize = 28
  static let blockSize = 64

  /// The first halves of the fractional parts' second 32 bits, of the ninth to sixteenth prime's roots.
  private var state: [UInt32] = [
    0xC105_9ED8, 0x367C_D507, 0x3070_DD17, 0xF70E_5939,
    0xFFC0_0B31, 0x6858_1511, 0x64F9_8FA7, 0xBEFA_4FA4,
  ]
  private var schedule: [UInt32] = Array(repeating: 0, count: 64)
  private var byteCount: UInt64 = 0

  package init() {}

  private static let constants: [UInt32] = [
    0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4,
    0xAB1C_5ED5, 0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE,
    0x9BDC_06A7, 0xC19B_F174, 0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F,
    0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA, 0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7,
    0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967, 0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC,
    0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85, 0xA2BF_E8A1, 0xA81A_664B,
    0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070, 0x19A4_C116,
    0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
    0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7,
    0xC671_78F2,
  ]

  /// Takes in whole blocks of 64 bytes.
  mutating func update(blocks bytes: [UInt8]) {
    precondition(bytes.count % Self.blockSize == 0, "blocks have 64 bytes")
    for start in stride(from: 0, to: bytes.count, by: Self.blockSize) { mix(bytes, start) }
    byteCount += UInt64(bytes.count)
  }

  /// Takes in the rest, of any length, and gives the 28 bytes of the digest.
  package mutating func finish(_ rest: [UInt8] = []) -> [UInt8] {
    let bitCount = (byteCount + UInt64(rest.count)) * 8
    var padded = rest + [0x80]
    let zeros = (Self.blockSize + 56 - padded.count % Self.blockSize) % Self.blockSize
    padded += Array(repeating: 0, count: zeros)
    for shift in stride(from: 56, through: 0, by: -8) {
      padded.append(UInt8(truncatingIfNeeded: bitCount >> UInt64(shift)))
    }
    update(blocks: padded)
    let bytes = state.flatMap { word in
      stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    }
    return Array(bytes.prefix(Self.digestSize))
  }

  private mutating func mix(_ bytes: [UInt8], _ start: Int) {
    for index in 0..<16 {
      let place = start + 4 * index
      schedule[index] =
        UInt32(bytes[place]) << 24 | UInt32(bytes[place + 1]) << 16
        | UInt32(bytes[place + 2]) << 8 | UInt32(bytes[place + 3])
    }
    for index in 16..<64 {
      let (early, late) = (schedule[index - 15], schedule[index - 2])
      let first = early.turned(7) ^ early.turned(18) ^ early >> 3
      let second = late.turned(17) ^ late.turned(19) ^ late >> 10
      schedule[index] = schedule[index - 16] &+ first &+ schedule[index - 7] &+ second
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for index in 0..<64 {
      let choice = e & f ^ ~e & g
      let sum = e.turned(6) ^ e.turned(11) ^ e.turned(25)
      let first = h &+ sum &+ choice &+ Self.constants[index] &+ schedule[index]
      let majority = a & b ^ a & c ^ b & c
      let second = (a.turned(2) ^ a.turned(13) ^ a.turned(22)) &+ majority
      (h, g, f, e) = (g, f, e, d &+ first)
      (d, c, b, a) = (c, b, a, first &+ second)
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
  }
}

extension UInt32 {
  /// The word with its bits moved to the right, those that fall out coming in on the left.
  fileprivate func turned(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}

/// HMAC over SHA-224 under one key (RFC 2104), with the key's two blocks taken in once.
package struct SHA224Authenticator {
  private let inner: SHA224
  private let outer: SHA224

  /// - Parameter key: At most 64 bytes.
  package init(key: some Collection<UInt8>) {
    precondition(key.count <= SHA224.blockSize, "a longer key is digested first")
    let padding = Array(repeating: UInt8(0), count: SHA224.blockSize - key.count)
    let block = Array(key) + padding
    var (inner, outer) = (SHA224(), SHA224())
    inner.update(blocks: block.map { $0 ^ 0x36 })
    outer.update(blocks: block.map { $0 ^ 0x5C })
    (self.inner, self.outer) = (inner, outer)
  }

  /// The 28 bytes that authenticate others.
  package func code(for bytes: [UInt8]) -> [UInt8] {
    var (inner, outer) = (inner, outer)
    return outer.finish(inner.finish(bytes))
  }
}
