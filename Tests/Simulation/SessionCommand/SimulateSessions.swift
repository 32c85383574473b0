import Files
import SimulatedSessions
import Simulation

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
    guard arguments.count == 1, let seeds = Tally.seeds(in: arguments[0]) else {
      print(usage)
      exit(64)
    }
    guard await live(seeds, tells: tells) else { exit(1) }
  }

  private static func live(_ seeds: ClosedRange<UInt64>, tells: Bool) async -> Bool {
    let folder = "\(temporaryFolder)/ferry-sessions-\(getpid())"
    defer { Folder.removeIfEmpty(folder) }
    guard tells else {
      return await Tally.tell(seeds, as: "sessions") { first, last in
        var tally = Tally()
        await tally.liveSessions(from: first, through: last, stride: 2, in: folder)
        return tally
      }
    }
    let (story, violations) = await Tally.session(of: seeds.lowerBound, in: folder)
    for line in story { print(line) }
    print(violations.isEmpty ? "nothing is wrong with it" : "VIOLATION \(violations)")
    return violations.isEmpty
  }
}
