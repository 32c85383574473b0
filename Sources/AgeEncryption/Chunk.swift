import Crypto

/// One piece of an age file, sealed for itself by ChaCha20-Poly1305.
enum Chunk {
  static let tagSize = 16

  /// The number of the piece in eleven bytes, and whether it is the last in one.
  static func nonce(_ number: UInt64, _ isLast: Bool) -> ChaChaPoly.Nonce {
    var bytes: [UInt8] = [0, 0, 0]
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
    bytes.append(isLast ? 1 : 0)
    guard let nonce = try? ChaChaPoly.Nonce(data: bytes) else {
      preconditionFailure("a nonce has twelve bytes")
    }
    return nonce
  }

  static func seal(_ plain: [UInt8], _ key: SymmetricKey, _ nonce: ChaChaPoly.Nonce) -> [UInt8] {
    guard let box = try? ChaChaPoly.seal(plain, using: key, nonce: nonce) else {
      preconditionFailure("a key of 32 bytes seals a piece of at most 64 KiB")
    }
    var sealed: [UInt8] = []
    sealed.reserveCapacity(plain.count + tagSize)
    sealed.append(contentsOf: box.ciphertext)
    sealed.append(contentsOf: box.tag)
    return sealed
  }

  /// The plain bytes, or `nil` for a piece that is not as it was sealed.
  static func open(_ sealed: [UInt8], _ key: SymmetricKey, _ nonce: ChaChaPoly.Nonce) -> [UInt8]? {
    guard sealed.count >= tagSize,
      let box = try? ChaChaPoly.SealedBox(
        nonce: nonce,
        ciphertext: sealed[..<(sealed.count - tagSize)],
        tag: sealed[(sealed.count - tagSize)...]
      ),
      let plain = try? ChaChaPoly.open(box, using: key)
    else { return nil }
    return [UInt8](plain)
  }
}
