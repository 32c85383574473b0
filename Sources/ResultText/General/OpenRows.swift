/// Rows of cells of any kind: squares, circles, hearts, keycaps or other symbols.
struct OpenRows {
  private(set) var rows: [Row] = []

  struct Row {
    /// The symbols of each cell: one, or those that are joined.
    var cells: [[UInt32]] = []
    var range = 0..<0
    /// How many of the cells are squares, circles, arrows and the like, or keycaps.
    var shapes = 0
    /// Whether words are in its line.
    var hasWords = false

    var text: String { String(cells.joined()) }

    func isAll(_ cell: [UInt32]) -> Bool { cells.allSatisfy { $0 == cell } }
  }

  /// The cells that say “right” in most games.
  static let hits: Set<UInt32> = [
    0x1F7E9, 0x1F7E2, 0x2705, 0x1F49A, 0x1F34F, 0x1F389, 0x1F4CC, 0x1F3C6, 0x2B50, 0x1F3AF,
  ]
  /// The cells that say “wrong”, “near” or “not used”.
  static let misses: Set<UInt32> = [
    0x1F7E5, 0x274C, 0x2B1B, 0x2B1C, 0x1F7E8, 0x1F7E7, 0x1F534, 0x26AA, 0x26AB, 0x1F7E1, 0x1F532,
    0x1F533, 0x25AB, 0x25AA, 0x1F5A4, 0x1F90D, 0x1F507,
  ]

  /// Reads the rows between two places: the first lines with cells, and those right behind them.
  mutating func read(_ text: [UInt32], from start: Int, before limit: Int) {
    rows.removeAll(keepingCapacity: true)
    var place = start
    while place < limit, rows.count < 100 {
      var end = place
      while end < limit, text[end] != 0x0A { end += 1 }
      readLine(text, place, end)
      place = end + 1
    }
  }

  private mutating func readLine(_ text: [UInt32], _ start: Int, _ end: Int) {
    var runs: [Row] = []
    var place = start
    var letters = 0
    while place < end {
      var run = Row()
      let first = place
      while place < end, let length = Self.cell(text, place, end) {
        let isShape =
          Symbols.isSquare(text[place]) || Symbols.isKeycap(text, place, end)
          || Self.hits.contains(text[place]) || Self.misses.contains(text[place])
        run.cells.append(Array(text[place..<place + length]))
        if isShape { run.shapes += 1 }
        place += length
      }
      if run.cells.isEmpty {
        if Symbols.isLetter(text[place]) { letters += 1 }
        place += 1
      } else {
        run.range = first..<place
        runs.append(run)
      }
    }
    guard let widest = runs.map(\.cells.count).max() else { return }
    // Signs between numbers and words are no cells: `🧝 5xp ⛩ 128 👣`.
    let areCells = letters == 0 || runs.count(where: { $0.shapes > 0 }) + 1 >= runs.count
    let isSpaced =
      areCells && widest == 1 && runs.count > 2 || runs.count > 1 && letters == 0 && widest <= 2
    let found = isSpaced ? [Self.joined(runs)] : runs
    for var run in found where run.cells.count > 2 || isContinued(run) {
      run.hasWords = letters > 1
      rows.append(run)
    }
  }

  /// Whether a run of two belongs to rows before it.
  private func isContinued(_ run: Row) -> Bool {
    run.cells.count > 1 && run.shapes > 0 && rows.last.map { $0.cells.count <= 4 } ?? true
  }

  private static func joined(_ runs: [Row]) -> Row {
    var row = Row()
    // A sign before the cells tells what they are of: `📺 🟥 🟥 🟩`.
    let isLabelled = runs[0].shapes == 0 && runs.dropFirst().allSatisfy { $0.shapes > 0 }
    for run in isLabelled ? runs.dropFirst() : runs[...] {
      row.cells += run.cells
      row.shapes += run.shapes
    }
    row.range = runs[isLabelled ? 1 : 0].range.lowerBound..<runs[runs.count - 1].range.upperBound
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

  // MARK: What they show

  /// Whether the rows are those of a result: shapes, and more than one kind of cell or row.
  var isGrid: Bool {
    let shapes = rows.reduce(0) { $0 + $1.shapes }
    let cells = rows.reduce(0) { $0 + $1.cells.count }
    guard cells > 2, shapes * 2 >= cells || rows.count > 2 && areEqual else { return false }
    let kinds = Set(rows.flatMap(\.cells))
    let areStars = kinds.allSatisfy { $0 == [0x2B50] || $0 == [0x1F31F] }
    guard !areStars else { return false }
    return kinds.count > 1
      || shapes > 2 && (rows.count > 1 || cells > 3)
        && rows.allSatisfy { $0.cells.allSatisfy { Symbols.isSquare($0[0]) && $0[0] > 0x2B00 } }
  }

  /// How much the rows look like those of a result: from 0 for none to 3 for a grid.
  var weight: Int {
    let cells = rows.reduce(0) { $0 + $1.cells.count }
    let kinds = Set(rows.flatMap(\.cells))
    guard cells > 2, !kinds.allSatisfy({ $0 == [0x2B50] || $0 == [0x1F31F] }) else { return 0 }
    let isShaped = rows.allSatisfy { $0.shapes == $0.cells.count }
    if isGrid || isShaped {
      return rows.count > 1 && cells > 3 || cells > 4 ? 3 : cells > 3 ? 2 : 1
    }
    let alone = rows.filter { !$0.hasWords && $0.cells.count > 2 }
    return alone.count > 1 || alone.contains { $0.cells.count > 3 } ? 2 : alone.count
  }

  /// Whether all rows are of one width.
  var areEqual: Bool { rows.allSatisfy { $0.cells.count == rows[0].cells.count } }

  /// Whether the last row, and no other, is all hits.
  var endsSolved: Bool {
    guard rows.count > 1, let last = rows.last, last.cells.count > 2 || areEqual else {
      return false
    }
    func isSolved(_ row: Row) -> Bool {
      Self.hits.contains(row.cells[0][0]) && row.isAll(row.cells[0])
    }
    return isSolved(last) && !rows.dropLast().contains(where: isSolved)
  }

  /// The only row that has shapes.
  private var hitRow: Row? {
    let shaped = rows.filter { $0.shapes > 0 }
    return shaped.count == 1 ? shaped[0] : nil
  }

  /// The place of the only hit in one row of misses, counted from one, or zero without a hit.
  var hitPosition: Int? {
    guard let row = hitRow, row.cells.count > 2, row.cells.count <= 12 else { return nil }
    var cells = row.cells
    if let first = cells.first, !Self.hits.contains(first[0]), !Self.misses.contains(first[0]) {
      cells.removeFirst()
    }
    let hits = cells.indices.filter { Self.hits.contains(cells[$0][0]) }
    guard cells.count > 2, hits.count < 2,
      cells.allSatisfy({ Self.hits.contains($0[0]) || Self.misses.contains($0[0]) })
    else { return nil }
    guard let hit = hits.first else {
      if cells.last == [0x274C], Set(cells.dropLast()).count < 2 { return 0 }
      return Set(cells).count == 1 && cells[0] != [0x2B1C] && cells[0] != [0x2B1B] ? 0 : nil
    }
    return hit - cells.startIndex + 1
  }

  /// How many cells the row has in which ``hitPosition`` is.
  var hitWidth: Int {
    guard let cells = hitRow?.cells else { return 0 }
    let isLabelled = !Self.hits.contains(cells[0][0]) && !Self.misses.contains(cells[0][0])
    return cells.count - (isLabelled ? 1 : 0)
  }
}
