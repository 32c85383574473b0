import Foundation
import TestSupport
import Testing

/// Whole sessions over a checkpoint on a disk that forgets what was not synced, at a destination that
/// loses, doubles and delays, with a process that is killed at any moment.
///
/// In a process of its own, because SQLite has one way to the disk for a whole process; each of them is
/// at work on two cores.
@Suite(.serialized) struct SessionSimulationTests {
  private func simulate(_ words: [String]) async throws -> FerryProgram.Finished {
    try await withTemporaryFolder { folder in
      try await FerryProgram(named: "simulate-sessions").run(words, state: "\(folder)/state")
    }
  }

  /// What the program speaks to; nothing names the server that is made up.
  private static let places = [
    [], ["--at", "collections"], ["--at", "contents"], ["--at", "stories"], ["--at", "changeset"],
    ["--at", "cloudkit-public"], ["--at", "cloudkit-private"],
  ]

  /// The histories that are lived through at each, in portions that go side by side.
  private static let portions: [(place: [String], portion: UInt64, count: UInt64)] =
    (0..<4).map { ([], $0, 50) } + places.dropFirst().map { ($0, 0, 12) }

  @Test(arguments: portions)
  func `every simulated session ends with each record in the right state`(
    place: [String],
    portion: UInt64,
    count: UInt64
  ) async throws {
    let environment = ProcessInfo.processInfo.environment["FERRY_SEED"]
    let seed = environment.flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1_000_000_000)
    let first = seed + portion * count
    let lived = try await simulate(place + ["\(first)-\(first + count - 1)"])
    print(lived.standardOutput)
    #expect(lived.status == 0, "FERRY_SEED=\(first): \(lived.standardOutput)")
    #expect(lived.standardOutput.contains("\(count) histories"))
    #expect(!lived.standardOutput.contains(" 0 crashes"))
  }

  // Each of these once ended otherwise.
  @Test(arguments: [
    // A record was made again whose parent was found with other content.
    3_554, 3_666,
    // A change that was repeated and arrived once more was taken for another device's.
    188, 1_342, 3_542,
    // So was what a rollback had put back.
    400_066, 408_521, 409_746,
    // What a backup restored was made once more, as it was gone from where the last run put it.
    898,
    // A record was taken for absent that was found, and was only to be changed later.
    719_628_774,
    // No one informed of a record whose picture no change can bring, after a kill while that was planned.
    873_355, 873_795,
    // A change that arrived twice, and that left out what no change can bring, was taken for
    // another device's.
    718_213_015,
  ])
  func `every simulated history that once failed passes`(seed: Int) async throws {
    let lived = try await simulate(["\(seed)-\(seed)"])
    #expect(lived.status == 0, "\(lived.standardOutput)")
  }

  @Test(arguments: [
    // A record whose file was replaced since could not be removed, where it named others.
    ("cloudkit-public", 87), ("cloudkit-private", 191),
    // What the destination gave no version for was taken for changed there.
    ("stories", 8), ("stories", 145),
    // What a rollback had put back was taken for another device's, where a picture was changed since.
    ("stories", 2_255), ("stories", 2_075),
    // A record that the user deleted took a record of another client with it, which named it.
    ("stories", 278_711_704),
  ])
  func `every history that once failed at a real destination passes`(place: String, seed: Int)
    async throws
  {
    let lived = try await simulate(["--at", place, "\(seed)-\(seed)"])
    #expect(lived.status == 0, "\(lived.standardOutput)")
  }

  @Test
  func `the sessions include kills, lost and late answers, other devices and restored backups`()
    async throws
  {
    let story = try await simulate(["--story", "0-39"]).standardOutput
    let traces = [
      "killed after note", "killsBefore", "killsAfter", "isLost", "answerIsLost", "comesLate",
      "comesTwice", "isPutOff", "restored from a backup", "others have been there", "rollback of",
      "create", "update", "delete",
    ]
    for trace in traces { #expect(story.contains(trace), "\(trace)") }
  }

  @Test func `two processes print the same trace of a history without faults`() async throws {
    let traces = [
      try await simulate(["--trace", "0-19"]).standardOutput,
      try await simulate(["--trace", "0-19"]).standardOutput,
    ]
    #expect(traces[0] == traces[1])
    for line in ["seed 19\n", "outcome Hero ", "write-back Hero/", "verified Hero ", "holds Hero "]
    {
      #expect(traces[0].contains(line), "\(line)")
    }
    #expect(!traces[0].contains("VIOLATION"))
  }

  @Test func `at a real destination, requests are lost, late, doubled and killed`()
    async throws
  {
    let words = ["--at", "cloudkit-private", "--story", "0-29"]
    let story = try await simulate(words).standardOutput
    let traces = [
      "killsBefore", "killsAfter", "isLost", "answerIsLost", "comesLate", "comesTwice", "isPutOff",
      "rollback of", "others have been there",
    ]
    for trace in traces { #expect(story.contains(trace), "\(trace)") }
  }
}
