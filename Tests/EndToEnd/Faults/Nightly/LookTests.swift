import Files
import Foundation
import TestSupport
import Testing

extension Faults.Calls {
  /// What is not answered: an entry of a folder, whether a file is there, a reading; an opening for reading
  /// finds no file left to be opened.
  enum Look: String, CaseIterable {
    case list, look, read, open

    /// Of how many of them one fails in turn.
    var step: Int {
      switch self {
      case .list: 8
      case .look: 23
      case .read: 17
      case .open: Faults.Calls.part
      }
    }
  }

  @Test(arguments: [Look.list, .look, .open])
  func `a disk error is not taken for a missing file`(
    kind: Look
  ) async throws {
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      let two = try Self.twoStores(in: "\(folder)/two")
      let lines = [
        ["export", sample.store, "--profile", sample.profile, "-o"], ["export", two, "-o"],
      ]
      for (index, line) in lines.enumerated() {
        let whole = "\(folder)/whole-\(index)"
        let expected = try await FerryProgram().run(line + [whole], state: "\(folder)/state")
        #expect([0, 3].contains(expected.status), "\(expected.standardError)")
        let digests = try SourceDigests(of: whole).content
        let tried = try await inLanes(2) { lane in
          let place = "\(folder)/lane-\(index)-\(lane)"
          let numbers = stride(from: lane * kind.step, to: .max, by: 2 * kind.step)
          let count = try await Self.export(line, to: place, in: folder, failing: kind, numbers) {
            if $0.status == expected.status { return $1 == digests }
            return [1, 10, 12].contains($0.status) && $1 == nil
          }
          return ["tried": count]
        }
        // Two stores without media have few files to be opened.
        #expect(tried["tried", default: 0] > (kind == .open ? 0 : 3), "\(line)")
      }
    }
  }

  /// Exports again and again into a folder of its own, each time with another look that fails, until none
  /// does any more; gives how often one failed.
  private static func export(
    _ line: [String],
    to place: String,
    in folder: String,
    failing kind: Look,
    _ numbers: StrideTo<Int>,
    isRight: (FerryProgram.Finished, [String: String]?) -> Bool
  ) async throws -> Int {
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    var count = 0
    for number in numbers {
      let package = "\(place)/package-\(number)"
      let answer = try await run(
        line + [package],
        in: folder,
        failing: kind,
        number,
        state: "\(place)/state"
      )
      guard answer.happened else { break }
      count += 1
      let isThere = FileManager.default.fileExists(atPath: package)
      let digests = try isThere ? SourceDigests(of: package).content : nil
      let finished = answer.finished
      let story = "\(kind) \(number): \(finished.status), \(finished.standardError)"
      #expect(isRight(finished, digests), Comment(rawValue: story))
    }
    return count
  }

  @Test func `a run without file descriptors left ends, and ends as usual when repeated`()
    async throws
  {
    let first = Int(Faults.Kills.seed % UInt64(Self.part))
    let counts = try await Stage.with { stage in
      var counts: [String: Int] = [:]
      for verb in FaultedVerb.allCases where verb.needsServer {
        let goal = try await FaultGoal(verb, on: stage)
        // The very first, and then every tenth.
        for place in stride(from: first - Self.part, to: .max, by: Self.part) {
          let wasRefused = try await Self.refuseOpening(max(0, place), verb, on: stage, goal)
          guard wasRefused else { break }
          counts[verb.rawValue, default: 0] += 1
        }
      }
      return counts
    }
    print("openings for reading that were refused, every tenth from \(first): \(counts)")
    #expect(counts["upload", default: 0] > 0)
  }

  /// Plays a verb in which an opening for reading finds no file left; gives whether it came to that.
  private static func refuseOpening(
    _ number: Int,
    _ verb: FaultedVerb,
    on stage: Stage,
    _ goal: FaultGoal
  ) async throws -> Bool {
    let scene = try await stage.scene(verb)
    let ran = try await scene.run(opening: number)
    let said = "\(verb), opening \(number): \(ran.finished.status), \(ran.finished.standardError)"
    let story = Comment(rawValue: said)
    let stated: [Int32] = ran.hasRefusedOpening ? [goal.status, 1, 5, 10, 12] : [goal.status]
    #expect(stated.contains(ran.finished.status), story)
    var again = try await scene.run().finished
    for _ in 0..<2 where again.status == 5 { again = try await scene.run().finished }
    #expect(again.status == goal.status, "\(said): \(again.standardError)")
    #expect(try scene.packageDigests() == goal.package, story)
    if let content = goal.content {
      #expect(try stage.lane.content().differences(from: content).isEmpty, story)
    }
    try scene.removeAll()
    return ran.hasRefusedOpening
  }

  @Test func `a checkpoint that the disk fails to read is not called damaged`() async throws {
    try await Stage.with { stage in
      let trip = stage.lane.trip()
      let first = try await trip.migrate()
      #expect([0, 3].contains(first.status), "\(first.standardError)")
      for line in [["checkpoint", "check"], ["history"]] {
        var count = 0
        for number in stride(from: 0, to: .max, by: Look.read.step) {
          let answer = try await Self.run(
            line,
            in: "\(trip.state)/checkpoints",
            failing: .read,
            number,
            state: trip.state
          )
          guard answer.happened else { break }
          count += 1
          let finished = answer.finished
          let said = finished.standardOutput + finished.standardError
          #expect([0, 1].contains(finished.status), "\(line) \(number): \(said)")
          #expect(!said.contains("move it away"))
        }
        #expect(count > 0)
      }
    }
  }

  /// A folder with two stores, each in a folder of its own.
  private static func twoStores(in folder: String) throws -> String {
    for (name, file) in [("a", "infinite-stories/default.store"), ("b", "noted/Noted.sqlite")] {
      try FileManager.default.createDirectory(
        atPath: "\(folder)/\(name)",
        withIntermediateDirectories: true
      )
      for ending in ["", "-wal"] {
        let source = "\(Samples.folder)/\(file)\(ending)"
        guard FileManager.default.fileExists(atPath: source) else { continue }
        try FileManager.default.copyItem(
          atPath: source,
          toPath: "\(folder)/\(name)/store.sqlite\(ending)"
        )
      }
    }
    return folder
  }

  /// Runs a line of which one look at what lies below `folder` fails; says whether it came to that.
  private static func run(
    _ line: [String],
    in folder: String,
    failing kind: Look,
    _ number: Int,
    state: String? = nil
  ) async throws -> (finished: FerryProgram.Finished, happened: Bool) {
    let state = state ?? "\(folder)/state"
    let log = "\(state).looks"
    try Folder.remove(log)
    var environment = try Injector.shared().environment(watching: folder, log: log)
    environment["FAULT_LOOK"] = "\(kind.rawValue):\(number)"
    let finished = try await FerryProgram().run(line, environment: environment, state: state)
    let said = try String(contentsOfFile: log, encoding: .utf8)
    return (finished, said.split(separator: "\n").contains { $0.hasPrefix("!") })
  }
}

extension SourceDigests {
  /// The digest of every file, by its path; dates left out.
  fileprivate var content: [String: String] { entries.mapValues(\.sha256) }
}
