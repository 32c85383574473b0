/// What the help of a verb says beside its first sentence, by its parts.
///
/// It is written as plain paragraphs. The lines of a paragraph that begin with `ferry` are examples;
/// a line in capitals begins a section, whose lines are indented. Lines that were broken by hand
/// become whole again, because only a terminal knows its width.
package struct Discussion: Hashable, Sendable {
  /// Lines to type, each with its remark if it has one.
  package private(set) var examples: [String] = []
  package private(set) var paragraphs: [String] = []
  package private(set) var sections: [Section] = []

  /// A titled list, or lines that are shown as they are.
  package struct Section: Hashable, Sendable {
    package let title: String
    package fileprivate(set) var items: [Item] = []

    /// What an entry is called, and what there is to say about it.
    package struct Item: Hashable, Sendable {
      /// `nil` for a line that is shown as it is.
      package let name: String?
      package fileprivate(set) var text: String
    }
  }

  package init(_ text: String) {
    var paragraph: [String] = []
    var section: Section?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      + [""]
    {
      if line.isEmpty {
        add(paragraph)
        if let section { sections.append(section) }
        (paragraph, section) = ([], nil)
      } else if section != nil {
        section?.add(line)
      } else if paragraph.isEmpty, line.isTitle {
        section = Section(title: line)
      } else {
        paragraph.append(line)
      }
    }
  }

  private mutating func add(_ lines: [String]) {
    guard let first = lines.first else { return }
    if first.isExample {
      examples += lines
    } else {
      paragraphs.append(lines.joined(separator: " "))
    }
  }
}

extension Discussion.Section {
  /// Adds a line: an entry that begins with a number, what goes on with one, or a line as it is.
  fileprivate mutating func add(_ line: String) {
    let text = line.drop { $0 == " " }
    let indent = line.count - text.count
    if let last = items.indices.last, items[last].name != nil, indent > 2 {
      items[last].text += " \(text)"
    } else if text.first?.isNumber == true, let gap = text.firstRange(of: "  ") {
      let rest = text[gap.upperBound...].drop { $0 == " " }
      items.append(Item(name: String(text[..<gap.lowerBound]), text: String(rest)))
    } else {
      items.append(Item(name: nil, text: String(text)))
    }
  }
}

extension String {
  fileprivate var isExample: Bool { hasPrefix("ferry ") || hasPrefix("# ") }

  fileprivate var isTitle: Bool {
    !isEmpty && allSatisfy { $0.isUppercase || $0 == " " }
  }
}
