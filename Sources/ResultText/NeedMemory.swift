/// Where in a text the needs of forms were looked for already, so that nothing is searched twice.
///
/// Heads are tried from the front of a text to its end, so the place from which a need is looked for
/// never goes back.
struct NeedMemory {
  private var memos: [Memo]
  /// The number of the text; a memo of another one is stale.
  private var text: UInt32 = 0

  private struct Memo {
    var text: UInt32 = 0
    /// Nothing begins before this place, as far back as it was looked for.
    var searchedTo = 0
    var found: Int?
  }

  init(count: Int) {
    memos = Array(repeating: Memo(), count: count)
  }

  /// Forgets the text before.
  mutating func forget() {
    text &+= 1
  }

  /// From where a need is still to be looked for, or `nil` when it is known to be there.
  mutating func begin(_ need: Int, from start: Int, before end: Int) -> Int? {
    if memos[need].text != text { memos[need] = Memo(text: text) }
    if let found = memos[need].found, found >= start, found < end { return nil }
    return max(start, memos[need].searchedTo)
  }

  mutating func end(_ need: Int, found: Int?, before end: Int) {
    memos[need].found = found
    memos[need].searchedTo = max(memos[need].searchedTo, found ?? end)
  }
}
