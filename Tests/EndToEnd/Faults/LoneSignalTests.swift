import Foundation
import TestSupport
import Testing

extension Faults.Signals {
  /// What a verb is identified by its first signal, and the status it ends with then.
  static let firstSignals: [(signal: Stop.Kind, status: Int32)] = [
    (.interrupt, 130), (.terminate, 143), (.hangUp, 143),
  ]

  /// How long after a verb has begun the signal comes; a verb may be faster than the later ones.
  private static let moments = [0, 10, 40, 80].map { Duration.milliseconds($0) }

  @Test func `a cancelled export leaves no package and no copy, and resumes later`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      try await Self.interrupt(
        ["export", sample.store, "--profile", sample.profile, "-o"],
        begin: "export …",
        source: sample.folder,
        in: folder
      )
    }
  }

  @Test func `a cancelled import leaves no package and no copy, and resumes later`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let source = "\(folder)/results"
      try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: true)
      try Self.writeResults(to: "\(source)/results.jsonl")
      try await Self.interrupt(
        ["import", "\(source)/results.jsonl", "-o"],
        begin: "import …",
        source: source,
        in: folder
      )
    }
  }

  /// Types a line that makes a package, and has it asked to end at several moments, in each way.
  private static func interrupt(
    _ line: [String],
    begin: String,
    source: String,
    in folder: String
  ) async throws {
    let program = try FerryProgram()
    let before = try SourceDigests(of: source)
    let goal = try await program.run(line + ["\(folder)/goal.ferry"], state: "\(folder)/state")
    #expect([0, 3].contains(goal.status), "\(goal.standardError)")
    let wanted = try SourceDigests(of: "\(folder)/goal.ferry").entries.mapValues(\.sha256)
    for (signal, status) in firstSignals {
      var endCount = 0
      for (number, moment) in moments.enumerated() {
        let place = "\(folder)/\(signal)-\(number)"
        let package = "\(place)/p.ferry"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let stop = Stop(line: begin, signals: [.init(signal, after: moment)])
        let first = try await program.run(line + [package], state: "\(place)/state", stop: stop)
        let story = Comment(rawValue: "\(signal) after \(moment): \(first.standardError)")
        #expect([status, goal.status].contains(first.status), story)
        if first.status == status {
          endCount += 1
          // What it has written so far has a name of its own, under which it is gone on with.
          let names = try Self.names(in: place)
          #expect(names.isEmpty || names == ["p.ferry.partial"], story)
          #expect(first.standardError.contains("finishing what is in flight"), story)
        }
        let copies = try FileManager.default.contentsOfDirectory(atPath: "\(place)/state.temporary")
        #expect(copies.isEmpty, story)
        #expect(try SourceDigests(of: source) == before, story)
        let finished = try await program.run(line + [package], state: "\(place)/state")
        #expect(finished.status == goal.status, "\(finished.standardError)")
        #expect(try SourceDigests(of: package).entries.mapValues(\.sha256) == wanted, story)
        #expect(try Self.names(in: place) == ["p.ferry"], story)
      }
      #expect(endCount > 0, "\(signal) came too late each time")
    }
  }

  /// What lies in a folder, but for what the program remembers beside it.
  private static func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix("state") }
  }

  /// Results enough for an import to take its time.
  private static func writeResults(to path: String) throws {
    let note = String(repeating: "a note of some length. ", count: 400)
    let lines = (0..<1_500).map { number in
      let id = String(format: "00000000-0000-4000-8000-%012d", number)
      return #"{"id":"\#(id)","gameId":"G0","gameName":"wordle","score":1,"maxAttempts":6,"#
        + #""completed":true,"date":"2024-03-05T10:11:12Z","#
        + #""sharedText":"Wordle \#(number) 1/6\n\n🟩🟩🟩🟩🟩","parsedData":{"note":"\#(note)"}}"#
    }
    try (lines.joined(separator: "\n") + "\n")
      .write(toFile: path, atomically: true, encoding: .utf8)
  }

  @Test func `a cancelled rollback saves its state, and the next one rolls back the rest`()
    async throws
  {
    try await withLane { lane in
      let rows = try await Faults.Kills.foreignRows(in: lane)
      for (signal, status) in Self.firstSignals {
        let trip = try lane.freshTrip(rows: rows)
        let before = try lane.backend.dump()
        _ = try await trip.migrate()
        let run = try #require(try await trip.runs().last).id
        try lane.backend.setFaults("delay:1:100ms")
        let stop = Stop(line: "rollback …", signals: [.init(signal, after: .milliseconds(150))])
        let first = try await trip.rollback(run, stop: stop)
        #expect(first.status == status, "\(first.standardError)")
        #expect(first.standardError.contains("finishing what is in flight"))
        #expect(try lane.backend.dump() != before, "there is nothing left to roll back")
        try lane.backend.setFaults("")
        let finished = try await trip.rollbackToTheEnd(run)
        #expect(finished.status == 0, "\(finished.standardError)")
        #expect(try lane.backend.dump() == before)
      }
    }
  }

  @Test(arguments: ["head -n 1", "true"])
  func `a reader that closes the pipe changes neither a verb's status nor its effects`(
    reader: String
  ) async throws {
    try await withLane { lane in
      let trip = try lane.freshTrip()
      let package = "\(lane.folder)/p.ferry"
      let profile = ["--profile", lane.profile]
      let lines = [
        ["inspect", lane.sample.store],
        ["export", lane.sample.store, "-o", package] + profile,
        ["plan", package, "--to", lane.backend.origin] + profile + DemoAccount.flags,
      ]
      for line in lines {
        let goal = try await lane.program.run(
          line,
          environment: DemoAccount.environment,
          state: trip.state
        )
        #expect(goal.standardOutput.split(separator: "\n").count > 1, "\(line)")
        var digests: [String: String]?
        if line.first == "export" {
          digests = try SourceDigests(of: package).entries.mapValues(\.sha256)
          try FileManager.default.removeItem(atPath: package)
        }
        // A shell reads away what the program writes, and hands on how it ended.
        let words = #"out=$1; shift; { "$@"; echo $? >"$out"; } | \#(reader) >/dev/null"#
        let ended = "\(lane.folder)/ended"
        let shell = lane.program.started(by: ["sh", "-c", words, "sh", ended])
        _ = try await shell.run(
          line,
          environment: DemoAccount.environment,
          state: trip.state,
          stop: .kill(after: .seconds(60))
        )
        let status = try String(contentsOfFile: ended, encoding: .utf8)
        #expect(status == "\(goal.status)\n", "\(line)")
        if let digests {
          #expect(try SourceDigests(of: package).entries.mapValues(\.sha256) == digests)
        }
      }
      #expect(try lane.backend.writeCount() == 0)
    }
  }
}
