import CheckedDatabases
import Checkpoint
import Files
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
    simulate --lying FIRST-LAST   the same, on a disk that only says that it synced: to be found out
    simulate --story SEED         prints one history, step by step
    simulate plants               says which seed finds each fault that is built in on purpose
    """

  static func main() async {
    DatabaseMemory.stopCounting()
    var arguments = Array(CommandLine.arguments.dropFirst())
    if arguments == ["plants"] { return findPlants() }
    let flag = arguments.first { $0.hasPrefix("--") }
    arguments.removeAll { $0 == flag }
    guard arguments.count == 1, let seeds = Tally.seeds(in: arguments[0]),
      [nil, "--sqlite", "--lying", "--story"].contains(flag)
    else {
      print(usage)
      exit(64)
    }
    if flag == "--story" { return log(seeds.lowerBound) }
    let name = "simulation\(flag.map { " \($0)" } ?? "")"
    guard await live(seeds, as: name, on: flag) else { exit(1) }
  }

  private static func live(
    _ seeds: ClosedRange<UInt64>,
    as name: String,
    on disk: String?
  ) async -> Bool {
    let folder = "\(temporaryFolder)/ferry-simulation-\(getpid())"
    defer { Folder.removeIfEmpty(folder) }
    return await Tally.log(seeds, as: name) { first, last in
      var tally = Tally()
      guard let disk else {
        tally.live(from: first, through: last, stride: 2)
        return tally
      }
      do throws(LedgerFault) {
        try tally.live(
          from: first,
          through: last,
          stride: 2,
          in: folder,
          lies: disk == "--lying"
        )
      } catch {
        tally.broken.append((first, ["\(error)"]))
      }
      return tally
    }
  }

  /// Says which seed finds each fault that is planted.
  private static func findPlants() {
    for plant in Plant.allCases {
      let seed = Tally.seed(finding: plant, below: 1_000)
      print("\(plant): \(seed.map { "seed \($0)" } ?? "NOT FOUND below 1,000")")
    }
  }

  private static func log(_ seed: UInt64) {
    var history = History(seed: seed, disk: ModelLedger(), logs: true)
    let violations = history.live()
    for line in history.story { print(line) }
    print(violations.isEmpty ? "nothing is wrong with it" : "VIOLATION \(violations)")
  }
}
