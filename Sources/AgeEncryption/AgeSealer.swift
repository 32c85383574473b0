import Crypto

/// Encrypts bytes from front to back, a piece of 64 KiB at a time.
package struct AgeSealer: Sendable {
  private let key: SymmetricKey
  private var pending: [UInt8]
  private var number: UInt64 = 0

  /// What has to appear at the front of the file: the header and the nonce of the pieces.
  package let head: [UInt8]

  /// - Parameter recipients: Anyone who may open it, at least one.
  package init(recipients: [AgeRecipient]) {
    let fileKey = AgeHeader.makeFileKey()
    var random = SystemRandomNumberGenerator()
    let nonce = (0..<AgeLayout.nonceSize).map { _ in UInt8.random(in: .min ... .max, using: &random)
    }
    head = AgeHeader.bytes(of: fileKey, for: recipients) + nonce
    key = payloadKey(fileKey, nonce)
    pending = []
    pending.reserveCapacity(Int(AgeLayout.chunkSize))
  }

  /// Takes plain bytes, and gives each piece that they fill and that is not the last.
  package mutating func seal<Failure>(
    _ bytes: UnsafeRawBufferPointer,
    _ put: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      if pending.count == Int(AgeLayout.chunkSize) { try put(next(isLast: false)) }
      let part = rest.prefix(Int(AgeLayout.chunkSize) - pending.count)
      pending.append(contentsOf: part)
      rest = rest.dropFirst(part.count)
    }
  }

  /// The last piece.
  package mutating func finish() -> [UInt8] { next(isLast: true) }

  private mutating func next(isLast: Bool) -> [UInt8] {
    let sealed = Chunk.seal(pending, key, Chunk.nonce(number, isLast))
    number += 1
    pending.removeAll(keepingCapacity: true)
    return sealed
  }
}

/// The key of a file's pieces.
func payloadKey(_ fileKey: SymmetricKey, _ nonce: [UInt8]) -> SymmetricKey {
  HKDF<SHA256>.deriveKey(
    inputKeyMaterial: fileKey,
    salt: nonce,
    info: Array("payload".utf8),
    outputByteCount: 32
  )
}
