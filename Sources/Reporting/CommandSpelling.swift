/// Spells the commands that a text names with what this invocation was given and the next one needs.
///
/// A command is in quotes or back-quotes, or begins what a line says to do next.
package struct CommandSpelling: Hashable, Sendable {
  /// Nothing was given.
  package static let plain = CommandSpelling(flags: "", verbs: [:])

  /// What follows the verb, quoted for a shell; empty for nothing.
  private let flags: String
  /// The verbs that take the flags, each with the verbs below it.
  private let verbs: [String: Set<String>]

  package init(flags: String, verbs: [String: Set<String>]) {
    self.flags = flags
    self.verbs = verbs
  }

  /// The text with each command as it works; one that says the flag already stays as it is.
  package func spelled(_ text: String) -> String {
    guard !flags.isEmpty else { return text }
    var spelled = ""
    var rest = text[...]
    while let found = rest.firstRange(of: Self.program) {
      spelled += rest[..<found.upperBound]
      rest = rest[found.upperBound...]
      guard Self.begins.contains(where: { spelled.dropLast(Self.program.count).hasSuffix($0) }),
        let end = verbEnd(in: rest)
      else { continue }
      let command = rest.prefix { !Self.ends.contains($0) }
      spelled += rest[..<end]
      if !command.contains(flags.prefix { $0 != " " }) { spelled += " \(flags)" }
      rest = rest[end...]
    }
    return spelled + rest
  }

  /// Where a verb that takes the flags ends, with the one below it; `nil` for another word.
  private func verbEnd(in rest: Substring) -> Substring.Index? {
    let verb = rest.prefix(while: Self.isOfVerb)
    guard let below = verbs[String(verb)] else { return nil }
    guard !below.isEmpty else { return verb.endIndex }
    let next = rest[verb.endIndex...].dropFirst().prefix(while: Self.isOfVerb)
    return below.contains(String(next)) ? next.endIndex : nil
  }

  private static func isOfVerb(_ letter: Character) -> Bool { letter.isLetter || letter == "-" }

  private static let program = "ferry "
  private static let begins = ["`", "“", "next: ", "then: ", "cure: ", "repair: "]
  private static let ends: Set<Character> = ["`", "”", "\n"]
}
