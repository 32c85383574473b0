import ProfileSettings
import RequestBodies

extension Api {
  /// How the identity at the destination is made from the record's key, and from the account where the
  /// profile or the destination says it.
  package enum ClientID: Hashable, Sendable {
    /// The key as it is.
    case asIs
    /// The key in lower case.
    case lower
    /// A key that is a UUID in lower case, as databases keep UUIDs; ``uuid5`` of any other key.
    case uuid
    /// A name-based UUID (version 5) of the account, the entity and the key.
    case uuid5
    /// So many digits of the SHA-256 of the account, the entity and the key.
    case digest(Alphabet, length: Int)
  }

  /// The digits of a digest.
  package enum Alphabet: String, CaseIterable, Sendable {
    /// `0` to `9` and `a` to `f`.
    case hex
    /// `0` to `9` and `a` to `z`.
    case base36

    /// The fewest digits with 62 bits or more, so that two of a million records have the same ones once in
    /// four million times, and the most that 256 bits have.
    package var lengths: ClosedRange<Int> {
      switch self {
      case .hex: 16...64
      case .base36: 12...49
      }
    }

    /// All digits.
    fileprivate var digits: String {
      switch self {
      case .hex: "0123456789abcdef"
      case .base36: "0123456789abcdefghijklmnopqrstuvwxyz"
      }
    }
  }
}

extension Api.ClientID {
  /// Identities of this form, to be held against the rule of a destination; none where they are keys of the store.
  package var samples: [String] {
    switch self {
    case .asIs, .lower: []
    case .uuid: ["0b4f5e6e-577a-4c1b-9d0a-2f60f311c86a"]
    case .uuid5: ["0b4f5e6e-577a-5c1b-9d0a-2f60f311c86a"]
    case .digest(let alphabet, let length):
      [alphabet.digits, String(alphabet.digits.reversed())].map { digits in
        String(String(repeating: digits, count: 4).prefix(length))
      }
    }
  }

  /// The setting, as a profile has it: `client-id: uuid`.
  package var setting: String {
    switch self {
    case .asIs: "client-id: \(Word.asIs.rawValue)"
    case .lower: "client-id: \(Word.lower.rawValue)"
    case .uuid: "client-id: \(Word.uuid.rawValue)"
    case .uuid5: "client-id: \(Word.uuid5.rawValue)"
    case .digest(.hex, 32): "client-id: \(Word.sha256.rawValue)"
    case .digest(let alphabet, let length):
      "client-id: { alphabet: \(alphabet.rawValue), length: \(length) }"
    }
  }
}

extension Api.ClientID {
  /// The forms that a word alone names.
  private enum Word: String, CaseIterable {
    case asIs = "as-is"
    case lower, uuid, uuid5, sha256
  }

  /// Reads `client-id: uuid` or `client-id: { alphabet: base36, length: 15 }`.
  static func read(_ section: Section) -> Self {
    guard let node = section.node("client-id"), case .section = node.value else {
      return switch section.choice("client-id", else: Word.asIs) {
      case .asIs: .asIs
      case .lower: .lower
      case .uuid: .uuid
      case .uuid5: .uuid5
      case .sha256: .digest(.hex, length: 32)
      }
    }
    let inner = Section(node, log: section.log)
    let alphabet = inner.choice("alphabet", else: Api.Alphabet.hex)
    _ = inner.requiredNode("length")
    let length = inner.count("length", within: alphabet.lengths) ?? alphabet.lengths.upperBound
    inner.close()
    return .digest(alphabet, length: length)
  }
}
