import Records

/// A table of words and numbers for a terminal: the first column to the left, the rest to the right.
package struct TextTable: Sendable {
  /// How many columns of characters there are; `nil` where no one looks at lines of a width.
  ///
  /// A table that is wider is folded: the columns that do not fit come below, beside the first one.
  @TaskLocal package static var width: Int?

  private var rows: [[String]]

  package init(heading: [String]) { rows = [heading] }

  package mutating func add(_ row: [String]) { rows.append(row) }

  /// Adds what is counted of an entity; a point represents none.
  mutating func add(_ entity: EntityName, after words: [String] = [], _ counts: [Int]) {
    add([entity.text.plainForTerminal] + words + counts.map(Self.figure))
  }

  /// A count as a cell has it.
  package static func figure(_ count: some BinaryInteger) -> String {
    count == 0 ? "·" : "\(count)"
  }

  package var isEmpty: Bool { rows.count == 1 }

  /// The lines, or one that says they do not exist.
  func lines(orElse words: String) -> [String] { isEmpty ? ["  \(words)"] : lines }

  /// The lines, without their ends, each indented by two spaces.
  package var lines: [String] {
    let columnCount = rows.map(\.count).max() ?? 0
    let widths = (0..<columnCount).map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return folds(widths).flatMap { columns in rows.map { line(of: $0, columns, widths) } }
  }

  private func line(of row: [String], _ columns: [Int], _ widths: [Int]) -> String {
    let cells = columns.filter { $0 < row.count }.map { column in
      let padding = String(repeating: " ", count: widths[column] - row[column].count)
      return column == 0 ? row[column] + padding : padding + row[column]
    }
    var line = "  " + cells.joined(separator: "  ")
    while line.last == " " { line.removeLast() }
    return line
  }

  /// The columns that are side by side, part for part; the first one in each.
  private func folds(_ widths: [Int]) -> [[Int]] {
    guard let limit = Self.width, let first = widths.first else { return [Array(widths.indices)] }
    var folds: [[Int]] = []
    var columns = [0]
    var used = 2 + first
    for column in widths.indices.dropFirst() {
      if columns.count > 1, used + 2 + widths[column] > limit {
        folds.append(columns)
        (columns, used) = ([0], 2 + first)
      }
      columns.append(column)
      used += 2 + widths[column]
    }
    return folds + [columns]
  }
}
