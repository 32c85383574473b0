/// What a range of histories came to.
package struct Tally: Sendable {
  package var historyCount = 0
  package var crashCount = 0
  package var stepCount = 0
  /// The seeds whose history broke a promise, with what was wrong.
  package var broken: [(seed: UInt64, violations: [String])] = []

  package init() {}

  /// Lives one history through and counts it.
  package mutating func count<Disk: Ledger>(
    _ history: consuming History<Disk>
  ) throws(Disk.Failure) {
    var history = history
    let violations = try history.live()
    historyCount += 1
    crashCount += history.crashCount
    stepCount += history.stepCount
    if !violations.isEmpty { broken.append((history.seed, violations)) }
  }

  /// Lives histories over the model of a ledger through: those of every `stride`th seed.
  package mutating func live(from first: UInt64, through last: UInt64, stride: UInt64) {
    var seed = first
    while seed <= last {
      count(History(seed: seed, disk: ModelLedger()))
      seed += stride
    }
  }

  /// The first seed below `limit` whose history finds a planted fault.
  package static func seed(finding plant: Plant, below limit: UInt64) -> UInt64? {
    (0..<limit).first { seed in
      var history = History(seed: seed, plant: plant, disk: ModelLedger(plant: plant))
      return !history.live().isEmpty
    }
  }

  /// Adds what another range came to.
  package mutating func add(_ other: Tally) {
    historyCount += other.historyCount
    crashCount += other.crashCount
    stepCount += other.stepCount
    broken += other.broken
  }
}
