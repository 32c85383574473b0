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

  /// A word begins with a capital behind a small letter or a digit, and with the last of several
  /// capitals before a small letter.
  private static func snakeCase(_ name: String) -> String {
    let letters = Array(name)
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
