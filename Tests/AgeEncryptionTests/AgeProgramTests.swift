import AgeEncryption
import Files
import Foundation
import TestSupport
import Testing

/// Both directions between Ferry and the `age` of the system.
@Suite(.enabled(if: AgeProgram.isHere, "\(AgeProgram.missing)")) struct AgeProgramTests {
  private static let sizes = [0, 1, 65_535, 65_536, 65_537, 131_072, 1_000_003]

  @Test(arguments: sizes) func `age opens a file that Ferry encrypted`(size: Int) async throws {
    let age = try AgeProgram()
    try await withTemporaryFolder { folder in
      let one = try age.makeIdentity(at: "\(folder)/one.txt")
      let other = try age.makeIdentity(at: "\(folder)/other.txt")
      let recipients = try [one, other].map { try AgeRecipient(parsing: $0, place: "here") }
      let plain = AgeFixture.bytes(size)
      try AgeFixture.write(AgeFixture.encrypt(plain, to: recipients), to: "\(folder)/a.age")
      for name in ["one.txt", "other.txt"] {
        #expect(try age.decrypt("\(folder)/a.age", identity: "\(folder)/\(name)") == plain)
      }
    }
  }

  @Test(arguments: sizes) func `Ferry opens a file that age encrypted`(size: Int) async throws {
    let age = try AgeProgram()
    try await withTemporaryFolder { folder in
      let recipients = try ["one.txt", "other.txt"].map {
        try age.makeIdentity(at: "\(folder)/\($0)")
      }
      let plain = AgeFixture.bytes(size)
      try AgeFixture.write(plain, to: "\(folder)/a")
      try age.encrypt("\(folder)/a", to: recipients, at: "\(folder)/a.age")
      for name in ["one.txt", "other.txt"] {
        let bytes = try PrivateFile.contents(of: "\(folder)/\(name)")
        let identities = try AgeIdentity.list(in: bytes, path: name)
        #expect(try AgeFixture.read("\(folder)/a.age", identities) == plain)
      }
    }
  }

  @Test func `a recipient that Ferry makes is the one that age makes of the same secret`()
    async throws
  {
    let age = try AgeProgram()
    try await withTemporaryFolder { folder in
      let recipient = try age.makeIdentity(at: "\(folder)/key.txt")
      let bytes = try PrivateFile.contents(of: "\(folder)/key.txt")
      let identity = try #require(try AgeIdentity.list(in: bytes, path: "key.txt").first)
      #expect(identity.recipient.description == recipient)
      #expect(String(decoding: bytes, as: UTF8.self).contains(identity.secretText))
    }
  }
}
