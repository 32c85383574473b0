import AgeEncryption
import Files
import TestSupport
import Testing

/// What is small enough to be encrypted at once, and headers that others write.
struct AgeTextTests {
  private let identity = AgeIdentity()

  @Test(arguments: [0, 1, 65_536, 65_537, 140_000]) func `content encrypted at once is opened`(
    size: Int
  ) throws {
    let plain = AgeFixture.bytes(size)
    let sealed = AgeText.sealed(plain, for: [AgeIdentity().recipient, identity.recipient])
    #expect(AgeText.isSealed(sealed) && !AgeText.isSealed(plain))
    #expect(try AgeText.opened(sealed, with: [identity]) == plain)
  }

  @Test func `one changed byte is detected`() {
    let sealed = AgeText.sealed([1, 2, 3], for: [identity.recipient])
    for place in sealed.indices {
      var changed = sealed
      changed[place] ^= 1
      #expect(throws: AgeError.self, "at \(place)") {
        try AgeText.opened(changed, with: [identity])
      }
    }
  }

  @Test func `a piece that is too short marks the file as cut`() {
    let sealed = AgeText.sealed(AgeFixture.bytes(65_536), for: [identity.recipient])
    for extra in 1...16 {
      let longer = sealed + AgeFixture.bytes(extra)
      #expect(throws: AgeError.tampered(reason: "it was cut, or something was added to it")) {
        try AgeText.opened(longer, with: [identity])
      }
    }
  }

  @Test func `a file behind a passphrase is refused with the way to open it`() {
    let header = """
      age-encryption.org/v1
      -> scrypt bBjlhJVYZeE4aqUdmtRHfw 18
      AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
      --- AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA

      """
    let error = #expect(throws: AgeError.passphrase) {
      try AgeText.opened(Array(header.utf8) + AgeFixture.bytes(40), with: [identity])
    }
    #expect(error?.description.contains("age -d") == true)
  }

  @Test(arguments: [1, 100_000]) func `a file that was cut to look empty is refused`(
    size: Int
  ) async throws {
    let identity = identity
    let sealer = AgeSealer(recipients: [identity.recipient])
    let file = AgeFixture.encrypt(AgeFixture.bytes(size), to: [identity.recipient])
    try await withTemporaryFolder { folder in
      try AgeFixture.write(Array(file.prefix(sealer.head.count + 16)), to: "\(folder)/a.age")
      #expect(throws: AgeContent.Failure.self) {
        try AgeFixture.read("\(folder)/a.age", [identity])
      }
    }
  }

  @Test func `an age header without an end is read up to a limit`() async throws {
    let long = Array("age-encryption.org/v1\n".utf8) + AgeFixture.header(65_536)
    let identity = identity
    try await withTemporaryFolder { folder in
      try AgeFixture.write(long, to: "\(folder)/a.age")
      #expect(throws: AgeContent.Failure.self) {
        try AgeFixture.read("\(folder)/a.age", [identity])
      }
    }
  }

  @Test func `opening a file that is not an age file reports its name`() async throws {
    let identity = identity
    try await withTemporaryFolder { folder in
      try AgeFixture.write([1, 2, 3], to: "\(folder)/a.age")
      let error = #expect(throws: FileError.self) {
        try AgeOpening(identities: [identity]).content(of: InputFile("\(folder)/a.age"))
      }
      #expect(error?.path == "\(folder)/a.age")
    }
  }

  @Test func `a key file that is not text is refused by its path`() {
    let error = #expect(throws: AgeError.self) {
      try AgeIdentity.list(in: [0xFF, 0xFE, 0x00], path: "keys.txt")
    }
    #expect(error?.description.hasPrefix("keys.txt: this is not an identity") == true)
  }

  @Test func `a letter that only looks like one of the key alphabet is refused`() throws {
    let identity = try #require(
      (0..<100).lazy.map { _ in AgeIdentity() }.first { $0.secretText.dropFirst(16).contains("K") }
    )
    let text = String(identity.secretText.map { $0 == "K" ? "\u{212A}" : $0 })
    #expect(throws: AgeError.self) { try AgeIdentity(parsing: text, place: "keys.txt:1") }
  }
}
