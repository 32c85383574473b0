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

  /// Reads the seeds that a person names: `17`, or `1-500`.
  package static func seeds(in text: String) -> ClosedRange<UInt64>? {
    let bounds = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt64($0) }
    guard bounds.count <= 2, let first = bounds.first ?? nil, let last = bounds.last ?? nil,
      first <= last
    else { return nil }
    return first...last
  }

  /// Lives the histories of a range through, in two blocks side by side, and prints one line of what came
  /// of them; before that, the seeds whose history broke a promise.
  ///
  /// - Parameters:
  ///   - seeds: The range.
  ///   - name: What is lived through, for the line.
  ///   - block: Lives those of every second seed from a first to a last one.
  /// - Returns: Whether no promise was broken.
  package static func log(
    _ seeds: ClosedRange<UInt64>,
    as name: String,
    _ block: @escaping @Sendable (_ first: UInt64, _ last: UInt64) async -> Tally
  ) async -> Bool {
    let clock = ContinuousClock()
    let began = clock.now
    let (first, last) = (seeds.lowerBound, seeds.upperBound)
    let tally = await withTaskGroup(of: Tally.self) { group in
      for offset in UInt64(0)..<2 {
        group.addTask { @concurrent () async -> Tally in await block(first + offset, last) }
      }
      var sum = Tally()
      for await tally in group { sum.add(tally) }
      return sum
    }
    let time = (clock.now - began) / .seconds(1)
    for (seed, violations) in tally.broken.prefix(20) { print("VIOLATION \(seed): \(violations)") }
    print(
      "\(name): seeds \(first)-\(last), \(tally.historyCount) histories, \(tally.crashCount) crashes, "
        + "\(tally.stepCount) steps, \(tally.broken.count) broken, "
        + "\(Int(Double(tally.historyCount) / time)) a second"
    )
    return tally.broken.isEmpty
  }

  /// Adds what another range came to.
  private mutating func add(_ other: Tally) {
    historyCount += other.historyCount
    crashCount += other.crashCount
    stepCount += other.stepCount
    broken += other.broken
  }
}
