/// A pattern as a table: one step a byte, no trying again.
///
/// Only patterns that are regular and speak of ASCII, of its complement or of `.` have a table; the
/// others are left to PCRE2. Since a pattern only ever has to be found or not, greed and groups make
/// no difference, and both ways give the same answer for every text in well-formed UTF-8.
///
/// The states are the sets of places that the pattern may have come to (the subset construction).
struct PatternAutomaton {
  /// For each state 256 next states, then for each state whether the text may end there.
  private(set) var cells: [UInt8] = []
  private(set) var stateCount = 0
  private(set) var start: UInt8 = 0

  /// Nothing can be found any more.
  static let failed: UInt8 = 0
  /// The pattern has been found, whatever follows.
  static let found: UInt8 = 1
  private static let mostStates = 64

  /// Makes the table of a pattern that is known to be well formed; `nil` when there is none.
  init?(_ pattern: String) {
    guard let graph = PatternGraph(pattern) else { return nil }
    let classes = graph.byteClasses()
    var numbers: [[Int]: UInt8] = [:]
    var sets: [[Int]] = [[], []]
    var rows: [[UInt8]] = [
      Array(repeating: Self.failed, count: 256), Array(repeating: Self.found, count: 256),
    ]
    func number(_ set: [Int]) -> UInt8? {
      if set.isEmpty { return Self.failed }
      if set.contains(where: graph.isFound) { return Self.found }
      if let known = numbers[set] { return known }
      guard sets.count < Self.mostStates else { return nil }
      let new = UInt8(sets.count)
      numbers[set] = new
      sets.append(set)
      return new
    }
    guard let start = number(graph.closure(of: [graph.start])) else { return nil }
    while rows.count < sets.count {
      var row = [UInt8](repeating: Self.failed, count: 256)
      let set = sets[rows.count]
      for bytes in classes {
        guard let first = bytes.first, let next = number(graph.step(set, over: first)) else {
          return nil
        }
        // From most places most bytes lead nowhere, which the row says already.
        if next == Self.failed { continue }
        for byte in bytes { row[Int(byte)] = next }
      }
      rows.append(row)
    }
    self.start = start
    stateCount = rows.count
    cells = rows.flatMap(\.self)
    cells += sets.map { $0.contains(where: graph.mayEnd) ? 1 : 0 }
    cells[rows.count * 256 + Int(Self.found)] = 1
  }
}

/// The table of a pattern as addresses, for as long as the pattern lives.
@unsafe
package struct PatternTable {
  /// For each state 256 next states.
  package let cells: UnsafePointer<UInt8>
  /// For each state, 1 when the text may end there.
  package let ends: UnsafePointer<UInt8>
  package let start: UInt8

  /// Whether the pattern is found in `text`.
  package func matches(_ text: UnsafeRawBufferPointer) -> Bool {
    var state = unsafe start
    var place = 0
    let count = text.count
    // Below two nothing changes any more.
    while place < count, state > 1 {
      state = unsafe cells[Int(state) &<< 8 | Int(text[place])]
      place &+= 1
    }
    return unsafe ends[Int(state)] != 0
  }
}
