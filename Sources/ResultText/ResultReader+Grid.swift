import ResultGrammar

extension ResultReader {
  /// Reads the rows of squares and holds them against the score.
  mutating func readGrid(_ rule: GridRule, into draft: inout Draft) throws(Refused) {
    readRows(rule, of: draft)
    if grid.rows.isEmpty {
      // On some days a game has other cells; their number and places are the same.
      var open = rule
      open.isOpen = true
      readRows(open, of: draft)
      if let last = grid.rows.last, last.isOneColor, !draft.isLost {
        open.hits.append(last.color)
        readRows(open, of: draft)
      }
      if !grid.rows.allSatisfy({ $0.length == grid.rows[0].length }) || grid.rows.count < 2 {
        readRows(rule, of: draft)
      }
    }
    if grid.rows.isEmpty {
      try acceptNoRows(rule, draft)
      return
    }
    draft.isTruncated = rule.endsSolved && rule.rowsFollowScore && isCut(draft)
    if let misfit = grid.misfit, !draft.isTruncated {
      throw .rule("a row has \(misfit.length) squares, which no row of this game has")
    }
    if rule.showsScore {
      let shown = grid.rows[0].firstHit.map { $0 + 1 }
      guard draft.isLost ? shown == nil : shown == draft.score?.integer else {
        throw .rule("the squares do not show the score")
      }
    }
    try takeScore(rule, into: &draft)
    try checkRowCount(rule, draft)
    if rule.endsSolved { try checkEnd(draft) }
  }

  private mutating func readRows(_ rule: GridRule, of draft: Draft) {
    grid.read(
      rule,
      in: text.scalars,
      from: draft.start,
      before: draft.body.end,
      takesLast: draft.formBox.form.looksBefore
    )
  }

  /// Whether the text was cut: it ends with the rows, fewer are there than the score wants, and none
  /// is the solution.
  private func isCut(_ draft: Draft) -> Bool {
    let wanted = draft.isLost ? draft.maximum : draft.score?.integer.map(Int64.init)
    guard let wanted, grid.rows.count < wanted, let last = grid.rows.last,
      grid.rows.allSatisfy({ $0.hits < $0.length })
    else { return false }
    let end = grid.misfit?.end ?? last.range.upperBound
    return end >= last.range.upperBound
      && text.scalars[end..<text.count]
        .allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x2026 || $0 == 0x2E }
  }

  private func acceptNoRows(_ rule: GridRule, _ draft: Draft) throws(Refused) {
    if isInSentence(draft.body.head) {
      guard draft.score != nil || draft.isLost else { throw .chatter }
      throw .rule("no rows of squares belong to it")
    }
    if let misfit = grid.misfit {
      throw .rule("a row has \(misfit.length) squares, which no row of this game has")
    }
    guard rule.isOptional else { throw .missing("no rows of squares belong to it") }
    if hasWords(from: draft.body.head.end, before: draft.body.end) {
      throw .rule("words follow where rows of squares should")
    }
  }

  private func takeScore(_ rule: GridRule, into draft: inout Draft) throws(Refused) {
    switch draft.formBox.form.score {
    case .hitPosition:
      draft.score = grid.rows[0].firstHit.map { ResultNumber($0 + 1) }
      draft.isLost = draft.score == nil
      if draft.maximum == nil { draft.maximum = Int64(grid.rows[0].length) }
    case .rows:
      let isSolved = grid.rows[grid.rows.count - 1].hits == grid.rows[grid.rows.count - 1].length
      draft.isLost = draft.isLost || rule.endsSolved && !isSolved
      draft.score = draft.isLost ? nil : ResultNumber(grid.rows.count)
    case .rowLength:
      draft.score = ResultNumber(grid.rows[0].length)
    case .groups:
      try takeGroups(into: &draft)
    default:
      break
    }
  }

  /// Counts the groups that were found and the mistakes: a row of one colour is a group.
  private func takeGroups(into draft: inout Draft) throws(Refused) {
    let groups = draft.maximum ?? 4
    var colors: [UInt32] = []
    var mistakes = 0
    for row in grid.rows {
      if !row.isOneColor {
        mistakes += 1
      } else if colors.contains(row.color) {
        throw .rule("the same group is found twice")
      } else {
        colors.append(row.color)
      }
    }
    guard mistakes <= 4 else { throw .rule("\(mistakes) rows are mistakes, and four end the game") }
    if colors.count == groups {
      guard mistakes < 4 else { throw .rule("four mistakes end the game, and all is found") }
    } else if mistakes < 4 {
      throw .rule(
        "the rows stop before the game does: \(colors.count) groups and \(mistakes) mistakes"
      )
    }
    draft.score = ResultNumber(colors.count)
    draft.isLost = false
    draft.extra.append(.init(name: "mistakes", value: .number(ResultNumber(mistakes))))
  }

  private func checkRowCount(_ rule: GridRule, _ draft: Draft) throws(Refused) {
    let count = grid.rows.count
    if draft.isTruncated { return }
    if rule.rowsFollowScore {
      let wanted = draft.isLost ? draft.maximum : draft.score?.integer.map(Int64.init)
      guard let wanted else { return }
      guard count == wanted else {
        let score = draft.isLost ? "X" : String(wanted)
        throw .rule(
          "\(count) rows of squares belong to it, and the score \(score) wants \(wanted)"
        )
      }
    } else if let rows = rule.rows, !rows.contains(count) {
      throw .rule(
        "\(count) rows of squares belong to it, and the game has \(rows.lowerBound)"
          + (rows.count > 1 ? " to \(rows.upperBound)" : "")
      )
    }
  }

  /// The last row of a solved game, and no other, is all hits.
  private func checkEnd(_ draft: Draft) throws(Refused) {
    for (index, row) in grid.rows.enumerated() {
      let isSolved = row.hits == row.length
      let isLast = index == grid.rows.count - 1
      if isSolved, draft.isLost || !isLast {
        throw .rule("row \(index + 1) is the solution, and the game did not end there")
      }
      if isLast, !isSolved, !draft.isLost, !draft.isTruncated {
        throw .rule("the last row is not the solution, and the score says it is")
      }
    }
  }

  /// Whether letters are around the head on its own line.
  func isInSentence(_ head: FoundHead) -> Bool {
    var place = head.start - 1
    while place >= 0, place > head.start - Self.longestLine, text.scalars[place] != 0x0A {
      if isLetter(text.scalars[place]) { return true }
      place -= 1
    }
    return hasWords(from: head.end, before: endOfLine(from: head.end))
  }

  /// How far a line is looked at, in characters.
  private static let longestLine = 400

  private func endOfLine(from start: Int) -> Int {
    var place = start
    let limit = min(text.count, start + Self.longestLine)
    while place < limit, text.scalars[place] != 0x0A { place += 1 }
    return place
  }

  private func isLetter(_ scalar: UInt32) -> Bool {
    scalar >= 0x61 && scalar <= 0x7A || scalar >= 0xC0 && scalar < 0x2000
  }

  /// Whether words are there: anything with letters that is no address and no hashtag.
  func hasWords(from start: Int, before limit: Int) -> Bool {
    var place = start
    while place < limit {
      let first = place
      var letters = 0
      var isAddress = text.scalars[first] == 0x23
      while place < limit, text.scalars[place] > 0x20 {
        let scalar = text.scalars[place]
        if isLetter(scalar) { letters += 1 }
        if scalar == 0x2E, place + 1 < limit, text.scalars[place + 1] > 0x20 { isAddress = true }
        place += 1
      }
      if letters > 1, !isAddress { return true }
      place = max(place, first + 1)
    }
    return false
  }
}
