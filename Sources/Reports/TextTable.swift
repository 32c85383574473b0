/// A table of words and numbers for a terminal: the first column to the left, the rest to the right.
package struct TextTable: Sendable {
  private var rows: [[String]]

  package init(heading: [String]) { rows = [heading] }

  package mutating func add(_ row: [String]) { rows.append(row) }

  package var isEmpty: Bool { rows.count == 1 }

  /// The lines, without their ends, each indented by two spaces.
  package var lines: [String] {
    let columnCount = rows.map(\.count).max() ?? 0
    let widths = (0..<columnCount).map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      let cells = row.enumerated().map { column, text in
        let padding = String(repeating: " ", count: widths[column] - text.count)
        return column == 0 ? text + padding : padding + text
      }
      var line = "  " + cells.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}

extension String {
  /// The text with everything escaped that could drive a terminal: controls, and marks that turn
  /// the direction of writing.
  package var plainForTerminal: String {
    var plain = ""
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069, 0x2028, 0x2029:
        plain += "\\u{\(String(scalar.value, radix: 16))}"
      default: plain.unicodeScalars.append(scalar)
      }
    }
    return plain
  }
}
