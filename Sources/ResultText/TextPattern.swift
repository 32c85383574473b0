import ResultGrammar

/// A pattern of a description, ready to be held against normal text.
///
/// | written | means |
/// |---|---|
/// | `Wordle` | these characters, in any case |
/// | a space | white space, line ends included |
/// | `~` | white space, or nothing |
/// | `[…]` | this, or nothing |
/// | `(a\|b)` | one of these |
/// | `{puzzle:number}` | a field of that kind |
/// | `{variant=easy\|hard}` | one of these, kept as text |
/// | `{hard?=*}` | one of these, kept as true |
/// | `{hints#0=no hints}` | one of these, kept as that number |
/// | `\[`, `\|` | the character itself |
struct TextPattern: Sendable {
  /// One step of a pattern.
  enum Step: Sendable, Equatable {
    case scalar(UInt32)
    case space
    case anySpace
    /// Tries the first place, and the second when that leads nowhere.
    case split(Int, Int)
    case jump(Int)
    case field(slot: Int, kind: FieldKind, stop: UInt32?)
    case begin
    case keepText(slot: Int)
    case keepFlag(slot: Int)
    case keepNumber(slot: Int, Int64)
  }

  let source: String
  var steps: [Step] = []
  /// The first characters that a match may begin with; empty when it may begin with anything.
  var starts: [UInt32] = []
  /// The second character of every match, where there is only one and it is no white space.
  var second: UInt32?

  /// Whether a field of it is kept in `slot`.
  func keeps(_ slot: Int) -> Bool {
    steps.contains { step in
      switch step {
      case .field(slot, _, _), .keepText(slot), .keepFlag(slot), .keepNumber(slot, _): true
      default: false
      }
    }
  }

  /// The characters that every match begins with, white space as one space.
  var trigger: [UInt32] {
    var literal: [UInt32] = []
    for step in steps {
      switch step {
      case .scalar(let scalar): literal.append(scalar)
      case .space: literal.append(0x20)
      default: return literal
      }
    }
    return literal
  }

  /// The first characters that ``steps`` allow, or `nil` when they allow any.
  func firstScalars() -> [UInt32]? {
    var found: [UInt32] = []
    var pending = [0]
    while let index = pending.popLast() {
      guard index < steps.count else { return nil }
      switch steps[index] {
      case .scalar(let scalar): found.append(scalar)
      case .split(let first, let second): pending += [first, second]
      case .jump(let next): pending.append(next)
      case .begin, .keepText, .keepFlag, .keepNumber: pending.append(index + 1)
      case .space, .anySpace: return nil
      case .field(_, let kind, _):
        guard kind != .word, kind != .text, kind != .date, kind != .duration else { return nil }
        found += (0x30...0x39)
        if kind == .attempts { found.append(0x78) }
      }
    }
    return found
  }
}

/// Something a pattern kept.
struct Capture {
  let slot: Int
  let start: Int
  let reading: FieldReading
  let isFlag: Bool
}

/// Runs patterns.
///
/// It holds what a run needs, so that a run allocates nothing.
struct PatternRunner {
  private(set) var captures: [Capture] = []
  private var choices: [(step: Int, place: Int, captures: Int, begin: Int)] = []

  mutating func forget() {
    captures.removeAll(keepingCapacity: true)
  }

  /// Keeps something that no pattern read.
  mutating func keep(_ capture: Capture) {
    captures.append(capture)
  }

  mutating func forget(to count: Int) {
    if captures.count > count { captures.removeLast(captures.count - count) }
  }

  /// Holds `pattern` against `text` at `start`.
  ///
  /// - Returns: Where the match ends, or `nil`; what it kept is added to ``captures``.
  mutating func match(
    _ pattern: TextPattern,
    in text: [UInt32],
    at start: Int,
    before limit: Int
  ) -> Int? {
    let kept = captures.count
    if !choices.isEmpty { choices.removeAll(keepingCapacity: true) }
    var choice = (step: 0, place: start, captures: kept, begin: start)
    var effort = 0
    while true {
      if let end = run(pattern.steps, from: choice, in: text, before: limit, effort: &effort) {
        return end
      }
      guard effort < 20_000, let next = choices.popLast() else { break }
      forget(to: next.captures)
      choice = next
    }
    forget(to: kept)
    return nil
  }

  /// Follows one way through `steps` until it ends or leads nowhere.
  private mutating func run(
    _ steps: [TextPattern.Step],
    from choice: (step: Int, place: Int, captures: Int, begin: Int),
    in text: [UInt32],
    before limit: Int,
    effort: inout Int
  ) -> Int? {
    var (step, place, _, begin) = choice
    while step < steps.count {
      effort += 1
      switch steps[step] {
      case .scalar(let scalar):
        guard place < limit, text[place] == scalar else { return nil }
        place += 1
      case .space, .anySpace:
        let first = place
        while place < limit, text[place] == 0x20 || text[place] == 0x0A { place += 1 }
        if steps[step] == .space, place == first { return nil }
      case .split(let first, let second):
        choices.append((second, place, captures.count, begin))
        step = first
        continue
      case .jump(let next):
        step = next
        continue
      case .field(let slot, let kind, let stop):
        guard
          let reading = FieldReader.read(kind, in: text, at: place, before: limit, upTo: stop)
        else { return nil }
        captures.append(Capture(slot: slot, start: place, reading: reading, isFlag: false))
        place = reading.end
      case .begin:
        begin = place
      case .keepText(let slot):
        let reading = FieldReading(end: place, form: .text)
        captures.append(Capture(slot: slot, start: begin, reading: reading, isFlag: false))
      case .keepFlag(let slot):
        let reading = FieldReading(end: place, form: .text)
        captures.append(Capture(slot: slot, start: begin, reading: reading, isFlag: true))
      case .keepNumber(let slot, let value):
        let reading = FieldReading(end: place, value: value)
        captures.append(Capture(slot: slot, start: begin, reading: reading, isFlag: false))
      }
      step += 1
    }
    return place
  }
}
