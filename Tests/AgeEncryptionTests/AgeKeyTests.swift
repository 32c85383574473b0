import AgeEncryption
import Testing

/// How keys are written, and what is said of those that are not.
struct AgeKeyTests {
  @Test func `an identity and its recipient are read back`() throws {
    let identity = AgeIdentity()
    let again = try AgeIdentity(parsing: identity.secretText, place: "here")
    #expect(again.secretText == identity.secretText)
    #expect(identity.secretText.hasPrefix("AGE-SECRET-KEY-1"))
    let recipient = identity.recipient
    #expect(try AgeRecipient(parsing: recipient.description, place: "here") == recipient)
    #expect(recipient.description.hasPrefix("age1") && recipient.description.count == 62)
  }

  @Test func `a file of keys has comments and empty lines`() throws {
    let (one, other) = (AgeIdentity(), AgeIdentity())
    let identities =
      "# created: today\n# public key: …\n\(one.secretText)\n\n\(other.secretText)\r\n"
    let found = try AgeIdentity.list(in: Array(identities.utf8), path: "keys.txt")
    #expect(found.map(\.secretText) == [one.secretText, other.secretText])
    let recipients = "\(one.recipient)\n# the office\n\(other.recipient)"
    #expect(
      try AgeRecipient.list(in: Array(recipients.utf8), path: "to.txt")
        == [one.recipient, other.recipient]
    )
  }

  @Test func `one wrong letter anywhere in a key is detected`() {
    let text = Array(AgeIdentity().recipient.description)
    for place in text.indices {
      var wrong = text
      wrong[place] = wrong[place] == "q" ? "p" : "q"
      #expect(throws: AgeError.self, "letter \(place)") {
        try AgeRecipient(parsing: String(wrong), place: "here")
      }
    }
  }

  @Test(arguments: [
    ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIL7", "SSH keys are not used", "age-keygen"),
    (
      "age1yubikey1qwt50d05nh5vutpdzmlg5wn80xq5negm4uj9ghv0snvdd3yysf5yw3rhl3t", "plug-in",
      "age-keygen"
    ),
    (
      "age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq", "is not a recipient",
      "letter"
    ),
    ("anna@example.com", "is not a recipient", "age1"), ("", "is not a recipient", "age1"),
  ])
  func `an invalid recipient is refused with a cure`(
    text: String,
    reason: String,
    cure: String
  ) throws {
    let error = #expect(throws: AgeError.self) {
      try AgeRecipient(parsing: text, place: "to.txt:3")
    }
    let said = try #require(error).description
    #expect(said.hasPrefix("to.txt:3: ") && said.contains(reason) && said.contains(cure), "\(said)")
  }

  @Test func `a secret in the place of a recipient is not printed`() throws {
    let secret = AgeIdentity().secretText
    let error = #expect(throws: AgeError.self) {
      try AgeRecipient(parsing: secret, place: "--encrypt-to")
    }
    let said = try #require(error).description
    #expect(said.contains("secret identity") && !said.contains(secret.dropFirst(16)), "\(said)")
  }

  @Test(arguments: [
    ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n", "SSH keys are not used"),
    ("-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n", "locked by a passphrase"),
    ("age-encryption.org/v1\n-> scrypt", "locked by a passphrase"),
    ("AGE-PLUGIN-YUBIKEY-1QQPQYYQ2Q0HDPQ9\n", "plug-in"), ("# nothing\n\n", "holds no identity"),
    ("AGE-SECRET-KEY-1QQQQ\n", "keys.txt:1: this is not an identity"),
  ])
  func `a file without identities is refused with a cure`(text: String, reason: String) throws {
    let error = #expect(throws: AgeError.self) {
      try AgeIdentity.list(in: Array(text.utf8), path: "keys.txt")
    }
    #expect(try #require(error).description.contains(reason))
  }

  @Test func `a passphrase-protected identity file is recognised without its armour too`() {
    let bytes = Array("age-encryption.org/v1\n-> scrypt AAAA 18\n".utf8) + [0xFF, 0xFE, 0x80]
    let error = #expect(throws: AgeError.self) {
      try AgeIdentity.list(in: bytes, path: "keys.age")
    }
    #expect(error?.description.contains("locked by a passphrase") == true)
  }

  @Test func `a point of low order is refused as a recipient`() {
    // Bech32 of 32 zero bytes under “age”: any secret agrees with it on nothing.
    let text = "age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq5cu47z"
    #expect(throws: AgeError.self) { try AgeRecipient(parsing: text, place: "here") }
  }
}
