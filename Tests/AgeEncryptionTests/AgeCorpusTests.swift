import AgeEncryption
import Files
import TestSupport
import Testing

/// The inputs of the fuzzer's target `age`: the first byte says what the rest is.
struct AgeCorpusTests {
  @Test func `whatever the fuzzer found is refused, or is what was sealed`() async throws {
    let identity = AgeIdentity()
    try await withTemporaryFolder(isInMemory: true) { folder in
      for (name, bytes) in try FuzzCorpus.inputs(of: "age") {
        guard let kind = bytes.first else { continue }
        let rest = Array(bytes.dropFirst())
        switch kind % 3 {
        case 0: #expect(try opened(rest, identity, folder) == nil, "\(name)")
        case 1: checkKeys(rest, name)
        default:
          guard rest.count >= 6 else { continue }
          let plain = Array(rest[6...])
          var sealed = AgeText.sealed(plain, for: [identity.recipient])
          #expect(try opened(sealed, identity, folder) == plain, "\(name)")
          let place = rest[2..<6].reduce(0) { $0 << 8 | Int($1) } % sealed.count
          sealed[place] ^= rest[1] | 1
          #expect(try opened(sealed, identity, folder) == nil, "\(name)")
        }
      }
    }
  }

  /// The plain bytes, which are the same at once and by pieces of a file; `nil` for a refusal.
  private func opened(
    _ sealed: [UInt8],
    _ identity: AgeIdentity,
    _ folder: String
  ) throws -> [UInt8]? {
    let path = folder + "/sealed"
    try WholeFile.replace(path, with: sealed)
    let byPieces = try? AgeFixture.read(path, [identity])
    #expect((try? AgeText.opened(sealed, with: [identity])) == byPieces)
    return byPieces
  }

  private func checkKeys(_ bytes: [UInt8], _ name: String) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let recipients = try? AgeRecipient.list(in: bytes, path: name) {
      #expect(recipients.allSatisfy { text.lowercased().contains($0.description) }, "\(name)")
    }
    if let identities = try? AgeIdentity.list(in: bytes, path: name) {
      #expect(identities.allSatisfy { text.contains($0.secretText) }, "\(name)")
    }
  }
}
