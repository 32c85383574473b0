import ResultGrammar

/// Reads the numbers of guesses of several boards, written in keycaps.
struct BoardsReader {
  /// For each board its number of guesses, or `nil` when it failed.
  private(set) var boards: [Int64?] = []
  /// Where the boards end.
  private(set) var end = 0

  /// Reads up to `rule.count` boards between `start` and `limit`.
  ///
  /// They are together: only white space and joints come between them.
  mutating func read(_ rule: BoardsRule, in text: [UInt32], from start: Int, before limit: Int) {
    boards.removeAll(keepingCapacity: true)
    end = start
    var place = start
    var skipped = 0
    while place < limit, boards.count < rule.count {
      if let (value, next) = Self.board(rule, in: text, at: place, before: limit) {
        boards.append(value)
        place = next
        end = next
        skipped = 0
      } else if Self.isJoint(text[place]) || boards.isEmpty && text[place] != 0x0A {
        place += 1
      } else if Symbols.isLetter(text[place]), skipped < Self.longestRemark {
        // A player wrote a word between them.
        place += 1
        skipped += 1
      } else {
        return
      }
    }
  }

  private static let longestRemark = 12

  /// White space, and the square between two numbers.
  private static func isJoint(_ scalar: UInt32) -> Bool {
    scalar == 0x20 || scalar == 0x0A || scalar == 0x2B1B
  }

  private static func board(
    _ rule: BoardsRule,
    in text: [UInt32],
    at place: Int,
    before limit: Int
  ) -> (Int64?, Int)? {
    switch text[place] {
    case 0x1F7E5:
      var end = place + 1
      while end < limit, end - place < rule.digits, text[end] == 0x1F7E5 { end += 1 }
      return (nil, end)
    case 0x1F51F: return (10, place + 1)
    case 0x1F55A: return (11, place + 1)
    case 0x1F55B: return (12, place + 1)
    case 0x1F550: return (13, place + 1)
    default: break
    }
    var value: Int64 = 0
    var end = place
    for _ in 0..<rule.digits {
      guard let digit = FieldReader.digit(text, end, limit), end + 1 < limit,
        text[end + 1] == 0x20E3
      else { return nil }
      value = value * 10 + digit
      end += 2
    }
    return (value, end)
  }
}
