package import ResultGrammar

/// Finds the game results in texts that a person shared.
///
/// A reader goes once through a text for the heads of results, by their first characters. What
/// follows a head, up to the next, is the result's body; the game's description says what must
/// appear there. A reader keeps its working memory from text to text.
package struct ResultReader {
  package let catalogue: GameCatalogue
  var text = NormalText()
  var runner = PatternRunner()
  var grid = GridReader()
  var boards = BoardsReader()
  var lines = TextLines()
  let today: CalendarDay
  private(set) var found: [FoundHead] = []
  private var needs: NeedMemory
  /// The heads of results of any game, by their lines, and how many lines were read with them.
  var generalHeads = KnownHeads()
  var generalLines = 0
  /// The tokens of the lines that were looked at.
  var lineTokens = LineTokens()

  /// How far from its head something that a form needs may appear, in characters.
  static let farthestNeed = 2000

  /// The longest text that is read, in bytes.
  ///
  /// Anything longer is refused whole.
  package static let longestText = 1 << 16

  /// The most lines of one text, and heads of described games, that are looked at as results.
  ///
  /// What follows is refused: no person shares so many at once.
  static let mostHeads = 4_096

  /// - Parameters:
  ///   - catalogue: The games that are read.
  ///   - today: The day on which texts are read; no puzzle is of a day after the next two.
  package init(catalogue: GameCatalogue, today: CalendarDay = .today) {
    self.catalogue = catalogue
    self.today = today
    needs = NeedMemory(count: catalogue.needCount)
  }

  /// A head that was found, and what it kept.
  struct FoundHead {
    let head: Int
    let start: Int
    /// Where it ends, the mark of hard mode behind it included.
    var end: Int
    let captures: Range<Int>
    /// Where the mark of hard mode begins that is apart from the head.
    var hardMark: Int?
  }

  /// Reads one text.
  ///
  /// - Parameters:
  ///   - bytes: The text in UTF-8.
  ///   - day: The day it was sent, where it is known. A puzzle of a later day is refused: no one
  ///     could have played it. One day more is allowed, for the zones east of the sender.
  /// - Returns: What became of the text; it is never an error.
  package mutating func read(_ bytes: [UInt8], sentOn day: CalendarDay? = nil) -> TextReading {
    var reading = TextReading()
    guard bytes.count <= Self.longestText else {
      reading.refusals.append(
        Refusal(
          game: "",
          gameName: "text",
          cause: "it has \(bytes.count) bytes, and \(Self.longestText) are read; cut it into parts",
          range: 0..<bytes.count
        )
      )
      return reading
    }
    text.read(bytes)
    runner.forget()
    needs.forget()
    if let place = findHeads() {
      reading.refusals.append(tooMany(from: place))
      text.cut(at: place)
    }
    let names = findNames(in: bytes)
    guard !found.isEmpty || text.mayShowResult else { return reading }
    lines.read(text)
    lineTokens.begin(lines: lines.lines.count)
    let mentions = names.compactMap { mention($0, bytes) }
    var claimed: [(range: Range<Int>, game: GameBox?)] = []
    // What is of described games, chatter about them included.
    var taken: [Range<Int>] = []
    var others: [(range: Range<Int>, refusal: Refusal)] = []
    let firstMentions = Dictionary(
      mentions.filter { $0.kind == .first }.map { ($0.line, $0) },
      uniquingKeysWith: { earlier, _ in earlier }
    )
    for var body in bodies(firstMentions) {
      var verdict = judge(body, bytes: bytes, sentOn: day)
      if case .refused = verdict, let alone = alone(body, firstMentions) {
        let second = judge(alone, bytes: bytes, sentOn: day)
        if case .result = second { (verdict, body) = (second, alone) }
      }
      switch verdict {
      case .result(let result): reading.results.append(result)
      case .refused(let refusal): reading.refusals.append(refusal)
      case .otherForm(let refusal), .otherGame(let refusal):
        others.append((body.head.start..<body.head.end, refusal))
        continue
      case .unclear: continue
      case .nothing:
        taken.append(body.head.start..<body.head.end)
        continue
      }
      let range = min(body.start, body.head.start)..<body.end
      claimed.append((range, catalogue.heads[body.head.head].game))
      taken.append(range)
    }
    taken.sort { $0.lowerBound < $1.lowerBound }
    var general = readGeneral(taken, bytes: bytes, sentOn: day, into: &reading)
    general.sort { $0.range.lowerBound < $1.range.lowerBound }
    var rest = general[...]
    for other in others {
      while let next = rest.first, next.range.upperBound <= other.range.lowerBound {
        rest = rest.dropFirst()
      }
      if let next = rest.first, next.range.overlaps(other.range) { continue }
      reading.refusals.append(other.refusal)
      claimed.append((other.range, nil))
    }
    claimed += general
    claimed.sort { $0.range.lowerBound < $1.range.lowerBound }
    refuseUnread(mentions, claimed, in: &reading)
    reading.results.sort { $0.range.lowerBound < $1.range.lowerBound }
    return reading
  }

  /// The refusal of what is behind too many results.
  func tooMany(from place: Int) -> Refusal {
    Refusal(
      game: "",
      gameName: "text",
      cause: "it has more than \(Self.mostHeads) lines like a result's; cut it into parts",
      range: Int(text.places[place])..<Int(text.places[text.count])
    )
  }

  /// Finds the heads of described games, and answers where the first one is that is too many.
  private mutating func findHeads() -> Int? {
    found.removeAll(keepingCapacity: true)
    var first = 0
    for number in 0..<text.startCount {
      let place = Int(text.starts[number])
      guard place >= first, place + 1 < text.count,
        catalogue.index.mayBegin(text.scalars[place], text.scalars[place + 1]),
        let head = findHead(at: place)
      else { continue }
      guard found.count < Self.mostHeads else { return place }
      found.append(head)
      first = max(head.end, place + 1)
    }
    return nil
  }

  /// The longest head at `place` whose form finds what it needs.
  private mutating func findHead(at place: Int) -> FoundHead? {
    let candidates = catalogue.index.candidates(text.scalars[place], text.scalars[place + 1])
    guard !candidates.isEmpty else { return nil }
    var best: FoundHead?
    let kept = runner.captures.count
    for entry in candidates {
      guard
        let candidate = catalogue.index.head(
          entry,
          in: text.scalars,
          at: place,
          before: text.count
        )
      else { continue }
      let head = catalogue.heads[candidate]
      let from = runner.captures.count
      guard
        let end = runner.match(head.pattern, in: text.scalars, at: place, before: text.count)
      else { continue }
      let captures = from..<runner.captures.count
      guard best.map({ $0.end < end }) ?? true, hasNeeds(of: head, at: place) else {
        runner.forget(to: from)
        continue
      }
      best = FoundHead(head: candidate, start: place, end: end, captures: captures)
    }
    if best == nil { runner.forget(to: kept) }
    if let head = best, catalogue.heads[head.head].form.form.offersHardMode,
      let mark = hardMark(behind: head.end)
    {
      best?.end = mark.upperBound
      best?.hardMark = mark.lowerBound
    }
    return best
  }

  /// The mark of hard mode that is apart from its score: `3/6 *`, `3/6 (hard mode)`.
  private func hardMark(behind end: Int) -> Range<Int>? {
    var place = end
    func skip(_ passed: [UInt32]) {
      while place < text.count, passed.contains(text.scalars[place]) { place += 1 }
    }
    func take(_ word: [UInt32]) -> Bool {
      guard place + word.count <= text.count,
        text.scalars[place..<place + word.count].elementsEqual(word)
      else { return false }
      place += word.count
      return true
    }
    skip([0x20])
    let start = place
    if place > end, take([0x2A]) { return start..<place }
    skip(Self.marksBeforeHard)
    let isBracketed = text.scalars[start..<place].contains { $0 == 0x28 || $0 == 0x5B }
    guard take(Self.hard) else { return nil }
    skip([0x2D, 0x20])
    guard take(Self.mode) || isBracketed,
      place == text.count || !Symbols.isLetter(text.scalars[place])
    else { return nil }
    skip([0x29, 0x5D])
    return start..<place
  }

  private static let marksBeforeHard = "([-,:|* ".unicodeScalars.map(\.value)
  private static let hard = "hard".unicodeScalars.map(\.value)
  private static let mode = "mode".unicodeScalars.map(\.value)

  private mutating func hasNeeds(of head: GameCatalogue.Head, at place: Int) -> Bool {
    let box = head.form
    guard !box.form.needs.isEmpty else { return true }
    let start = box.form.looksBefore ? max(0, place - Self.farthestNeed) : place
    let end = min(text.count, place + Self.farthestNeed)
    for (index, pattern) in box.form.needs.enumerated() {
      let number = box.firstNeed + index
      let from = needs.begin(number, from: start, before: end)
      guard let from else { continue }
      let kept = runner.captures.count
      let there = firstPlace(of: pattern, from: from, startingBefore: end, endingBefore: text.count)
      runner.forget(to: kept)
      needs.end(number, found: there, before: end)
      if there == nil { return false }
    }
    return true
  }

  /// Looks for `pattern`; what it kept stays in the runner.
  mutating func find(_ pattern: TextPattern, from start: Int, before limit: Int) -> Bool {
    firstPlace(of: pattern, from: start, startingBefore: limit, endingBefore: limit) != nil
  }

  private mutating func firstPlace(
    of pattern: TextPattern,
    from start: Int,
    startingBefore end: Int,
    endingBefore limit: Int
  ) -> Int? {
    let scalars = text.scalars
    let starts = pattern.starts
    let only = starts.count == 1 ? starts[0] : nil
    let second = pattern.second
    var place = start
    while place < end {
      if let only {
        while place < end, scalars[place] != only { place += 1 }
        guard place < end else { return nil }
      }
      if second == nil || place + 1 < limit && scalars[place + 1] == second,
        only != nil || starts.isEmpty || starts.contains(scalars[place]),
        runner.match(pattern, in: scalars, at: place, before: limit) != nil
      {
        return place
      }
      place += 1
    }
    return nil
  }
}

/// A head and the text that belongs to it.
struct Body {
  let head: ResultReader.FoundHead
  /// Where the head before it ends.
  let previousEnd: Int
  /// Where the text begins that belongs to it: behind the head, or before it.
  let start: Int
  /// Where something else begins, or the text ends.
  let end: Int
}
