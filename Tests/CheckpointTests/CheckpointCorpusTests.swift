import Checkpoint
import Files
import TestSupport
import Testing
import UploadPlanning

/// The inputs of the fuzzer's target `checkpoint`: after an odd first byte each five bytes change a
/// place of a sound file; after an even one the rest is the file.
struct CheckpointCorpusTests {
  @Test func `whatever the fuzzer did to a file, it is read, mended, or refused with a reason`()
    throws
  {
    let sound = try soundFile()
    for (name, input) in try FuzzCorpus.inputs(of: "checkpoint") {
      let bench = try CheckpointBench()
      try WholeFile.replace(bench.path, with: changed(sound, by: input))
      do throws(CheckpointError) {
        if let view = try CheckpointView(bench.path) {
          _ = try view.faults()
          try view.forEachLine { _ = $0.columns.count }
          let file = try bench.open(view.binding)
          for run in try file.runs() {
            _ = try file.operations(of: run, phase: 0, after: 0, limit: 100)
          }
        }
      } catch {
        #expect(!error.description.isEmpty, "\(name)")
      }
      do throws(CheckpointError) {
        _ = try CheckpointRepair.run(bench.path)
      } catch {
        #expect(!error.description.isEmpty, "\(name)")
      }
    }
  }

  private func soundFile() throws -> [UInt8] {
    let bench = try CheckpointBench()
    do {
      let (file, _) = try bench.openWithRun((1...7).map { .hero($0) })
      try file.commit((2...7).map { .begin($0, before: [1, 2], version: "4") }, now: 40)
      try file.commit([.lose(3, reason: "cut"), .confirm(4, serverID: "s", version: "1")], now: 50)
    }
    return try InputFile.contents(of: bench.path)
  }

  private func changed(_ sound: [UInt8], by input: [UInt8]) -> [UInt8] {
    guard let first = input.first, first % 2 == 1 else { return Array(input.dropFirst()) }
    var bytes = sound
    for place in stride(from: 1, through: input.count - 5, by: 5) where !bytes.isEmpty {
      let offset = Int(input[place]) << 16 | Int(input[place + 1]) << 8 | Int(input[place + 2])
      let value = input[place + 4]
      switch input[place + 3] % 8 {
      case 0: bytes.removeLast(bytes.count - offset % bytes.count)
      case 1: bytes[offset % bytes.count] &+= value
      default: bytes[offset % bytes.count] = value
      }
    }
    return bytes
  }
}
