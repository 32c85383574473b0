import Files
import ForgettingDisk
import func Foundation.NSTemporaryDirectory
import struct Foundation.UUID
import Simulation
import Testing

struct ForgettingDiskTests {
  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = NSTemporaryDirectory() + "/ferry-disk-" + UUID().uuidString
    try Folder.make(folder)
    try body(folder)
    try Folder.remove(folder)
  }

  @Test(arguments: 0..<2)
  func `whatever a cut takes, the checkpoint holds what was committed`(block: UInt64) throws {
    try withFolder { folder in
      var tally = Tally()
      try tally.live(from: block * 12, through: block * 12 + 11, stride: 1, in: folder)
      #expect(tally.historyCount == 12)
      #expect(tally.crashCount > 0)
      for (seed, faults) in tally.broken { Issue.record("seed \(seed): \(faults)") }
    }
  }

  @Test func `a disk that only says that it synced is found out within 100 histories`() throws {
    try withFolder { folder in
      var tally = Tally()
      var seed: UInt64 = 0
      while tally.broken.isEmpty, seed < 100 {
        try tally.live(from: seed, through: seed, stride: 1, in: folder, lies: true)
        seed += 1
      }
      #expect(!tally.broken.isEmpty)
      #expect(
        tally.broken.allSatisfy { $0.violations.joined().contains("is not there after a cut") }
      )
    }
  }
}
