import AgeEncryption
import Files
import TestSupport
import Testing

/// What is sealed can be opened, and nothing else.
struct AgeStreamTests {
  /// Around the ends of a piece.
  private static let sizes = [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000]

  @Test(arguments: sizes) func `encrypted content is read back`(size: Int) async throws {
    try await withTemporaryFolder { folder in
      let identity = AgeIdentity()
      let plain = AgeFixture.bytes(size)
      let file = AgeFixture.encrypt(plain, to: [identity.recipient])
      try AgeFixture.write(file, to: "\(folder)/a.age")
      #expect(try AgeFixture.read("\(folder)/a.age", [identity]) == plain)
      #expect(try AgeLayout.plainSize(ofFile: Int64(file.count), recipientCount: 1) == Int64(size))
    }
  }

  @Test func `an encrypted file is read from any place without its beginning`() async throws {
    try await withTemporaryFolder { folder in
      let identity = AgeIdentity()
      let plain = AgeFixture.bytes(300_000)
      var file = AgeFixture.encrypt(plain, to: [identity.recipient])
      // The first piece is spoilt: it is not asked for.
      file[AgeSealer(recipients: [identity.recipient]).head.count + 5] ^= 1
      try AgeFixture.write(file, to: "\(folder)/a.age")
      let content = try AgeContent(InputFile("\(folder)/a.age"), identities: [identity])
      let reader = InputFile(reading: content, path: "a")
      #expect(try reader.bytes(at: 131_000, count: 70_000) == Array(plain[131_000..<201_000]))
      #expect(throws: FileError.self) { try reader.bytes(at: 10, count: 1) }
      #expect(throws: FileError.self) { try reader.bytes(at: 299_999, count: 2) }
    }
  }

  @Test func `the same bytes are encrypted into a different file each time`() {
    let recipient = AgeIdentity().recipient
    let one = AgeFixture.encrypt([1, 2, 3], to: [recipient])
    #expect(one != AgeFixture.encrypt([1, 2, 3], to: [recipient]))
  }

  @Test func `each of several recipients opens it, and no one else`() async throws {
    try await withTemporaryFolder { folder in
      let (one, other, third) = (AgeIdentity(), AgeIdentity(), AgeIdentity())
      let file = AgeFixture.encrypt([7], to: [one.recipient, other.recipient])
      try AgeFixture.write(file, to: "\(folder)/a.age")
      #expect(try AgeFixture.read("\(folder)/a.age", [one]) == [7])
      #expect(try AgeFixture.read("\(folder)/a.age", [third, other]) == [7])
      #expect(throws: AgeContent.Failure.age(.noIdentityFits(kinds: ["X25519", "X25519"]))) {
        try AgeFixture.read("\(folder)/a.age", [third])
      }
    }
  }

  /// What a person may do to a file.
  enum Harm: String, CaseIterable {
    case firstByteOfHeader, keyInHeader, digestOfHeader, nonce, firstPiece, lastPiece, tag
    case lastByteCut, lastPieceCut, cutWithinHeader, byteAdded, pieceAdded, pieceTwice
    case piecesExchanged

    func done(to file: [UInt8], head: Int) -> [UInt8] {
      var file = file
      let piece = 65_552
      switch self {
      case .firstByteOfHeader: file[0] ^= 1
      case .keyInHeader: file[40] ^= 1
      case .digestOfHeader: file[head - 16 - 10] ^= 1
      case .nonce: file[head - 3] ^= 0x80
      case .firstPiece: file[head + 100] ^= 1
      case .lastPiece: file[file.count - 30] ^= 1
      case .tag: file[head + piece - 1] ^= 1
      case .lastByteCut: file.removeLast()
      case .lastPieceCut: file.removeSubrange((head + 2 * piece)...)
      case .cutWithinHeader: file.removeSubrange(60...)
      case .byteAdded: file.append(0)
      case .pieceAdded: file += file[head..<(head + piece)]
      case .pieceTwice: file.insert(contentsOf: file[head..<(head + piece)], at: head)
      case .piecesExchanged:
        let first = Array(file[head..<(head + piece)])
        file.removeSubrange(head..<(head + piece))
        file.insert(contentsOf: first, at: head + piece)
      }
      return file
    }
  }

  @Test(arguments: Harm.allCases) func `a file that was tampered with is refused`(harm: Harm)
    async throws
  {
    try await withTemporaryFolder { folder in
      let identity = AgeIdentity()
      let head = AgeSealer(recipients: [identity.recipient]).head.count
      let file = AgeFixture.encrypt(AgeFixture.bytes(150_000), to: [identity.recipient])
      try AgeFixture.write(harm.done(to: file, head: head), to: "\(folder)/a.age")
      #expect(throws: (any Error).self, "\(harm)") {
        try AgeFixture.read("\(folder)/a.age", [identity])
      }
    }
  }

  @Test func `a changed byte anywhere in an encrypted file is detected`() async throws {
    try await withTemporaryFolder { folder in
      let identity = AgeIdentity()
      let file = AgeFixture.encrypt(AgeFixture.bytes(40), to: [identity.recipient])
      for place in file.indices {
        var harmed = file
        harmed[place] ^= 0x01
        let path = "\(folder)/\(place).age"
        try AgeFixture.write(harmed, to: path)
        #expect(throws: (any Error).self, "byte \(place)") { try AgeFixture.read(path, [identity]) }
      }
    }
  }
}
