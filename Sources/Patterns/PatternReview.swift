/// What is found about a pattern while it is read that decides how, and whether, ICU matches it.
///
/// Places are counted in bytes of the spelling so far.
struct PatternReview {
  /// Whether each alternative of the whole pattern begins with `^`.
  var isPinned = true
  /// Whether the pattern asks for properties of characters that a version of Unicode may change.
  var asksForProperties = false
  /// Whether a step that reads on in the text, and counts as one, is taken again and again.
  private(set) var repeatsScans = false
  private var hasScans = false
  private var lastScan = -1

  private var groupCount = 0
  /// The groups that took part in every match that comes this far, and where they begin.
  private var taken: [Int: Int] = [:]
  private var assertionDepth = 0
  private var lookBehindDepth = 0

  /// How often something is repeated; `most` is `nil` where there is no limit.
  struct Counts {
    let least: Int
    let most: Int?
  }

  var isLookingBehind: Bool { lookBehindDepth > 0 }
  /// Whether ICU may take very long for one step of a long text.
  var hasRepeatedScans: Bool { repeatsScans || hasScans && !isPinned }

  // MARK: Groups

  /// Counts a capturing group, and gives its number.
  mutating func openGroup() -> Int {
    groupCount += 1
    return groupCount
  }

  mutating func closeGroup(_ number: Int, from start: Int) { taken[number] = start }

  /// Whether the group took part in every match that comes this far.
  func isTaken(_ number: Int) -> Bool { taken[number] != nil }

  /// Forgets the groups that begin at a place or after it: what comes next may be matched without them.
  mutating func forgetGroups(from start: Int) { taken = taken.filter { $0.value < start } }

  // MARK: Assertions and repetition

  mutating func enterAssertion(behind: Bool) {
    assertionDepth += 1
    if behind { lookBehindDepth += 1 }
  }

  mutating func leaveAssertion(behind: Bool, from start: Int) {
    assertionDepth -= 1
    if behind { lookBehindDepth -= 1 }
    forgetGroups(from: start)
  }

  /// Notes that what begins at a place, and was read last, is repeated.
  mutating func repeatFrom(_ start: Int, _ counts: Counts) {
    // A round that matches nothing ends a repetition, and the engines differ in what its groups are then.
    if counts.least == 0 || counts.least != counts.most { forgetGroups(from: start) }
    if counts.most != 1, lastScan >= start { repeatsScans = true }
    // Without a limit, it reads to the end of the text, and leaves no step behind in an assertion.
    if counts.most == nil, assertionDepth > 0 { noteScan(from: start) }
  }

  /// Notes a step at a place, whose cost grows with the text and that counts as one.
  mutating func noteScan(from place: Int) {
    hasScans = true
    lastScan = max(lastScan, place)
  }
}
