import Files
import SimulatedSessions

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Lives histories of whole sessions through, by their seeds, and prints one line of what came of them.
@main
enum SimulateSessions {
  private static let usage = """
    simulate-sessions FIRST-LAST   whole sessions: planned, sent, verified and taken back
    simulate-sessions --tell SEED  tells one history, step by step
    """

  static func main() async {
    var arguments = Array(CommandLine.arguments.dropFirst())
    let tells = arguments.first == "--tell"
    if tells { arguments.removeFirst() }
    let bounds = (arguments.first ?? "").split(separator: "-").compactMap { UInt64($0) }
    guard arguments.count == 1, let first = bounds.first, let last = bounds.last, first <= last
    else {
      print(usage)
      exit(64)
    }
    let folder = "\(temporaryFolder)/ferry-sessions-\(getpid())"
    defer { Folder.removeIfEmpty(folder) }
    if tells { return await tell(first, in: folder) }
    let clock = ContinuousClock()
    let began = clock.now
    let tally = await live(first, last, in: folder)
    let time = (clock.now - began) / .seconds(1)
    for (seed, violations) in tally.broken.prefix(20) { print("VIOLATION \(seed): \(violations)") }
    print(
      "sessions: seeds \(first)-\(last), \(tally.historyCount) histories, \(tally.crashCount) kills, "
        + "\(tally.requestCount) requests, \(tally.broken.count) broken, "
        + "\(Int(Double(tally.historyCount) / time)) a second"
    )
    if !tally.broken.isEmpty {
      Folder.removeIfEmpty(folder)
      exit(1)
    }
  }

  /// Two blocks of seeds side by side.
  private static func live(_ first: UInt64, _ last: UInt64, in folder: String) async -> SessionTally
  {
    await withTaskGroup(of: SessionTally.self) { group in
      for block in UInt64(0)..<2 {
        group.addTask { @concurrent () async -> SessionTally in
          var tally = SessionTally()
          await tally.live(from: first + block, through: last, stride: 2, in: folder)
          return tally
        }
      }
      var sum = SessionTally()
      for await tally in group { sum.add(tally) }
      return sum
    }
  }

  private static func tell(_ seed: UInt64, in folder: String) async {
    let (story, violations) = await SessionTally.story(of: seed, in: folder)
    for line in story { print(line) }
    print(violations.isEmpty ? "nothing is wrong with it" : "VIOLATION \(violations)")
  }
}
