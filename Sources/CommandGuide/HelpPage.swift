/// The help of a verb, in lines that fit a width: examples first.
package struct HelpPage: Sendable {
  private let verb: Verb
  private let text: FittedText

  /// - Parameters:
  ///   - verb: The program, or a verb of it.
  ///   - width: How many columns a line may have.
  package init(_ verb: Verb, width: Int) {
    self.verb = verb
    text = FittedText(width: min(max(width, 40), 100))
  }

  package var lines: [String] {
    var lines = text.paragraph(verb.abstract)
    if !verb.discussion.examples.isEmpty {
      // What is to be typed is never broken: it could not be copied.
      lines += ["", "EXAMPLES"] + verb.discussion.examples.map { "  \($0)" }
    }
    for paragraph in verb.discussion.paragraphs { lines += [""] + text.paragraph(paragraph) }
    lines += ["", "USAGE"] + text.item("  ", usage, indent: 4)
    lines += list("ARGUMENTS", verb.operands.map { ("<\($0.name)>", $0.abstract) })
    lines += list("VERBS", verb.verbs.map { ($0.name, $0.abstract) })
    if !verb.flags.isEmpty { lines += ["", "FLAGS"] + verb.flags.flatMap { self.lines(of: $0) } }
    for section in verb.discussion.sections { lines += [""] + self.lines(of: section) }
    return lines + closing
  }

  /// The line that calls the verb.
  private var usage: String { verb.usage }

  private var closing: [String] {
    guard verb.verbs.isEmpty else {
      return [""] + text.paragraph("`\(verb.path.joined(separator: " ")) VERB --help` says more.")
    }
    let words =
      "Each flag can be a variable (FERRY_ and its name) or a key of ferry.yaml as well; "
      + "`ferry config \(verb.words)` shows them."
    return [""] + text.paragraph(words)
  }

  private func list(_ title: String, _ entries: [(String, String)]) -> [String] {
    guard !entries.isEmpty else { return [] }
    let column = min(24, (entries.map(\.0.count).max() ?? 0) + 4)
    return ["", title]
      + entries.flatMap { name, words in
        let gap = String(repeating: " ", count: max(2, column - name.count - 2))
        return text.item("  \(name)\(gap)", words, indent: column)
      }
  }

  private func lines(of flag: Flag) -> [String] {
    text.item("  ", flag.spelling, indent: 4) + text.item("      ", flag.words, indent: 6)
  }

  private func lines(of section: Discussion.Section) -> [String] {
    let column = (section.items.compactMap { $0.name?.count }.max() ?? 0) + 4
    return [section.title]
      + section.items.flatMap { item in
        guard let name = item.name else { return ["  \(item.text)"] }
        let gap = String(repeating: " ", count: column - 2 - name.count)
        return text.item("  \(name)\(gap)", item.text, indent: column)
      }
  }
}

extension Verb {
  /// The line that calls the verb, with names for what goes into it.
  var usage: String {
    var words = path
    if !verbs.isEmpty { words.append("VERB") }
    if !flags.isEmpty { words.append("[FLAGS]") }
    for operand in operands {
      let name = "<\(operand.name)>" + (operand.isRepeating ? " …" : "")
      words.append(operand.isOptional ? "[\(name)]" : name)
    }
    return words.joined(separator: " ")
  }
}

extension Flag {
  /// Its names and its value, as they are typed.
  var spelling: String {
    names.joined(separator: ", ") + (isSwitch ? "" : " <\(valueName)>")
  }

  /// All that there is to say about it.
  var words: String {
    var words = [abstract, discussion]
    if let defaultValue, !isSwitch { words.append("(default: \(defaultValue))") }
    return words.filter { !$0.isEmpty }.joined(separator: " ").replacing("\n", with: " ")
  }
}

/// Breaks text into lines of a width, between words.
struct FittedText: Sendable {
  let width: Int

  func paragraph(_ words: String) -> [String] { item("", words, indent: 0) }

  /// Lines of which the first begins with `start`, and the others with `indent` spaces.
  func item(_ start: String, _ words: String, indent: Int) -> [String] {
    var lines: [String] = []
    var line = start
    var isFresh = true
    for word in words.split(separator: " ") {
      if !isFresh, line.count + 1 + word.count > width {
        lines.append(line)
        line = String(repeating: " ", count: indent)
        isFresh = true
      }
      line += isFresh ? String(word) : " \(word)"
      isFresh = false
    }
    return lines + [line]
  }
}
