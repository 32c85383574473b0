import ForgettingDisk
import Simulation
import UploadPlanning

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Lives histories through, by their seeds, and prints one line of what came of them.
@main
enum Simulate {
  private static let usage = """
    simulate FIRST-LAST           histories over the model of a checkpoint
    simulate --sqlite FIRST-LAST  over the real checkpoint, on a disk that forgets what was not synced
    simulate --tell SEED          tells one history, step by step
    simulate plants               says which seed finds each fault that is built in on purpose
    """

  static func main() async {
    var arguments = Array(CommandLine.arguments.dropFirst())
    if arguments == ["plants"] { return findPlants() }
    let flag = arguments.first { $0.hasPrefix("--") }
    arguments.removeAll { $0 == flag }
    let bounds = (arguments.first ?? "").split(separator: "-").compactMap { UInt64($0) }
    guard arguments.count == 1, let first = bounds.first, let last = bounds.last, first <= last,
      [nil, "--sqlite", "--tell"].contains(flag)
    else {
      print(usage)
      exit(64)
    }
    if flag == "--tell" { return tell(first) }
    let clock = ContinuousClock()
    let began = clock.now
    let tally = await live(first, last, isReal: flag == "--sqlite")
    let time = (clock.now - began) / .seconds(1)
    for (seed, violations) in tally.broken.prefix(20) { print("VIOLATION \(seed): \(violations)") }
    print(
      "simulation\(flag.map { " \($0)" } ?? ""): seeds \(first)-\(last), "
        + "\(tally.historyCount) histories, \(tally.crashCount) crashes, \(tally.stepCount) steps, "
        + "\(tally.broken.count) broken, \(Int(Double(tally.historyCount) / time)) a second"
    )
    if !tally.broken.isEmpty { exit(1) }
  }

  /// Two blocks of seeds side by side.
  private static func live(_ first: UInt64, _ last: UInt64, isReal: Bool) async -> Tally {
    let folder = "/tmp/ferry-simulation-\(getpid())"
    return await withTaskGroup(of: Tally.self) { group in
      for block in UInt64(0)..<2 {
        group.addTask { @concurrent () async -> Tally in
          var tally = Tally()
          guard isReal else {
            tally.live(from: first + block, through: last, stride: 2)
            return tally
          }
          do throws(LedgerFault) {
            try tally.live(from: first + block, through: last, stride: 2, in: folder)
          } catch {
            tally.broken.append((first + block, ["\(error)"]))
          }
          return tally
        }
      }
      var sum = Tally()
      for await tally in group { sum.add(tally) }
      return sum
    }
  }

  /// Says which seed finds each fault that is planted.
  private static func findPlants() {
    for plant in Plant.allCases {
      let seed = Tally.seed(finding: plant, below: 1_000)
      print("\(plant): \(seed.map { "seed \($0)" } ?? "NOT FOUND below 1,000")")
    }
  }

  private static func tell(_ seed: UInt64) {
    var history = History(seed: seed, disk: ModelLedger(), tells: true)
    let violations = history.live()
    for line in history.story { print(line) }
    print(violations.isEmpty ? "nothing is wrong with it" : "VIOLATION \(violations)")
  }
}
