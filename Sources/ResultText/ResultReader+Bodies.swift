import ResultGrammar

extension ResultReader {
  /// The names of games that begin a line, by the number of the line.
  typealias FirstMentions = [Int: Mention]

  /// The heads with the text that belongs to each: it ends where something else begins, whether that
  /// is another head or only looks like one.
  mutating func bodies(_ mentions: FirstMentions) -> [Body] {
    let starts = found.indices.map { index in
      let box = catalogue.heads[found[index].head].form
      let previousEnd = index > 0 ? found[index - 1].end : 0
      return box.form.looksBefore
        ? start(before: found[index], behind: previousEnd) : found[index].end
    }
    var bodies: [Body] = []
    for index in found.indices {
      var limit = text.count
      if index + 1 < found.count {
        limit = front(of: found[index + 1], from: starts[index + 1], behind: found[index].end)
      }
      bodies.append(
        Body(
          head: found[index],
          previousEnd: index > 0 ? found[index - 1].end : 0,
          start: starts[index],
          end: end(of: found[index], before: limit, mentions, isAlone: false)
        )
      )
    }
    return bodies
  }

  /// Where a result begins to anyone who comes before it: where its text begins, or its line.
  ///
  /// Squares before a head in its own line, or right above it, may be those of the result before.
  private func front(of head: FoundHead, from start: Int, behind previousEnd: Int) -> Int {
    let index = lines.index(at: min(start, head.start))
    let line = lines.lines[index]
    if start < head.start {
      guard index > 0, start >= previousEnd, line.start == start else { return head.start }
      let before = lines.lines[index - 1]
      let hasGrid = catalogue.heads[head.head].form.form.grid != nil
      let isParted =
        hasGrid
        ? before.isBlank || line.isRow && before.squares != line.squares
        : before.isBlank && line.words > 0
      return isParted ? start : head.start
    }
    let between = text.scalars[max(line.start, previousEnd)..<head.start]
    return between.contains(where: Symbols.isSquare) ? head.start : max(line.start, previousEnd)
  }

  /// A body without the rows below words that follow its head, where it may go without: `nil` where
  /// it is the same.
  mutating func alone(_ body: Body, _ mentions: FirstMentions) -> Body? {
    guard catalogue.heads[body.head.head].form.form.grid?.isOptional == true else { return nil }
    let end = end(of: body.head, before: body.end, mentions, isAlone: true)
    guard end < body.end else { return nil }
    return Body(head: body.head, previousEnd: body.previousEnd, start: body.start, end: end)
  }

  /// Where the text begins that belongs to a head behind it: one paragraph, and one more where its
  /// squares are apart.
  ///
  /// Squares below the first line of something else are not its own.
  private func start(before head: FoundHead, behind previousEnd: Int) -> Int {
    let grid = catalogue.heads[head.head].form.form.grid
    let first = lines.index(at: previousEnd)
    var index = lines.index(at: head.start)
    var start = index
    var rows = lines.lines[index].squares > 2 ? 1 : 0
    while index > first {
      index -= 1
      let line = lines.lines[index]
      if lines.beginsResult(index) { break }
      if line.isBlank {
        guard grid != nil, rows == 0 else { break }
        continue
      }
      if let grid {
        let isRow = line.isRow || line.squares > 2
        guard isRow ? rows < grid.rows?.upperBound ?? .max : rows == 0 else { break }
        if isRow { rows += 1 }
      }
      start = index
    }
    if isForeign(start, behind: previousEnd > 0 ? first : -1) {
      while start < lines.index(at: head.start), lines.lines[start].isRow { start += 1 }
    }
    return max(previousEnd, min(lines.lines[start].start, head.start))
  }

  /// Whether rows that begin with this line are below the first line of something else: in its
  /// paragraph, or right below it.
  private func isForeign(_ row: Int, behind first: Int) -> Bool {
    guard lines.lines[row].isRow else { return false }
    var index = row - 1
    while index > first, lines.lines[index].isBlank { index -= 1 }
    while index > first, !lines.lines[index].isBlank {
      if lines.beginsResult(index) { return true }
      guard index == row - 1 || !lines.lines[index + 1].isBlank else { return false }
      index -= 1
    }
    return false
  }

  /// Where something else begins behind a head; where `isAlone`, rows of squares below a line of words
  /// are something else even where the head has no others.
  private mutating func end(
    of head: FoundHead,
    before limit: Int,
    _ mentions: FirstMentions,
    isAlone: Bool
  ) -> Int {
    let game = catalogue.heads[head.head].game
    let box = catalogue.heads[head.head].form
    let hasBoards = box.form.boards != nil
    let own = lines.index(at: head.end)
    let hasBlocks = hasBoards || box.form.grid?.hasBlocks == true
    var hasRows = text.scalars[head.end..<max(head.end, min(limit, lines.lines[own].end))]
      .contains(where: Symbols.isSquare)
    var isBroken = false
    for index in (own + 1)..<max(own + 1, lines.lines.count) {
      let line = lines.lines[index]
      guard line.end <= limit else { break }
      if lines.beginsResult(index), !isOwn(line, box) { return line.start }
      if let mention = mentions[index], mention.game !== game,
        showsResult(mention, from: line.start, before: limit)
      {
        return line.start
      }
      if line.isRow {
        if isBroken, !hasBlocks { return nameOfRows(index, behind: own, box) }
        hasRows = true
      } else if line.words > 0 || line.hasAddress || line.hasDigits {
        if hasRows { isBroken = true }
        let isName =
          line.words > 0
          ? (hasRows || hasBoards || isAlone) && lines.beginsParagraph(index)
          : !isNamed(line, game)
        if isName, !line.isLabel, lines.isAboveRow(index, before: limit), !isOwn(line, box) {
          return line.start
        }
      }
    }
    return limit
  }

  /// Whether a line, which is an address, names the game.
  private func isNamed(_ line: TextLines.Line, _ game: GameBox) -> Bool {
    !line.hasAddress
      || (line.start..<line.end).contains {
        GameNames.end(of: game, in: text.scalars, at: $0, before: line.end) != nil
      }
  }

  /// Whether a line is one that the form itself looks for: `Final 2/2`, or the address it needs.
  private mutating func isOwn(_ line: TextLines.Line, _ box: FormBox) -> Bool {
    let kept = runner.captures.count
    defer { runner.forget(to: kept) }
    for need in box.form.needs where find(need, from: line.start, before: line.end) { return true }
    for patterns in [box.form.finds, box.form.lost] {
      for pattern in patterns
      where runner.match(pattern, in: text.scalars, at: line.first, before: line.end) != nil {
        return true
      }
    }
    return false
  }

  /// Where something begins that shows itself only by rows of symbols that other lines part from the
  /// rows before: at the line of words right above them, or at the rows.
  private mutating func nameOfRows(_ row: Int, behind own: Int, _ box: FormBox) -> Int {
    var name = row - 1
    while name > own, lines.lines[name].isBlank { name -= 1 }
    while name > own + 1, !isNameLike(name), !lines.lines[name - 1].isBlank { name -= 1 }
    let isName = name > own && isNameLike(name) && !isOwn(lines.lines[name], box)
    return lines.lines[isName ? name : row].start
  }

  /// Whether the line may be a name: words that are no label of a value.
  private func isNameLike(_ index: Int) -> Bool {
    let line = lines.lines[index]
    return !line.isRow && (line.words > 0 && !line.isLabel || line.head != .none)
  }

  /// Refuses what names a game and shows a result that no form reads.
  func refuseUnread(
    _ mentions: [Mention],
    _ claimed: [(range: Range<Int>, game: GameBox?)],
    in reading: inout TextReading
  ) {
    var rest = claimed[...]
    var lower = 0
    var before: GameBox?
    for (index, mention) in mentions.enumerated() {
      while let next = rest.first, next.range.upperBound <= mention.start {
        lower = max(lower, next.range.upperBound)
        before = next.game
        rest = rest.dropFirst()
      }
      let limit = max(lower, rest.first?.range.lowerBound ?? text.count)
      // An address may still be that of the result before.
      let isItsAddress = mention.kind == .address && mention.game === before
      guard mention.start >= lower, mention.start < limit, !isItsAddress,
        showsResult(mention, from: lower, before: limit)
      else { continue }
      var start = mention.start
      if mention.kind == .address {
        // What it shows may appear before its address.
        let first = linesNear(mention, from: lower, before: limit).first { !$0.isBlank }
        start = min(start, first?.start ?? start)
      }
      // What follows is its own, up to another result, or to the name of another game with one.
      let next = mentions[(index + 1)...].first {
        $0.start >= limit
          || $0.kind == .first && $0.game !== mention.game
            && showsResult($0, from: mention.end, before: limit)
      }
      lower = max(min(limit, next?.start ?? limit), mention.end)
      reading.refusals.append(
        Refusal(
          game: mention.game.game.id,
          gameName: mention.game.game.name,
          cause: "the text names the game and shows a result in a form that Ferry does not read",
          range: Int(text.places[start])..<Int(text.places[mention.end])
        )
      )
    }
    reading.refusals.sort { $0.range.lowerBound < $1.range.lowerBound }
  }
}
