import Foundation
import TestSupport
import Testing

/// What libFuzzer found ways of its own with, fed to the same targets again.
///
/// Two targets are not built here: `answer`, whose inputs `AnswerCorpusTests` sends over a real
/// connection, and `checkpoint`, which `CheckpointCorpusTests` feeds.
struct ReplayTests {
  private static let targets: [FuzzTarget] = [
    .age, .binaryList, .fleece, .json, .keyedArchive, .legacyFile, .model, .oldStyleList, .package,
    .pattern,
    .profile, .realm, .schema, .sharedText, .source, .table, .xml,
    .xmlList,
  ]

  @Test(.timeLimit(.minutes(3)), arguments: targets)
  func `every fuzzed input is read as expected, or refused with a reason`(
    target: FuzzTarget
  ) throws {
    var readCount = 0
    for (name, bytes) in try FuzzCorpus.inputs(of: target.name) {
      var report = FuzzReport()
      bytes.withUnsafeBufferPointer { target.feed($0, &report) }
      #expect(report.complaints.isEmpty, "\(name): \(report.complaints)")
      if !report.isForeign { readCount += 1 }
    }
    #expect(readCount > 0, "no input is one for this reader")
  }

  @Test func `each fuzz target has a corpus test`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "targets")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .map { $0.replacing(".swift", with: "") }
    #expect(names.sorted() == (Self.targets.map(\.name) + ["answer", "checkpoint"]).sorted())
  }
}
