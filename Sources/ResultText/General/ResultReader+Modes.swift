import ResultGrammar

/// One mode of a game and what the player reached in it: `❓ Classic: 6`.
struct ModeScore {
  let mode: Range<Int>
  /// `nil` where the mode was lost.
  let score: ResultNumber?
}

extension ResultReader {
  /// The modes that lines below a sentence list, where the sentence is about all of them.
  mutating func modes(of draft: GeneralDraft) -> [ModeScore] {
    guard draft.head.isSentence,
      has(.modes, inLine: draft.lines.lowerBound)
    else { return [] }
    var modes: [ModeScore] = []
    for line in draft.lines.dropFirst() {
      if let mode = mode(inLine: line) {
        modes.append(mode)
      } else if !modes.isEmpty {
        break
      }
    }
    return modes.count > 1 ? modes : []
  }

  private mutating func has(_ classes: WordClasses, inLine line: Int) -> Bool {
    tokens(ofLine: line).contains { lineTokens.tokens[$0].classes.has(classes) }
  }

  /// The mode of a line that has no more than its name and its score, with symbols around them.
  private mutating func mode(inLine line: Int) -> ModeScore? {
    let tokens = tokens(ofLine: line).map { lineTokens.tokens[$0] }.filter { $0.kind != .symbols }
    guard let colon = tokens.firstIndex(where: { text.scalars[$0.start] == 0x3A }),
      (1...3).contains(colon), colon + 1 < tokens.count,
      tokens[..<colon].allSatisfy({ $0.kind == .word })
    else { return nil }
    let value = tokens[colon + 1]
    let isLost = value.kind == .word && value.end - value.start == 1
    guard value.kind == .number && value.value.scale == 0 || isLost else { return nil }
    return ModeScore(
      mode: tokens[0].start..<tokens[colon - 1].end,
      score: isLost ? nil : value.count
    )
  }
}
