/// The man page, in the language of `man`: every verb and flag, from the words the help is made of.
package struct ManualPage: Sendable {
  private let catalogue: CommandCatalogue
  private let version: String

  package init(_ catalogue: CommandCatalogue, version: String) {
    self.catalogue = catalogue
    self.version = version
  }

  package var text: String {
    let root = catalogue.root
    var lines = [
      ".TH FERRY 1 \"\" \"ferry \(version)\" \"User Commands\"",
      ".SH NAME", "ferry \\- \(root.abstract.withoutStop.roff)",
      ".SH SYNOPSIS", ".B ferry", ".I VERB", "[FLAGS] [ARGUMENTS]",
      ".SH DESCRIPTION",
    ]
    for paragraph in root.discussion.paragraphs { lines += [".PP", paragraph.roff] }
    lines += examples(of: root, heading: ".SH EXAMPLES")
    lines.append(".SH VERBS")
    for verb in catalogue.leaves { lines += section(of: verb) }
    for part in root.discussion.sections { lines += self.lines(of: part, heading: ".SH") }
    lines += [
      ".SH ENVIRONMENT", ".PP",
      ("Each flag of each verb can be given as a variable: FERRY_ and its name in capitals, with "
        + "_ for -. Several values are separated by commas.").roff,
    ]
    for flag in catalogue.settings { lines += [".TP", ".B \(flag.variable.roff)", flag.seeAlso] }
    lines += [
      ".SH FILES", ".TP", ".I ferry.yaml",
      ("A key for each flag; beside the profile that is named, else in the current folder, else "
        + "the file of --config. A section with the name of a verb holds for that verb alone. A "
        + "flag goes before the environment, and that before the file.").roff,
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  private func section(of verb: Verb) -> [String] {
    var lines = [".SS \(verb.path.joined(separator: " ").roff)", verb.abstract.roff]
    lines += [".PP", ".nf", ".B \(verb.usage.roff)", ".fi"]
    lines += examples(of: verb, heading: nil)
    for paragraph in verb.discussion.paragraphs { lines += [".PP", paragraph.roff] }
    for operand in verb.operands where !operand.abstract.isEmpty {
      lines += [".TP", ".I <\(operand.name.roff)>", operand.abstract.roff]
    }
    for flag in verb.flags { lines += [".TP", ".B \(flag.spelling.roff)", flag.words.roff] }
    for part in verb.discussion.sections { lines += self.lines(of: part, heading: ".PP\n.B") }
    return lines
  }

  private func examples(of verb: Verb, heading: String?) -> [String] {
    let examples = verb.discussion.examples
    guard !examples.isEmpty else { return [] }
    return [heading, ".PP", ".nf", ".RS 4"].compactMap(\.self) + examples.map(\.roff)
      + [".RE", ".fi"]
  }

  private func lines(of section: Discussion.Section, heading: String) -> [String] {
    var lines = ["\(heading) \(section.title.roff)"]
    for item in section.items {
      if let name = item.name {
        lines += [".TP", ".B \(name.roff)", item.text.roff]
      } else {
        lines += [".PP", item.text.roff]
      }
    }
    return lines
  }
}

extension Flag {
  fileprivate var seeAlso: String { "The same as --\(key)\(isRepeating ? ", several" : "").".roff }
}

extension String {
  fileprivate var withoutStop: String { hasSuffix(".") ? String(dropLast()) : self }

  /// The text with nothing in it that `man` would take for a request, in ASCII: other characters
  /// are named, because not every `man` reads UTF-8.
  fileprivate var roff: String {
    var plain = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\\": plain += "\\e"
      case "-": plain += "\\-"
      case _ where scalar.isASCII: plain.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        plain += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
      }
    }
    return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
  }
}
