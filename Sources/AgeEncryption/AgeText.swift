import Crypto

/// Encrypts and opens what is small enough to be held at once, in the same form as a file.
package enum AgeText {
  /// The value as an age file would hold it.
  package static func sealed(_ plain: [UInt8], for recipients: [AgeRecipient]) -> [UInt8] {
    var sealer = AgeSealer(recipients: recipients)
    var sealed = sealer.head
    plain.withUnsafeBytes { bytes in sealer.seal(bytes) { sealed += $0 } }
    return sealed + sealer.finish()
  }

  /// Whether bytes begin as what was encrypted does.
  package static func isSealed(_ bytes: [UInt8]) -> Bool { AgeHeader.begins(bytes) }

  /// The plain bytes of what ``sealed(_:for:)`` gave.
  package static func opened(
    _ sealed: [UInt8],
    with identities: [AgeIdentity]
  ) throws(AgeError) -> [UInt8] {
    let header = try AgeHeader(parsing: sealed)
    let layout = try AgeLayout(fileSize: Int64(sealed.count), headerSize: Int64(header.size))
    let nonce = Array(sealed[header.size..<(header.size + AgeLayout.nonceSize)])
    let key = payloadKey(try header.fileKey(with: identities), nonce)
    var plain: [UInt8] = []
    for number in 0..<layout.chunkCount {
      let place = layout.place(ofChunk: number)
      let chunk = Array(sealed[Int(place.offset)..<(Int(place.offset) + place.count)])
      let isLast = number == layout.chunkCount - 1
      guard let part = Chunk.open(chunk, key, Chunk.nonce(UInt64(number), isLast)) else {
        throw .tampered(reason: "it was changed, cut or added to")
      }
      plain += part
    }
    return plain
  }
}
