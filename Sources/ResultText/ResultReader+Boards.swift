import ResultGrammar

extension ResultReader {
  /// Reads the boards, and holds them against the rules, the stated sum and the rows of squares.
  mutating func readBoards(_ rule: BoardsRule, into draft: inout Draft) throws(Refused) {
    boards.read(rule, in: text.scalars, from: draft.start, before: draft.body.end)
    let values = boards.boards
    guard !values.isEmpty else {
      if isInSentence(draft.body.head) { throw .chatter }
      throw .missing("no numbers of guesses follow")
    }
    guard values.count == rule.count else {
      throw .rule("\(values.count) boards follow, and the game has \(rule.count)")
    }
    try check(values, rule)
    if rule.grids != .none { try checkGrids(values, rule, draft) }
    let solved = values.compactMap { $0 }
    let sum = solved.reduce(0, +)
    let failed = Int64(values.count - solved.count)
    draft.isLost = failed > 0
    switch draft.formBox.form.score {
    case .boardMean:
      draft.score = failed > 0 ? nil : ResultNumber(Int(sum) / values.count)
    case .boardSum:
      draft.score = try total(sum, failed, rule, draft)
    default:
      break
    }
    draft.extra.append(.init(name: "boards", value: .numbers(values.map { $0.map { Int($0) } })))
  }

  private func check(_ values: [Int64?], _ rule: BoardsRule) throws(Refused) {
    for (index, value) in values.enumerated() {
      guard let value else { continue }
      guard value >= 1, value <= rule.maximum else {
        throw .rule("board \(index + 1) took \(value) guesses, and \(rule.maximum) are allowed")
      }
      if rule.areDistinct, values[..<index].contains(value) {
        throw .rule("two boards were solved by guess \(value), and one guess solves one board")
      }
    }
  }

  /// The sum of the boards, which must be the one that is stated.
  private func total(
    _ sum: Int64,
    _ failed: Int64,
    _ rule: BoardsRule,
    _ draft: Draft
  ) throws(Refused) -> ResultNumber? {
    guard let stated = draft.score else {
      return failed > 0 ? nil : ResultNumber(Int(sum))
    }
    let possible = rule.failedValues.map { sum + failed * $0 }
    guard possible.contains(stated.digits) || rule.failedValues.isEmpty else {
      throw .rule("the score \(stated) is not the sum of the boards, \(possible[0])")
    }
    return stated
  }

  /// Old texts carry every row of every board, two boards side by side: the row that solves a
  /// board is the one its number says.
  private mutating func checkGrids(
    _ values: [Int64?],
    _ rule: BoardsRule,
    _ draft: Draft
  ) throws(Refused) {
    let squares = GridRule(
      cells: [0x2B1B, 0x2B1C, 0x1F7E8, 0x1F7E9],
      hits: [0x1F7E9],
      widths: 5...5,
      hasBlocks: true
    )
    grid.read(
      squares,
      in: text.scalars,
      from: boards.end,
      before: draft.body.end,
      takesLast: false
    )
    guard !grid.rows.isEmpty else {
      if rule.grids == .required { throw .rule("no rows of squares follow the boards") }
      return
    }
    var solvedAt = [Int64?](repeating: nil, count: values.count)
    var block = -1
    var round: Int64 = 0
    for (index, row) in grid.rows.enumerated() where index.isMultiple(of: 2) {
      guard index + 1 < grid.rows.count else {
        throw .rule("the rows of squares do not come in pairs")
      }
      if row.followsBlank || index == 0 { (block, round) = (block + 1, 0) }
      round += 1
      guard block * 2 + 1 < values.count else {
        throw .rule("more rows of squares follow than the boards have")
      }
      for side in 0..<2 where grid.rows[index + side].hits == 5 {
        let board = block * 2 + side
        if solvedAt[board] == nil { solvedAt[board] = round }
      }
    }
    guard block * 2 + 2 == values.count else { return }
    for (index, value) in values.enumerated() where value != solvedAt[index] {
      throw .rule("board \(index + 1) differs from its rows of squares")
    }
  }
}
