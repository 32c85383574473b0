package import Records

/// States by its name that a key of an app's preferences holds a secret.
///
/// Apps leave API keys and tokens in their preferences, where a copy of the file gives them away. A
/// name is taken apart into words, `openAIKey` and `OPENAI_API_KEY` alike, and the words are looked
/// at: what is called a password or a secret is one, and so is a token that does not say that it
/// marks a place in a list of changes.
enum SecretNames {
  private static let words: Set<String> = [
    "password", "passwd", "passphrase", "passcode", "secret", "secrets", "credential",
    "credentials", "apikey", "bearer", "jwt", "oauth", "privatekey", "accesstoken", "authtoken",
    "refreshtoken", "sessiontoken", "idtoken",
  ]
  /// A key of one of these is a secret; a key by itself names something.
  private static let keys: Set<String> = [
    "api", "ai", "openai", "secret", "private", "access", "auth", "encryption", "signing", "master",
    "service",
  ]
  /// A token of one of these marks a place.
  private static let places: Set<String> = [
    "change", "changes", "sync", "page", "continuation", "cursor", "history", "next",
  ]

  static func contains(_ name: String) -> Bool {
    let words = words(of: name)
    if words.contains(where: { Self.words.contains($0) }) { return true }
    for (word, next) in zip(words, words.dropFirst())
    where next == "key" || next == "keys" {
      if keys.contains(word) { return true }
    }
    guard let last = words.last, last == "token" || last == "tokens" else { return false }
    return words.dropLast().last.map { !places.contains($0) } ?? true
  }

  /// The words of a name in lower case: parted by what is no letter, and where a capital begins one.
  static func words(of name: String) -> [String] {
    var words: [String] = []
    var word = ""
    let letters = Array(name)
    for (index, letter) in letters.enumerated() {
      guard letter.isLetter else {
        if !word.isEmpty { words.append(word) }
        word = ""
        continue
      }
      let isAfterSmall = index > 0 && letters[index - 1].isLowercase
      let isBeforeSmall = index + 1 < letters.count && letters[index + 1].isLowercase
      if letter.isUppercase, !word.isEmpty, isAfterSmall || isBeforeSmall {
        words.append(word)
        word = ""
      }
      word += letter.lowercased()
    }
    if !word.isEmpty { words.append(word) }
    return words
  }
}

/// What a profile says about secrets that the app left in its store.
package struct SecretRules: Hashable, Sendable {
  /// Attributes that hold a secret though their names do not say so.
  package let also: [UnmappedName]
  /// Keys of the preferences that hold none though their names say so.
  package let except: [String]

  package init(also: [UnmappedName] = [], except: [String] = []) {
    self.also = also
    self.except = except
  }

  /// Whether an attribute of an entity of the store, which `profile` describes, holds a secret.
  ///
  /// Names alone decide in preferences only: a column of a database that is called `password` is
  /// what the app is about, whatever its table is called.
  package func holds(_ attribute: String, of entity: StoreEntity, by profile: EntityProfile) -> Bool
  {
    also.contains(UnmappedName(entity: profile.name, member: attribute))
      || holds(attribute, of: entity)
  }

  /// The same of an entity that the profile does not describe.
  func holds(_ attribute: String, of entity: StoreEntity) -> Bool {
    entity.holdsPreferences && !except.contains(attribute) && SecretNames.contains(attribute)
  }

  /// Every attribute of a store that holds a secret, under the entity's name in the profile.
  package func held(in model: StoreModel, _ entities: [EntityProfile]) -> [UnmappedName] {
    let profiles = Dictionary(
      entities.map { ($0.storeName, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    return model.entities.flatMap { stored in
      let profile = profiles[stored.name]
      let names = stored.attributes.map(\.name).filter { name in
        if let profile { holds(name, of: stored, by: profile) } else { holds(name, of: stored) }
      }
      return names.map { UnmappedName(entity: profile?.name ?? stored.name, member: $0) }
    }.sorted()
  }

  static func read(_ section: Section, entities: [EntityProfile]) -> SecretRules {
    guard let inner = section.section("secrets") else { return SecretRules() }
    let also = inner.texts("also").compactMap { text -> UnmappedName? in
      let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
      if parts.count == 2, let entity = entities.first(where: { $0.name.text == parts[0] }) {
        return UnmappedName(entity: entity.name, member: parts[1])
      }
      section.log.add(
        at: inner.node,
        "“\(text)” names no attribute of an entity of this profile",
        cure: "write Entity.attribute"
      )
      return nil
    }
    let rules = SecretRules(also: also, except: inner.texts("except"))
    inner.close()
    return rules
  }
}
