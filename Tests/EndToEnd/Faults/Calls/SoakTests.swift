import Foundation
import TestSupport
import Testing

/// A range of seeds that a soak was asked for: `FERRY_FAULT_SEEDS=1-500`.
enum Soak {
  static let seeds: ClosedRange<UInt64>? = {
    let parts = (ProcessInfo.processInfo.environment["FERRY_FAULT_SEEDS"] ?? "")
      .split(separator: "-").compactMap { UInt64($0) }
    guard let first = parts.first, let last = parts.last, first <= last else { return nil }
    return first...last
  }()

  /// Whether each run in which something was to go wrong is followed by a power cut.
  static let cutsPower = ProcessInfo.processInfo.environment["FERRY_FAULT_CUTS"] == "1"

  /// The trial of a seed.
  ///
  /// As many seeds as there are trials meet each trial once, whatever the order of the seeds; those
  /// beyond have something go wrong a second time.
  static func trial(_ seed: UInt64, of trials: [FaultTrial]) -> FaultTrial {
    let count = UInt64(trials.count)
    // A step that shares no factor with the count comes by every place before it comes back.
    var step = UInt64(Double(count) * 0.618_033_988_75) | 1
    while greatestCommonDivisor(step, count) != 1 { step += 1 }
    var trial = trials[Int((seed % count) * step % count)]
    trial.seed = seed
    if seed > count {
      var numbers = SeededNumbers(seed: seed)
      let others = trials.filter { $0.verb == trial.verb }
      trial.second = others.randomElement(using: &numbers)?.fault
    }
    return trial
  }

  private static func greatestCommonDivisor(_ one: UInt64, _ other: UInt64) -> UInt64 {
    other == 0 ? one : greatestCommonDivisor(other, one % other)
  }
}

extension Faults.Calls {
  @Test(.enabled(if: Soak.seeds != nil, "a soak: Tests/EndToEnd/Faults/soak.sh FIRST-LAST"))
  func `no seeded failure loses or doubles a record`() async throws {
    let seeds = try #require(Soak.seeds)
    let all = Self.universe(try await Self.goals())
    let tally = try await Self.play(
      seeds.map { Soak.trial($0, of: all) },
      cutsPower: Soak.cutsPower
    )
    for violation in tally.violations {
      print("VIOLATION \(violation.split(separator: "\n").joined(separator: " / "))")
    }
    print(
      "soak\(Soak.cutsPower ? " --cut-power" : ""): seeds \(seeds.lowerBound)-\(seeds.upperBound) of \(all.count): \(tally)"
    )
    #expect(tally.violations.isEmpty)
  }
}
