import Checkpoint
import CheckpointMending
import Files
import Foundation
import Testing

/// Symbolic links where a checkpoint, or what lies beside it, should be.
struct LinkedCheckpointTests {
  @Test(arguments: ["", "-wal", "-shm", "-journal", ".lock"])
  func `a linked checkpoint is refused by its name, and the link's target is unchanged`(
    ending: String
  ) throws {
    let bench = try CheckpointBench()
    try bench.fill()
    let (target, place) = (bench.folder + "/target", bench.path + ending)
    if ending.isEmpty {
      try FileManager.default.moveItem(atPath: place, toPath: target)
    } else {
      try Folder.remove(place)
      try Data("mine".utf8).write(to: URL(filePath: target))
    }
    let before = try Data(contentsOf: URL(filePath: target))
    try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: target)
    for open in [
      { _ = try bench.open() }, { _ = try CheckpointView(bench.path) },
      { _ = try CheckpointRepair.run(bench.path) },
    ] as [() throws -> Void] {
      let error = #expect(throws: CheckpointError.self) { try open() }
      #expect(error == .link(path: bench.path, link: place))
      #expect(error?.description.contains("\(place) is a symbolic link") == true)
    }
    #expect(try Data(contentsOf: URL(filePath: target)) == before)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: place) == target)
  }

  @Test func `a dangling checkpoint link is not written through`() throws {
    let bench = try CheckpointBench()
    let target = bench.folder + "/nowhere"
    try FileManager.default.createSymbolicLink(atPath: bench.path, withDestinationPath: target)
    #expect(throws: CheckpointError.self) { try bench.open() }
    #expect(!InputFile.isPresent(target))
  }

  @Test func `a linked plan file is read`() throws {
    let bench = try CheckpointBench()
    let (file, run) = try bench.openWithRun([.hero(1)])
    let (plan, link) = (bench.folder + "/a.plan", bench.folder + "/b.plan")
    try CheckpointBench.savePlan(file, run, to: plan)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: plan)
    #expect(try PlanFile(link).run == run)
  }
}
