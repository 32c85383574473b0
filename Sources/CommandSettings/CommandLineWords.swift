/// The words of a command line, as far as they can be determined without parsing values: which verb is
/// called, and which flags are given.
package struct CommandLineWords: Hashable, Sendable {
  package let words: [String]
  /// The verb that is called; the program itself where none is.
  package let verb: Verb
  /// How many words call it.
  package let verbCount: Int
  /// The values of the flags that are given, by their keys; a switch has `true` or `false`.
  package let given: [String: [String]]
  /// The words that are no flags and no values of flags.
  package let operands: [String]
  /// A word that is where a verb should, and is not one.
  package let misplaced: String?
  /// Whether the line asks for help rather than for work.
  package let asksForHelp: Bool

  /// - Parameters:
  ///   - words: What was typed after the program's name.
  ///   - catalogue: What can be typed.
  package init(_ words: [String], in catalogue: CommandCatalogue) {
    let isHelp = words.first == "help"
    var verb = catalogue.root
    var count = isHelp ? 1 : 0
    while count < words.count, let next = verb.verb(words[count]) {
      verb = next
      count += 1
    }
    if let usual = verb.usualVerb { verb = usual }
    let rest = words[count...].prefix { $0 != "--" }
    let wantsVerb = !verb.verbs.isEmpty && count < words.count && !words[count].hasPrefix("-")
    misplaced = wantsVerb ? words[count] : nil
    self.words = words
    self.verb = verb
    verbCount = count
    given = Self.flags(in: Array(rest), of: verb)
    operands = Self.operands(in: rest, of: verb) + words[count...].drop { $0 != "--" }.dropFirst()
    asksForHelp = isHelp || rest.contains("--help") || rest.contains("-h")
  }

  /// A line that has every flag there is and gives none of them.
  package init(everyFlagOf catalogue: CommandCatalogue) {
    words = []
    verb = Verb(
      path: catalogue.root.path,
      flags: catalogue.settings,
      operands: [],
      verbs: []
    )
    verbCount = 0
    given = [:]
    operands = []
    misplaced = nil
    asksForHelp = false
  }

  private static func flags(in words: [String], of verb: Verb) -> [String: [String]] {
    var given: [String: [String]] = [:]
    for (index, word) in words.enumerated() {
      guard word.hasPrefix("-"), word.count > 1 else { continue }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let next = index + 1 < words.count ? words[index + 1] : ""
      for name in names(in: String(parts[0])) {
        guard let flag = verb.flags.first(where: { $0.names.contains(name) }) else { continue }
        let attached = parts.count > 1 ? String(parts[1]) : nil
        given[flag.key, default: []].append(attached ?? (flag.isSwitch ? "true" : next))
      }
    }
    return given
  }

  private static func operands(in words: some Sequence<String>, of verb: Verb) -> [String] {
    var operands: [String] = []
    var isValue = false
    for word in words {
      guard word.hasPrefix("-"), word.count > 1 else {
        if !isValue { operands.append(word) }
        isValue = false
        continue
      }
      let name = names(in: word).last ?? word
      let flag = verb.flags.first { $0.names.contains(name) }
      isValue = flag.map { !$0.isSwitch } ?? false
    }
    return operands
  }

  /// The flags a word names: itself, or each letter of several short ones.
  private static func names(in word: String) -> [String] {
    word.hasPrefix("--") || word.count == 2 ? [word] : word.dropFirst().map { "-\($0)" }
  }

  /// The words for the parser, with what comes from elsewhere after the verb.
  ///
  /// `--quiet=false` is taken out: it only keeps a setting of the file or the environment away.
  package func adding(_ more: [String]) -> [String] {
    let rest = words[verbCount...]
    let end = rest.firstIndex(of: "--") ?? words.count
    let plain = words[verbCount..<end].compactMap { word -> String? in
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2,
        verb.flags.contains(where: { $0.isSwitch && $0.names.contains(String(parts[0])) })
      else { return word }
      switch parts[1] {
      case "true": return String(parts[0])
      case "false": return nil
      default: return word
      }
    }
    return words[..<verbCount] + more + plain + words[end...]
  }
}
