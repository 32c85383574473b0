import Files

/// What a range of histories of whole sessions came to.
package struct SessionTally: Sendable {
  package private(set) var historyCount = 0
  package private(set) var crashCount = 0
  package private(set) var requestCount = 0
  /// The seeds whose history broke a promise, with what was wrong.
  package private(set) var broken: [(seed: UInt64, violations: [String])] = []

  package init() {}

  /// Lives the histories of every `stride`th seed through, below `folder`.
  package mutating func live(
    from first: UInt64,
    through last: UInt64,
    stride: UInt64,
    in folder: String
  ) async {
    var seed = first
    while seed <= last {
      let (history, violations) = await Self.lived(seed, in: folder, tells: false)
      historyCount += 1
      crashCount += history?.crashCount ?? 0
      requestCount += history?.requestCount ?? 0
      if !violations.isEmpty { broken.append((seed, violations)) }
      seed += stride
    }
  }

  /// Lives one history through, and tells it.
  package static func story(
    of seed: UInt64,
    in folder: String
  ) async -> (story: [String], violations: [String]) {
    let (history, violations) = await lived(seed, in: folder, tells: true)
    return (history?.story ?? [], violations)
  }

  private static func lived(
    _ seed: UInt64,
    in folder: String,
    tells: Bool
  ) async -> (SessionHistory?, [String]) {
    let place = "\(folder)/\(seed)"
    defer { try? Folder.remove(place) }
    do {
      try Folder.make(place)
      var history = try SessionHistory(seed: seed, folder: place, tells: tells)
      let violations = try await history.live()
      return (history, violations)
    } catch {
      return (nil, ["\(error)"])
    }
  }

  /// Adds what another range came to.
  package mutating func add(_ other: SessionTally) {
    historyCount += other.historyCount
    crashCount += other.crashCount
    requestCount += other.requestCount
    broken += other.broken
  }
}
