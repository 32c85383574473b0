/// Rows of cells of any kind: squares, circles, hearts, keycaps or other symbols.
package struct OpenRows {
  package private(set) var rows: [Row] = []
  /// The cells of all rows, one row behind the other.
  private var cells: [Cell] = []
  /// How many of the cells of all rows are shapes.
  private var shapeCount = 0
  /// Whether all cells are alike, and whether all are stars.
  private var isOneKind = true
  private var areStars = true
  /// Whether all rows are of one width; true without rows.
  package private(set) var areEqual = true
  /// How many lines the rows are in.
  private var lineCount = 0
  /// The lines that have one shape and nothing else but a sign before it.
  private var singles: [Row] = []

  /// One symbol, or those that are joined.
  package struct Cell: Equatable {
    /// Its first character.
    package let first: UInt32
    /// What distinguishes it from others.
    package let id: UInt32
  }

  package struct Row {
    /// Where its cells are among those of all rows.
    package fileprivate(set) var cells: Range<Int>
    package var range = 0..<0
    /// How many of the cells are squares, circles, arrows and the like, or keycaps.
    package var shapes = 0
    /// Whether words are in its line.
    package var hasWords = false
    /// Whether its line has nothing but symbols.
    package var isAlone = false
    /// The number of its line among those with symbols.
    package var line = 0

    package var count: Int { cells.count }
  }

  package init() {}

  /// The cells that say “right” in most games.
  package static func isHit(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x1F7E9, 0x1F7E2, 0x2705, 0x1F49A, 0x1F34F, 0x1F389, 0x1F4CC, 0x1F3C6, 0x2B50, 0x1F3AF:
      true
    default: false
    }
  }

  /// The cells that say “wrong”, “near” or “not used”.
  package static func isMiss(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x1F7E5, 0x274C, 0x2B1B, 0x2B1C, 0x1F7E8, 0x1F7E7, 0x1F534, 0x26AA, 0x26AB, 0x1F7E1,
      0x1F532, 0x1F533, 0x25AB, 0x25AA, 0x1F5A4, 0x1F90D, 0x1F507, 0x2753, 0x2754:
      true
    default: false
    }
  }

  /// Reads the rows between two places: the first lines with cells, and those right behind them.
  package mutating func read(_ text: [UInt32], from start: Int, before limit: Int) {
    rows.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
    singles.removeAll(keepingCapacity: true)
    lineCount = 0
    var place = start
    while place < limit, rows.count < 100 {
      var end = place
      var hasSymbols = false
      while end < limit, text[end] != 0x0A {
        if text[end] >= 0x20E3 { hasSymbols = true }
        end += 1
      }
      if hasSymbols {
        lineCount += 1
        readLine(text, place, end)
      }
      place = end + 1
    }
    // A column of cells, each in a line of its own.
    if rows.isEmpty, singles.count > 2 { rows = singles }
    summarize()
  }

  private mutating func summarize() {
    if rows.count > 1, rows.contains(where: { !isStars($0) && $0.shapes > 0 }) {
      // A rating below the cells: `⭐⭐⭐`.
      rows.removeAll(where: isStars)
    }
    (shapeCount, isOneKind, areStars, areEqual) = (0, true, true, true)
    for row in rows {
      shapeCount += row.shapes
      if row.count != rows[0].count { areEqual = false }
      for cell in cells[row.cells] {
        if cell != cells[rows[0].cells.lowerBound] { isOneKind = false }
        if cell.id != 0x2B50, cell.id != 0x1F31F { areStars = false }
      }
    }
  }

  private func isStars(_ row: Row) -> Bool {
    cells[row.cells].allSatisfy { $0.id == 0x2B50 || $0.id == 0x1F31F }
  }

  /// Whether there are several rows, or one of five cells and more.
  package var isMany: Bool { rows.count > 1 || rows.contains { $0.count > 4 } }

  private mutating func readLine(_ text: [UInt32], _ start: Int, _ end: Int) {
    let first = rows.count
    var place = start
    var letters = 0
    var isAlone = true
    while place < end {
      if let run = readRun(text, place, end) {
        rows.append(run)
        place = run.range.upperBound
      } else {
        if Symbols.isLetter(text[place]) { letters += 1 }
        if text[place] > 0x20 { isAlone = false }
        place += 1
      }
    }
    keepRows(from: first, letters: letters, isAlone: isAlone)
  }

  /// The cells that are together at a place; `nil` where none is.
  private mutating func readRun(_ text: [UInt32], _ start: Int, _ end: Int) -> Row? {
    var run = Row(cells: cells.count..<cells.count)
    var place = start
    while place < end, let length = Self.cell(text, place, end) {
      let scalar = text[place]
      let isKeycap = Symbols.isKeycap(text, place, end)
      if isKeycap || Symbols.isSquare(scalar) || Self.isHit(scalar) || Self.isMiss(scalar) {
        run.shapes += 1
      }
      cells.append(Cell(first: scalar, id: Self.id(text[place..<place + length])))
      place += length
    }
    guard place > start else { return nil }
    run.cells = run.cells.lowerBound..<cells.count
    run.range = start..<place
    // Hearts that are left and hearts that are lost: `❤️❤️🖤`.
    let hearts = cells[run.cells].count { Self.isHeart($0.id) }
    let lost = cells[run.cells].count { Self.isLostHeart($0.id) }
    if hearts > 0, lost > 0, hearts + lost == run.count { run.shapes = run.count }
    return run
  }

  private static func isHeart(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x2764, 0x1F493...0x1F49C, 0x1F9E1: scalar != 0x1F494
    default: false
    }
  }

  private static func isLostHeart(_ scalar: UInt32) -> Bool {
    scalar == 0x1F494 || scalar == 0x1F5A4 || scalar == 0x1F90D
  }

  private static func id(_ scalars: ArraySlice<UInt32>) -> UInt32 {
    guard scalars.count > 1 else { return scalars.first ?? 0 }
    return scalars.reduce(0x811C_9DC5) { ($0 ^ $1) &* 0x0100_0193 } | 0x8000_0000
  }

  /// Decides which runs of a line are rows; those that begin behind `first` are of the line.
  private mutating func keepRows(from first: Int, letters: Int, isAlone: Bool) {
    let runs = rows[first...]
    guard let widest = runs.map(\.count).max() else { return }
    // Signs between numbers and words are no cells: `🧝 5xp ⛩ 128 👣`.
    let areCells = letters == 0 || runs.count(where: { $0.shapes > 0 }) + 1 >= runs.count
    let isSpaced =
      areCells && widest == 1 && runs.count > 2 || runs.count > 1 && letters == 0 && widest <= 2
    let found = isSpaced ? [joined(runs)] : Array(runs)
    rows.removeSubrange(first...)
    if isAlone, found.count == 1, found[0].count == 1, found[0].shapes == 1, singles.count < 100 {
      singles.append(found[0])
    }
    for var run in found where run.count > 2 || isContinued(run) {
      run.hasWords = letters > 1
      (run.isAlone, run.line) = (isAlone, lineCount)
      rows.append(run)
    }
  }

  /// Whether a run of two belongs to rows before it.
  private func isContinued(_ run: Row) -> Bool {
    run.count > 1 && run.shapes > 0 && rows.last.map { $0.count <= 4 } ?? true
  }

  /// One row of runs that are next to each other.
  private func joined(_ runs: ArraySlice<Row>) -> Row {
    // A sign before the cells tells what they are of: `📺 🟥 🟥 🟩`.
    let isLabelled =
      runs[runs.startIndex].shapes == 0 && runs.dropFirst().allSatisfy { $0.shapes > 0 }
    let kept = isLabelled ? runs.dropFirst() : runs
    var row = kept[kept.startIndex]
    for run in kept.dropFirst() {
      row.cells = row.cells.lowerBound..<run.cells.upperBound
      row.range = row.range.lowerBound..<run.range.upperBound
      row.shapes += run.shapes
    }
    return row
  }

  /// How many scalars the cell takes that is at a place; `nil` where none is.
  private static func cell(_ text: [UInt32], _ place: Int, _ end: Int) -> Int? {
    if Symbols.isKeycap(text, place, end) { return 2 }
    guard Symbols.isSymbol(text[place]) else { return nil }
    var next = place + 1
    if text[place] >= 0x1F1E6, text[place] <= 0x1F1FF, next < end, text[next] >= 0x1F1E6,
      text[next] <= 0x1F1FF
    {
      return 2
    }
    while next + 1 < end, text[next] == 0x200D { next += 2 }
    return next - place
  }

  /// The cells of a row as they are written, without what is between them.
  package static func text(of row: Row, in text: [UInt32]) -> String {
    var written = ""
    var place = row.range.lowerBound
    while place < row.range.upperBound {
      guard let length = cell(text, place, row.range.upperBound) else {
        place += 1
        continue
      }
      for scalar in text[place..<place + length] {
        written.unicodeScalars.append(Unicode.Scalar(scalar) ?? "\u{FFFD}")
      }
      place += length
    }
    return written
  }

  // MARK: What they show

  /// Whether the rows are those of a result: shapes, and more than one kind of cell or row.
  package var isGrid: Bool {
    guard cellCount > 2, shapeCount * 2 >= cellCount || rows.count > 2 && areEqual, !areStars else {
      return false
    }
    return !isOneKind || shapeCount > 2 && (rows.count > 1 || cellCount > 3) && isSquares
  }

  /// How many cells all rows have together.
  package var cellCount: Int { rows.reduce(0) { $0 + $1.count } }

  /// Whether the only kind of cell is a square of colour.
  private var isSquares: Bool {
    rows.first.map {
      let first = cells[$0.cells.lowerBound].first
      return Symbols.isSquare(first) && first > 0x2B00
    } ?? true
  }

  /// How much the rows look like those of a result: from 0 for none to 3 for a grid.
  package var weight: Int {
    guard cellCount > 2, !areStars else { return arePair ? 1 : 0 }
    let isShaped = shapeCount == cellCount
    if isGrid || isShaped {
      return rows.count > 1 && cellCount > 3 || cellCount > 4 ? 3 : cellCount > 3 ? 2 : 1
    }
    let alone = rows.count { !$0.hasWords && $0.count > 2 }
    return alone > 1 || rows.contains { !$0.hasWords && $0.count > 3 } ? 2 : alone
  }

  /// Whether there is nothing but two keycaps in one line: the guesses of two boards.
  private var arePair: Bool {
    rows.count == 1 && rows[0].count == 2 && rows[0].isAlone
      && cells[rows[0].cells].allSatisfy { Symbols.isDigit($0.first) }
  }

  /// Whether the last row, and no other, is all hits.
  package var endsSolved: Bool {
    guard rows.count > 1, let last = rows.last else { return false }
    if areParted { return isSolvedLine(last.line) && unsolvedLineCount == height - 1 }
    guard last.count > 2 || areEqual else { return false }
    return isSolved(last) && !rows.dropLast().contains(where: isSolved) && !areGroups
  }

  /// How many rows there are where the parts of a line are one row: `🟩⬜ 🟩🟩🟩`.
  package var height: Int {
    guard areParted else { return rows.count }
    return rows.indices.count { $0 == 0 || rows[$0].line != rows[$0 - 1].line }
  }

  /// Whether several lines have nothing but rows, and more than one each.
  private var areParted: Bool {
    guard let first = rows.first?.line, let last = rows.last?.line, last > first else {
      return false
    }
    return rows.allSatisfy(\.isAlone)
      && (first...last).allSatisfy { line in rows.count { $0.line == line } > 1 }
  }

  private func isSolvedLine(_ line: Int) -> Bool {
    rows.allSatisfy { $0.line != line || isSolved($0) }
  }

  private var unsolvedLineCount: Int {
    Set(rows.filter { !isSolved($0) }.map(\.line)).count
  }

  /// Whether several rows are each of one colour that says neither “right” nor “wrong”: the groups of
  /// a game of groups.
  package var areGroups: Bool {
    rows.count {
      let first = cells[$0.cells.lowerBound]
      let isColored = !Self.isHit(first.first) && !Self.isUnused(first.first)
      return $0.count > 2 && isColored && cells[$0.cells].allSatisfy { $0 == first }
    } > 1
  }

  /// The cells of a row without any hit, in games whose last row is the solution.
  private static func isUnused(_ scalar: UInt32) -> Bool {
    isMiss(scalar) && scalar != 0x1F7E8
  }

  private func isSolved(_ row: Row) -> Bool {
    let first = cells[row.cells.lowerBound]
    return Self.isHit(first.first) && cells[row.cells].allSatisfy { $0 == first }
  }

  /// The only row that has shapes.
  private var hitRow: Row? {
    guard let shaped = rows.first(where: { $0.shapes > 0 }),
      rows.count(where: { $0.shapes > 0 }) == 1
    else { return nil }
    return shaped
  }

  /// Whether each row is one cell.
  private var isColumn: Bool { rows.count > 1 && rows.allSatisfy { $0.count == 1 } }

  /// The cells of a column, or of the only row that has shapes without a label before them.
  private var hitCells: ArraySlice<Cell> {
    if isColumn, rows.count <= 12 { return rows.map { self.cells[$0.cells.lowerBound] }[...] }
    guard let row = hitRow, row.count <= 12 else { return [] }
    let cells = cells[row.cells]
    let isFirst = cells.first.map { isHitOrMiss($0) && $0.first != Self.mute } ?? true
    return isFirst ? cells : cells.dropFirst()
  }

  /// The sign of a song that was not found, before its cells.
  private static let mute: UInt32 = 0x1F507

  private func isHitOrMiss(_ cell: Cell) -> Bool {
    Self.isHit(cell.first) || Self.isMiss(cell.first)
  }

  /// The place of the only hit in one row or column of misses, counted from one, or zero without a
  /// hit.
  package var hitPosition: Int? {
    let cells = hitCells
    let hits = cells.indices.filter { Self.isHit(cells[$0].first) }
    guard cells.count > 2, hits.count < 2, cells.allSatisfy(isHitOrMiss), let first = cells.first
    else { return nil }
    if let hit = hits.first { return hit - cells.startIndex + 1 }
    if let row = hitRow, self.cells[row.cells].first?.first == Self.mute { return 0 }
    func areAlike(_ cells: ArraySlice<Cell>) -> Bool { cells.allSatisfy { $0 == first } }
    if cells.last?.id == 0x274C, areAlike(cells.dropLast()) { return 0 }
    // No cell behind a wrong guess is unused: `🟥⬛🟥🟥`.
    if cells.last?.id == 0x1F7E5, cells.contains(where: { $0.id == 0x2B1B }) { return 0 }
    return areAlike(cells) && first.id != 0x2B1C && first.id != 0x2B1B ? 0 : nil
  }

  /// How many cells the row or column has in which ``hitPosition`` is.
  package var hitWidth: Int { hitCells.count }
}
