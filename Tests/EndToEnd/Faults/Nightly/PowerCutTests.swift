import Foundation
import TestSupport
import Testing

extension Faults.Calls {
  /// How many calls of each verb the power is cut at.
  private static let cutCount = 5

  @Test(
    .enabled(
      if: LoopDisk.obstacle == nil,
      "skipped, no file system can be mounted: \(LoopDisk.obstacle ?? "")"
    )
  )
  func `a run after a power cut on a real file system ends as usual when repeated`()
    async throws
  {
    var numbers = SeededNumbers(seed: Faults.Kills.seed)
    let goals = try await Self.goals()
    var trials: [FaultTrial] = []
    for verb in FaultedVerb.allCases {
      let end = goals[verb]?.calls.last?.number ?? 0
      // Behind the last call: right after the program has said that it is done.
      let calls = (0..<Self.cutCount).map { _ in Int.random(in: 1...end, using: &numbers) }
      for call in calls + [end + 1_000] {
        let action: Fault.Action = Bool.random(using: &numbers) ? .killBefore : .killAfter
        let seed = UInt64.random(in: 1...999_999, using: &numbers)
        let fault = Fault(action: action, call: call)
        trials.append(FaultTrial(verb: verb, fault: fault, seed: seed))
      }
    }
    let tally = try await Self.play(trials, cutsPower: true)
    print("power cuts on ext4: seed \(Faults.Kills.seed): \(tally)")
    #expect(tally.happened > trials.count * 3 / 5)
    #expect(tally.violations.isEmpty)
  }
}

@Suite(
  .enabled(
    if: LoopDisk.obstacle == nil,
    "skipped, no file system can be mounted: \(LoopDisk.obstacle ?? "")"
  )
)
struct LoopDiskTests {
  @Test(arguments: 0..<UInt64(3))
  func `a power cut spares synced writes only`(journal: UInt64) async throws {
    try await withTemporaryFolder(isInMemory: true) { folder in
      try await LoopDisk.with(in: "\(folder)/loop", journal: journal) { disk in
        let disk = try #require(disk)
        try Data("kept".utf8).write(to: URL(filePath: "\(disk.place)/synced"))
        try disk.sync()
        // Foundation syncs what it writes; `cp` does not.
        try LoopDisk.run("cp", "\(disk.place)/synced", "\(disk.place)/never-synced")
        try disk.cutPower()
        let names = try FileManager.default.contentsOfDirectory(atPath: disk.place)
        #expect(names.sorted() == ["lost+found", "synced"])
        let kept = try Data(contentsOf: URL(filePath: "\(disk.place)/synced"))
        #expect(kept == Data("kept".utf8))
      }
    }
  }
}
