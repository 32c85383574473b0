import Foundation
import JSONText
import TestSupport
import Testing

/// `ferry import` is killed, and the same line typed again.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ImportKillTests {
  @Test func `an import killed at any point ends byte for byte like an undisturbed one`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let files = try Files(in: folder)
      let program = try FerryProgram()
      try await program.run(
        ["import", files.first, "-o", "\(folder)/base.ferry"],
        state: "\(folder)/state"
      ).exits(0)
      let line = ["import", files.second, "--into", "\(folder)/base.ferry", "-o"]
      let begin = ContinuousClock.now
      let goal = try await program.run(line + ["\(folder)/goal.ferry"], state: "\(folder)/state")
      var whole = ContinuousClock.now - begin
      #expect(goal.status == 0, "\(goal)")
      let wanted = try SourceDigests(of: "\(folder)/goal.ferry").entries.mapValues(\.sha256)
      #expect(wanted.keys.contains { $0.hasPrefix("data/GameResult-00003") }, "three data files")

      var kills = 0
      var trips = 0
      // On a machine that is busy now and then, fewer kills find the program at work.
      while trips < 4 || (kills < 8 && trips < 20) {
        let trip = trips
        trips += 1
        let package = "\(folder)/trip-\(trip).ferry"
        for place in 0..<3 {
          let fraction = (Double(trip * 3 + place) * 0.618).truncatingRemainder(dividingBy: 1)
          let killed = try await program.run(
            line + [package],
            state: "\(folder)/state",
            stop: .kill(after: whole * (0.05 + fraction * 0.95))
          )
          if killed.wasKilled { kills += 1 }
        }
        let lastBegin = ContinuousClock.now
        let finished = try await program.run(line + [package], state: "\(folder)/state")
        whole = min(whole, ContinuousClock.now - lastBegin)
        #expect(finished.status == 0, "\(finished)")
        let found = try SourceDigests(of: package).entries.mapValues(\.sha256)
        #expect(found == wanted, "trip \(trip)")
        #expect(!FileManager.default.fileExists(atPath: package + ".partial"))
      }
      #expect(kills >= 8)
      let records = try PackageLines("\(folder)/trip-0.ferry").records("GameResult")
      #expect(records.count == Files.count)
      #expect(Set(records.compactMap { $0["id"]?.text }).count == Files.count)
    }
  }

  /// Two files of stored results that overlap, large enough for several data files of a package.
  private struct Files {
    static let count = 2_400
    let first: String
    let second: String

    init(in folder: String) throws {
      first = "\(folder)/first.jsonl"
      second = "\(folder)/second.jsonl"
      try Self.write(0..<900, to: first)
      try Self.write(600..<Self.count, to: second)
    }

    private static func write(_ numbers: Range<Int>, to path: String) throws {
      let note = String(repeating: "a note of some length. ", count: 780)
      let lines = numbers.map { number in
        let id = String(format: "00000000-0000-4000-8000-%012d", number)
        return #"{"id":"\#(id)","gameId":"G0","gameName":"tradle","score":1,"maxAttempts":6,"#
          + #""completed":true,"date":"2024-03-05T10:11:12Z","#
          + #""sharedText":"Tradle #\#(number) 1/6\n\n🟩🟩🟩🟩🟩","parsedData":{"note":"\#(note)"}}"#
      }
      try (lines.joined(separator: "\n") + "\n").save(to: path)
    }
  }
}
