import CheckedDatabases
import Checkpoint
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
    simulate-sessions FIRST-LAST    whole sessions: planned, sent, verified and rolled back
    simulate-sessions --story SEED  prints a history, or those of a range, step by step
    simulate-sessions --trace SEED  prints the outcome of each command of a history, or of a range

    After --at PLACE they go to a server in this process, as the program speaks to it: \
    \(SessionPlace.allCases.map(\.rawValue).joined(separator: ", ")).
    """

  /// How histories are printed, where it is not one line for all of them.
  private enum Form: String {
    case story = "--story"
    case trace = "--trace"
  }

  static func main() async {
    DatabaseMemory.stopCounting()
    var arguments = Array(CommandLine.arguments.dropFirst())
    var place: SessionPlace?
    if arguments.first == "--at", arguments.count > 1 {
      place = SessionPlace(rawValue: arguments[1])
      if place != nil { arguments.removeFirst(2) }
    }
    let form = arguments.first.flatMap { Form(rawValue: $0) }
    if form != nil { arguments.removeFirst() }
    guard arguments.count == 1, let seeds = Tally.seeds(in: arguments[0]) else {
      print(usage)
      exit(64)
    }
    guard await live(seeds, at: place, as: form) else { exit(1) }
  }

  private static func live(
    _ seeds: ClosedRange<UInt64>,
    at place: SessionPlace?,
    as form: Form?
  ) async -> Bool {
    let folder = "\(temporaryFolder)/ferry-sessions-\(getpid())"
    defer { Folder.removeIfEmpty(folder) }
    guard let form else {
      return await Tally.log(seeds, as: "sessions") { first, last in
        await served(at: place) { host in
          var tally = Tally()
          await tally.liveSessions(from: first, through: last, stride: 2, on: host, in: folder)
          return tally
        }
      }
    }
    return await served(at: place) { host in
      var isWhole = true
      for seed in seeds {
        if form == .trace {
          for line in await Tally.trace(of: seed, on: host, in: folder) { print(line) }
          continue
        }
        let (story, violations) = await Tally.session(of: seed, on: host, in: folder)
        for line in story { print(line) }
        print(violations.isEmpty ? "nothing is wrong with it" : "VIOLATION \(violations)")
        isWhole = isWhole && violations.isEmpty
      }
      return isWhole
    }
  }

  /// Lends a server of a kind, or none.
  private static func served<Value: Sendable>(
    at place: SessionPlace?,
    _ body: @escaping @Sendable (SessionHost?) async -> Value
  ) async -> Value {
    guard let place else { return await body(nil) }
    do {
      return try await SessionHost.lend(place) { host in await body(host) }
    } catch {
      print("no server: \(error)")
      exit(1)
    }
  }
}
