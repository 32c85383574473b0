import ResultGrammar
import TextCodecs

extension ResultReader {
  /// Makes the result that a draft represents.
  func assemble(
    _ draft: Draft,
    finds: Range<Int>,
    bytes: [UInt8],
    sentOn day: CalendarDay?
  ) throws(Refused) -> GameResult {
    let head = draft.body.head
    var result = GameResult(
      game: draft.gameBox.game.id,
      gameName: draft.gameBox.game.name,
      puzzle: nil,
      puzzleDay: nil,
      score: draft.score,
      maxAttempts: draft.maximum.map { Int($0) },
      completed: draft.isCompleted,
      hardMode: nil,
      timeSeconds: nil,
      variant: draft.formBox.form.variant,
      fields: draft.extra,
      isTruncated: draft.isTruncated,
      range: range(of: draft),
      identity: ""
    )
    for index in head.captures { take(runner.captures[index], into: &result, draft, bytes) }
    // Of two that say the same, the first in the text counts: the other may be a neighbour's.
    for capture in finds.map({ runner.captures[$0] }).sorted(by: { $0.start < $1.start }) {
      take(capture, into: &result, draft, bytes)
    }
    if draft.formBox.form.offersHardMode, result.hardMode == nil {
      result.hardMode = head.hardMark.map { !closesEmphasis($0, draft) } ?? false
    }
    if result.puzzleDay == nil, let puzzle = result.puzzle, draft.gameBox.game.anchor != nil {
      result.puzzleDay = draft.gameBox.game.day(of: puzzle)
      guard result.puzzleDay != nil else { throw .rule("the game cannot have a puzzle \(puzzle)") }
    }
    // Somewhere it is tomorrow already.
    if let puzzleDay = result.puzzleDay, puzzleDay > today.adding(2) {
      throw .rule(
        "its puzzle is of \(puzzleDay), and the clock of this machine shows \(today)"
      )
    }
    if let day, let puzzleDay = result.puzzleDay, puzzleDay > day.adding(1) {
      throw .rule("its puzzle is of \(puzzleDay), later than the text, which is of \(day)")
    }
    result.identity = identity(of: result, draft)
    return result
  }

  /// Where the result is in the bytes: from its head, or what comes before, to its last
  /// character that is not white space.
  private func range(of draft: Draft) -> Range<Int> {
    var end = draft.body.end
    while end > draft.body.head.end, text.scalars[end - 1] == 0x20 || text.scalars[end - 1] == 0x0A
    {
      end -= 1
    }
    let start = min(draft.start, draft.body.head.start)
    return Int(text.places[start])..<Int(text.places[end])
  }

  private func take(
    _ capture: Capture,
    into result: inout GameResult,
    _ draft: Draft,
    _ bytes: [UInt8]
  ) {
    let reading = capture.reading
    let number = ResultNumber(digits: reading.value, scale: reading.scale)
    switch capture.slot {
    case Slot.puzzle where reading.form == .number:
      if result.puzzle == nil { result.puzzle = Int(reading.value) }
    case Slot.score, Slot.maximum:
      break
    case Slot.time:
      if result.timeSeconds == nil { result.timeSeconds = number }
    case Slot.date where reading.form == .day:
      if result.puzzleDay == nil {
        result.puzzleDay = CalendarDay(number: Int(reading.value))
      }
    case Slot.hard:
      if !closesEmphasis(capture.start, draft) { result.hardMode = true }
    case Slot.variant:
      if result.variant == nil { result.variant = string(capture, bytes).lowercased() }
    default:
      guard capture.slot != Slot.date || reading.form == .text else { break }
      let name = draft.gameBox.game.slots[capture.slot]
      guard !result.fields.contains(where: { $0.name == name }) else { return }
      result.fields.append(.init(name: name, value: value(capture, bytes)))
    }
  }

  /// Whether an asterisk only ends what as many before the head began: `**Wordle 900 3/6**`.
  private func closesEmphasis(_ mark: Int, _ draft: Draft) -> Bool {
    let head = draft.body.head.start
    var count = 0
    while count < head, text.scalars[head - 1 - count] == 0x2A { count += 1 }
    guard count > 0 else { return false }
    var end = mark
    while end < text.count, text.scalars[end] == 0x2A { end += 1 }
    return end > mark && end - mark <= count
  }

  private func value(_ capture: Capture, _ bytes: [UInt8]) -> GameResult.Value {
    if capture.isFlag { return .flag(true) }
    let reading = capture.reading
    switch reading.form {
    case .number, .seconds:
      return .number(ResultNumber(digits: reading.value, scale: reading.scale))
    case .day: return .day(CalendarDay(number: Int(reading.value)))
    case .lost, .text, .dayOfYear: return .text(string(capture, bytes))
    }
  }

  /// The text of a capture as it was written, without white space around it.
  private func string(_ capture: Capture, _ bytes: [UInt8]) -> String {
    var start = capture.start
    var end = capture.reading.end
    while start < end, text.scalars[start] == 0x20 { start += 1 }
    while end > start, text.scalars[end - 1] == 0x20 { end -= 1 }
    let range = Int(text.places[start])..<Int(text.places[end])
    return String(decoding: bytes[range], as: UTF8.self)
  }

  /// Game, variant, and the puzzle's number or day; for a text that has neither, its digest.
  private func identity(of result: GameResult, _ draft: Draft) -> String {
    var identity = result.game
    if let variant = result.variant { identity += ":" + variant }
    if let puzzle = result.puzzle { return identity + "/" + String(puzzle) }
    if let day = result.puzzleDay { return identity + "/" + day.description }
    if case .text(let puzzle)? = result["puzzle"] { return identity + "/" + puzzle }
    return identity + "#" + digest(of: min(draft.start, draft.body.head.start)..<draft.body.end)
  }

  /// A digest of the normal text without its white space: FNV-1a, 64 bits, twice.
  func digest(of range: Range<Int>) -> String {
    var first: UInt64 = 0xCBF2_9CE4_8422_2325
    var second: UInt64 = 0x8422_2325_CBF2_9CE4
    for scalar in text.scalars[range] where scalar != 0x20 && scalar != 0x0A {
      first = (first ^ UInt64(scalar)) &* 0x100_0000_01B3
      second = (second ^ UInt64(scalar) &+ 0x9E37) &* 0x100_0000_01B3
    }
    return Hexadecimal.text(first) + Hexadecimal.text(second)
  }
}
