import TestSupport

/// How long each stage of an undisturbed run took, by what the program said on the way.
struct StageTimes: Sendable {
  /// The stages in their order, each with the time it begins at and the time it takes.
  private(set) var stages: [(name: String, begin: Duration, length: Duration)] = []
  private(set) var whole: Duration = .zero

  init(_ finished: Finished, whole: Duration, names: [String]) {
    self.whole = whole
    for name in names {
      guard let begin = finished.errorLines.first(where: { $0.text.contains("\(name) …") })?.time
      else {
        continue
      }
      if let last = stages.indices.last { stages[last].length = begin - stages[last].begin }
      stages.append((name, begin, whole - begin))
    }
  }
}

/// Where kills are aimed at, and where they hit.
struct KillPlan: Sendable {
  private var numbers: SeededNumbers
  private let times: StageTimes
  /// How often the program was killed in each stage; `start` is before the first.
  private(set) var hits: [String: Int] = [:]

  init(times: StageTimes, seed: UInt64) {
    self.times = times
    numbers = SeededNumbers(seed: seed)
  }

  var count: Int { hits.values.reduce(0, +) }

  /// A moment somewhere in the whole run; however many are asked for, they are spread evenly.
  mutating func moment(_ place: Int) -> Stop {
    let jitter = Double.random(in: 0..<0.02, using: &numbers)
    // Multiples of the golden ratio fill the unit interval without gaps or crowds.
    let fraction = (Double(place) * 0.618_033_988_75 + jitter).truncatingRemainder(dividingBy: 1)
    return .kill(after: times.whole * fraction)
  }

  /// A moment within one stage, wherever in time that stage lies.
  mutating func moment(within name: String) -> Stop {
    let length = times.stages.first { $0.name == name }?.length ?? .zero
    return .kill(after: length * Double.random(in: 0..<1.1, using: &numbers), line: "\(name) …")
  }

  mutating func number(in range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &numbers)
  }

  /// Counts a run that was to be killed; one that was faster counts nothing.
  ///
  /// `names` are what stages count as that are to be distinguished from others of their name.
  mutating func note(_ finished: Finished, as names: [String: String] = [:]) {
    guard finished.wasKilled else { return }
    let stage = stage(of: finished)
    hits[names[stage] ?? stage, default: 0] += 1
  }

  private func stage(of finished: Finished) -> String {
    let text = finished.standardError
    let begun = times.stages.map(\.name).compactMap { name in
      text.firstRange(of: "\(name) …").map { (name, $0.lowerBound) }
    }
    return begun.max { $0.1 < $1.1 }?.0 ?? "start"
  }
}
