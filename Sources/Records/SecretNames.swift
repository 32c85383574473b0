/// States by its name that a key of an app's preferences holds a secret.
///
/// Apps leave API keys and tokens in their preferences, where a copy of the file gives them away. A
/// name is taken apart into words, `openAIKey` and `OPENAI_API_KEY` alike, and the words are looked
/// at: what is called a password or a secret is one, and so is a token that does not say that it
/// marks a place in a list of changes.
package enum SecretNames {
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

  /// Whether a name shows that.
  package static func contains(_ name: String) -> Bool {
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
  private static func words(of name: String) -> [String] {
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
