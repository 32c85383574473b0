import AgeEncryption
import Files
import TestSupport

/// Files of one test, written by Ferry's own hand.
enum AgeFixture {
  /// Bytes that are not all the same, and differ by place.
  static func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  }

  /// Lines of keys that no one has, at least so many bytes.
  static func header(_ count: Int) -> [UInt8] {
    let stanza = Array("-> other\n\n".utf8)
    return (0...(count / stanza.count)).flatMap { _ in stanza }
  }

  /// Encrypts in pieces of `step` bytes.
  static func encrypt(
    _ bytes: [UInt8],
    to recipients: [AgeRecipient],
    step: Int = 10_007
  ) -> [UInt8] {
    var sealer = AgeSealer(recipients: recipients)
    var file = sealer.head
    for start in stride(from: 0, to: bytes.count, by: step) {
      let piece = Array(bytes[start..<min(start + step, bytes.count)])
      piece.withUnsafeBytes { buffer in sealer.seal(buffer) { file += $0 } }
    }
    return file + sealer.finish()
  }

  static func write(_ bytes: [UInt8], to path: String) throws {
    var file = try OutputFile(creating: path)
    try file.write(bytes)
    _ = try file.finish()
  }

  /// What a file holds, read from front to back.
  static func read(_ path: String, _ identities: [AgeIdentity]) throws -> [UInt8] {
    let content = try AgeContent(InputFile(path), identities: identities)
    var file = InputFile(reading: content, path: path)
    var bytes: [UInt8] = []
    while true {
      let piece = try file.bytes(upTo: 100_003)
      if piece.isEmpty { return bytes }
      bytes += piece
    }
  }
}
