/// Reads rows of squares.
struct GridReader {
  /// One row: its squares, how many are hits, where the first hit is.
  struct Row {
    var length = 0
    var hits = 0
    var firstHit: Int?
    var color: UInt32 = 0
    var isOneColor = true
    /// Where it is in the text.
    var range = 0..<0
    /// The line it is on, counted in the region; and whether a blank line is before it.
    var line = 0
    var followsBlank = false
  }

  private(set) var rows: [Row] = []
  /// How many squares a row has that no row of this game can be, and where it ends.
  private(set) var misfit: (length: Int, end: Int)?

  private var line = 0
  private var lineHasRow = false
  private var lineHasOther = false
  private var blankLines = 0
  private var isClosed = false

  /// Reads the rows between `start` and `limit`: the first block of them, or the last when
  /// `takesLast`.
  mutating func read(
    _ rule: GridRule,
    in text: [UInt32],
    from start: Int,
    before limit: Int,
    takesLast: Bool
  ) {
    rows.removeAll(keepingCapacity: true)
    misfit = nil
    (line, lineHasRow, lineHasOther, blankLines, isClosed) = (0, false, false, 0, false)
    var place = start
    while place < limit {
      let scalar = text[place]
      if scalar == 0x0A {
        endLine(rule)
        place += 1
      } else if scalar != 0x20, rule.takes(scalar) {
        place = readRun(rule, in: text, from: place, before: limit, takesLast: takesLast)
      } else {
        if scalar != 0x20 { lineHasOther = true }
        place += 1
      }
      if isClosed, !takesLast, !rule.hasBlocks { return }
    }
  }

  private mutating func endLine(_ rule: GridRule) {
    if !rows.isEmpty, !lineHasRow, lineHasOther { isClosed = true }
    blankLines = lineHasRow || lineHasOther ? 0 : blankLines + 1
    line += 1
    (lineHasRow, lineHasOther) = (false, false)
  }

  /// Reads one run of squares, and answers where it ends.
  private mutating func readRun(
    _ rule: GridRule,
    in text: [UInt32],
    from start: Int,
    before limit: Int,
    takesLast: Bool
  ) -> Int {
    var row = Row()
    var place = start
    while place < limit {
      let scalar = text[place]
      if rule.takes(scalar) {
        add(scalar, to: &row, isHit: rule.hits.contains(scalar))
        place += 1
      } else if rule.isSpaced, scalar == 0x20, place + 1 < limit,
        rule.takes(text[place + 1])
      {
        place += 1
      } else {
        break
      }
    }
    guard widths(of: row, rule) > 0 else {
      if row.length >= 3, misfit == nil, !isClosed { misfit = (row.length, place) }
      lineHasOther = true
      return place
    }
    guard widths(of: row, rule) == 1 else {
      return split(row, rule, in: text, from: start, before: place)
    }
    if isClosed, !rule.hasBlocks {
      rows.removeAll(keepingCapacity: true)
      isClosed = false
    }
    row.range = start..<place
    row.line = line
    row.followsBlank = blankLines > 0 && !lineHasRow
    rows.append(row)
    lineHasRow = true
    return place
  }

  /// How many rows a run is: more where their line ends are gone, none where it is no row.
  private func widths(of row: Row, _ rule: GridRule) -> Int {
    if rule.widths.contains(row.length) { return 1 }
    let width = rule.widths.lowerBound
    guard rule.widths.count == 1, rule.rowsFollowScore, width > 2, !rule.isSpaced,
      row.length.isMultiple(of: width)
    else { return 0 }
    return row.length / width
  }

  /// Reads the rows of a run whose line ends are gone.
  private mutating func split(
    _ whole: Row,
    _ rule: GridRule,
    in text: [UInt32],
    from start: Int,
    before limit: Int
  ) -> Int {
    for first in stride(from: start, to: limit, by: rule.widths.lowerBound) {
      var row = Row()
      row.range = first..<first + rule.widths.lowerBound
      for place in row.range { add(text[place], to: &row, isHit: rule.hits.contains(text[place])) }
      row.line = line
      rows.append(row)
    }
    lineHasRow = true
    return limit
  }

  private func add(_ scalar: UInt32, to row: inout Row, isHit: Bool) {
    if row.length == 0 { row.color = scalar }
    if scalar != row.color { row.isOneColor = false }
    if isHit {
      row.hits += 1
      if row.firstHit == nil { row.firstHit = row.length }
    }
    row.length += 1
  }
}
