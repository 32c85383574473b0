extension AgeRecipient {
  /// The recipients of a file: one a line, between empty lines and those that begin with `#`.
  ///
  /// - Throws: ``AgeError/unusableKey(place:reason:cure:)`` with the line, or for a file without any.
  package static func list(in bytes: [UInt8], path: String) throws(AgeError) -> [AgeRecipient] {
    var list: [AgeRecipient] = []
    for (text, place) in try KeyText.lines(bytes, path, wanted: .recipient) {
      list.append(try AgeRecipient(parsing: text, place: place))
    }
    return list
  }
}

extension AgeIdentity {
  /// The identities of a file, as `age-keygen` writes it: one a line, between empty lines and those
  /// that begin with `#`.
  ///
  /// - Throws: ``AgeError/unusableKey(place:reason:cure:)`` with the line, or for a file without any.
  package static func list(in bytes: [UInt8], path: String) throws(AgeError) -> [AgeIdentity] {
    var list: [AgeIdentity] = []
    for (text, place) in try KeyText.lines(bytes, path, wanted: .identity) {
      list.append(try AgeIdentity(parsing: text, place: place))
    }
    return list
  }
}

/// The text of keys, and what is wrong with it.
enum KeyText {
  enum Kind {
    case recipient, identity
  }

  static func lines(
    _ bytes: [UInt8],
    _ path: String,
    wanted kind: Kind
  ) throws(AgeError) -> [(text: String, place: String)] {
    // Without its armour that file is no text.
    let lockedBeginnings = ["-----BEGIN AGE ENCRYPTED FILE", "age-encryption.org/"]
    if lockedBeginnings.contains(where: { bytes.starts(with: $0.utf8) }) {
      throw .unusableKey(
        place: path,
        reason: "it is locked by a passphrase itself",
        cure: "open it first: age -d \(path)"
      )
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw refusal(of: "", wanted: kind, place: path)
    }
    if text.hasPrefix("-----BEGIN") { throw ssh(path) }
    var lines: [(text: String, place: String)] = []
    let pieces = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (index, piece) in pieces.enumerated() {
      let line = piece.last == 0x0D ? piece.dropLast() : piece
      guard let first = line.first, first != UInt8(ascii: "#") else { continue }
      lines.append((String(decoding: line, as: UTF8.self), "\(path):\(index + 1)"))
    }
    guard !lines.isEmpty else {
      throw .unusableKey(
        place: path,
        reason: kind == .recipient ? "it names no recipient" : "it holds no identity",
        cure: kind == .recipient ? "write one age1… a line" : "make one: age-keygen -o \(path)"
      )
    }
    return lines
  }

  /// What a text is that is no key of the kind that is wanted; nothing of it is repeated, for it may
  /// be a secret.
  static func refusal(of text: String, wanted kind: Kind, place: String) -> AgeError {
    let lower = text.lowercased()
    if lower.hasPrefix("ssh-") { return ssh(place) }
    if lower.hasPrefix("age-plugin-") || pluginPrefix(of: lower) {
      return .unusableKey(
        place: place,
        reason: "it is a key of an age plug-in or of a newer kind, and only X25519 keys are used",
        cure: "make one: age-keygen -o identity.txt"
      )
    }
    switch kind {
    case .recipient:
      let isSecret = lower.hasPrefix(AgeIdentity.prefix)
      return .unusableKey(
        place: place,
        reason: isSecret ? "this is a secret identity, not a recipient" : "this is not a recipient",
        cure: isSecret
          ? "give the age1… that belongs to it (age-keygen -y FILE prints it), and make a new "
            + "identity if this one was seen by others"
          : "a recipient begins with age1, and age-keygen prints it; look for a letter that is missing"
      )
    case .identity:
      let isPublic = lower.hasPrefix("age1")
      return .unusableKey(
        place: place,
        reason: isPublic ? "this is a recipient, not an identity" : "this is not an identity",
        cure: isPublic
          ? "name the file that age-keygen made, with the line AGE-SECRET-KEY-1…"
          : "an identity is a line AGE-SECRET-KEY-1…, as age-keygen writes it"
      )
    }
  }

  /// `age1NAME1…`: whatever follows the prefix of a plug-in has a 1 of its own.
  private static func pluginPrefix(of text: String) -> Bool {
    guard text.hasPrefix("age1") else { return false }
    return text.dropFirst("age1".count).contains("1")
  }

  private static func ssh(_ place: String) -> AgeError {
    .unusableKey(
      place: place,
      reason: "SSH keys are not used",
      cure: "make a key of age's own: age-keygen -o identity.txt"
    )
  }
}
