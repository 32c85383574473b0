import Foundation
import TestSupport
import Testing

extension Faults {
  /// A file system has no space left, for bytes or for files, or takes nothing at all.
  @Suite(
    .serialized,
    .enabled(
      if: SmallDisk.obstacle == nil,
      "skipped, no file system can be mounted: \(SmallDisk.obstacle ?? "")"
    )
  )
  struct Space {}
}

extension Faults.Space {
  @Test(arguments: [
    SmallDisk.Want.kibibytes(4), .kibibytes(64), .kibibytes(256), .kibibytes(512), .files(1),
    .files(4), .files(12), .files(20), .writing,
  ])
  func `a full state folder ends a migration with its status, and with space it resumes`(
    want: SmallDisk.Want
  ) async throws {
    try await withLane { lane in
      let goal = try await Undisturbed.later()
      let source = try SourceDigests(of: lane.sample.folder)
      let trip = try lane.freshTrip()
      try await SmallDisk.with(at: trip.state) { disk in
        try disk.want(want)
        let first = try await trip.migrate(stop: .kill(after: .seconds(60)))
        try Self.judge(first, want)
        try disk.grow()
        let finished = try await trip.migrateToTheEnd()
        let story = Comment(rawValue: "\(want): \(first.standardError)\n\(finished.standardError)")
        #expect(finished.status == goal.finished.status, story)
        #expect(try lane.content().differences(from: goal.content).isEmpty, story)
        #expect(try trip.package() == goal.package, story)
        #expect(try Self.drafts(in: disk.place).isEmpty, story)
      }
      #expect(try SourceDigests(of: lane.sample.folder) == source)
    }
  }

  @Test(arguments: [
    SmallDisk.Want.kibibytes(4), .kibibytes(64), .kibibytes(200), .files(1), .files(4), .files(12),
    .writing,
  ])
  func `an export to a full disk ends with its status and leaves no file of the package's name`(
    want: SmallDisk.Want
  ) async throws {
    try await withTemporaryFolder { folder in
      let sample = try Samples.laterInfiniteStories.copied(into: folder)
      let source = try SourceDigests(of: sample.folder)
      let program = try FerryProgram()
      let line = ["export", sample.store, "--profile", sample.profile, "-o"]
      let goal = try await program.run(line + ["\(folder)/goal.ferry"], state: "\(folder)/state")
      let package = try SourceDigests(of: "\(folder)/goal.ferry").entries.mapValues(\.sha256)
      try await SmallDisk.with(at: "\(folder)/disk") { disk in
        let place = "\(disk.place)/p.ferry"
        try disk.want(want)
        let first = try await program.run(line + [place], state: "\(folder)/state")
        try Self.judge(first, want)
        #expect(!FileManager.default.fileExists(atPath: place), "\(want)")
        try disk.grow()
        let finished = try await program.run(line + [place], state: "\(folder)/state")
        #expect(finished.status == goal.status, "\(want): \(finished.standardError)")
        #expect(try SourceDigests(of: place).entries.mapValues(\.sha256) == package)
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.place) == ["p.ferry"])
      }
      #expect(try SourceDigests(of: sample.folder) == source)
    }
  }

  /// The store is read from a private copy, in the system's folder for temporary files.
  @Test(
    arguments: ["export", "migrate"],
    [SmallDisk.Want.kibibytes(4), .kibibytes(64), .files(1), .files(3), .writing]
  )
  func `a full temporary folder has its own error, and is not blamed on the store`(
    verb: String,
    want: SmallDisk.Want
  ) async throws {
    try await withLane { lane in
      let goal = try await Undisturbed.later()
      let trip = try lane.freshTrip()
      try await SmallDisk.with(at: "\(trip.state).temporary") { disk in
        let line =
          verb == "export"
          ? [
            "export", lane.sample.store, "--profile", lane.profile, "-o", "\(lane.folder)/p.ferry",
          ]
          : []
        func type() async throws -> Finished {
          verb == "export"
            ? try await lane.program.run(line, state: trip.state) : try await trip.migrate()
        }
        try disk.want(want)
        try Self.judge(try await type(), want)
        try disk.grow()
        let finished = try await type()
        #expect(finished.status == goal.finished.status, "\(want): \(finished.standardError)")
        if verb == "migrate" {
          #expect(try lane.content().differences(from: goal.content).isEmpty)
          #expect(try trip.package() == goal.package)
        } else {
          let package = try SourceDigests(of: "\(lane.folder)/p.ferry").entries
          #expect(package.mapValues(\.sha256) == goal.package)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.place).isEmpty)
      }
    }
  }

  @Test(arguments: [0, 16, 64, nil] as [Int?])
  func `a rollback on a full disk rolls back a part, and later the rest`(
    kibibytes: Int?
  ) async throws {
    try await withLane { lane in
      let rows = try await Faults.Kills.foreignRows(in: lane)
      let trip = try lane.freshTrip(rows: rows)
      let before = try lane.backend.dump()
      try await SmallDisk.with(at: trip.state) { disk in
        _ = try await trip.migrate()
        let run = try #require(try await trip.runs().last).id
        if let kibibytes { try disk.fill(butFor: kibibytes) } else { try disk.want(.writing) }
        let first = try await trip.rollback(run, stop: .kill(after: .seconds(60)))
        try Self.judge(first, kibibytes == nil ? .writing : .kibibytes(0))
        try disk.grow()
        let finished = try await trip.rollbackToTheEnd(run)
        let story = Comment(rawValue: "\(first.standardError)\n\(finished.standardError)")
        #expect(finished.status == 0, story)
        #expect(try lane.backend.dump() == before, story)
      }
    }
  }

  // MARK: -

  /// Holds a run that found no space against what it may say.
  private static func judge(_ finished: Finished, _ want: SmallDisk.Want) throws {
    let story = Comment(rawValue: "\(want): \(finished.status)\n\(finished.standardError)")
    let words = finished.standardError
    if want == .writing {
      // SQLite has words of its own for it.
      let cures = [
        "name a place on a disk that can be written",
        "check that the folder can be written and the disk has space",
      ]
      #expect(finished.status == 1, story)
      #expect(cures.contains { words.contains("cure: \($0)") }, story)
    } else {
      #expect(finished.status == 5, story)
      #expect(words.contains("cure: free some space on that disk"), story)
      #expect(words.contains("ferry: running the same command again resumes"), story)
    }
    #expect(words.contains("(exit status \(finished.status))"), story)
  }

  /// What was begun and has not got its name yet.
  private static func drafts(in folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".draft") || $0.hasSuffix(".partial") }
  }
}
