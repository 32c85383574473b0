import TextCodecs

/// How the name of a field is made from that of the record's member.
package enum NameForm: String, CaseIterable, Sendable {
  /// As it is.
  case asIs = "as-is"
  /// Words in lower case with `_` between them: `URLString` is `url_string`.
  case snakeCase = "snake_case"

  package func applied(to name: String) -> String {
    switch self {
    case .asIs: name
    case .snakeCase: Self.snakeCase(name)
    }
  }

  /// The name as a pattern such as `{name}_id` has it.
  ///
  /// A name whose last words are those of the pattern already, such as `folder_id` or `folderId`, gets no more.
  package func applied(to name: String, in pattern: String?) -> String {
    let own = applied(to: name)
    guard let pattern else { return own }
    let placeholder = "{name}"
    if pattern.hasPrefix(placeholder) {
      let end = Self.words(of: String(pattern.dropFirst(placeholder.count)))
      let words = Self.words(of: own)
      if !end.isEmpty, words.count > end.count, words.suffix(end.count).elementsEqual(end) {
        return own
      }
    }
    return pattern.replacing(placeholder, with: own)
  }

  private static func words(of name: String) -> [Substring] {
    snakeCase(name).split(separator: "_")
  }

  /// What a name says that is percent-encoded counts.
  ///
  /// A word begins with a capital behind a small letter or a digit, and with the last of several
  /// capitals before a small letter.
  private static func snakeCase(_ name: String) -> String {
    let letters = Array(PercentCoding.decoded(name))
    var text = ""
    for (index, letter) in letters.enumerated() {
      guard letter.isLetter || letter.isNumber else {
        if !text.isEmpty, !text.hasSuffix("_") { text += "_" }
        continue
      }
      if letter.isUppercase, index > 0 {
        let isAfterSmall = letters[index - 1].isLowercase || letters[index - 1].isNumber
        let isBeforeSmall = index + 1 < letters.count && letters[index + 1].isLowercase
        let isInWord = letters[index - 1].isLetter
        if isAfterSmall || isBeforeSmall && isInWord { text += "_" }
      }
      text += letter.lowercased()
    }
    // A name without letters and digits stays.
    return text.isEmpty ? name : text
  }
}
