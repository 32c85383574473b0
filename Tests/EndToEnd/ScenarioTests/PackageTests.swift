import Foundation
import JSONText
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct PackageTests {
  @Test func `two exports of one store are the same, byte for byte`() async throws {
    try await withTemporaryFolder { folder in
      let exporting = Exporting(folder: folder, sample: Samples.infiniteStories)
      let first = try await exporting.package("one.ferry")
      let second = try await exporting.package("two.ferry")
      #expect(first == second)
      #expect(first.count > 50)
    }
  }

  @Test func `an interrupted export goes on to the same bytes`() async throws {
    try await withTemporaryFolder { folder in
      let exporting = Exporting(folder: folder, sample: Samples.infiniteStories)
      let whole = try await exporting.package("one.ferry")
      for milliseconds in stride(from: 5, through: 125, by: 20) {
        let run = try await exporting.run(
          "two.ferry",
          stop: .kill(after: .milliseconds(milliseconds), line: "export")
        )
        #expect(run.status == 0 || run.wasKilled)
        // A kill may come between the last step and the end: then the package is whole.
        if exporting.isThere("two.ferry") { #expect(try exporting.digests("two.ferry") == whole) }
      }
      #expect(try await exporting.package("two.ferry") == whole)
    }
  }

  // 000-1, 001-69.
  @Test func `the source keeps its bytes and dates`() async throws {
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      let before = try SourceDigests(of: sample.folder)
      let exporting = Exporting(folder: folder, sample: sample)
      _ = try await exporting.package("one.ferry")
      #expect(try SourceDigests(of: sample.folder) == before)
    }
  }

  @Test func `a package with one changed byte is refused, and no record of it is sent`()
    async throws
  {
    try await withScenario { scenario in
      let package = "\(scenario.folder)/one.ferry"
      try await scenario.export(to: package).exits(0)
      try alter("\(package)/data/Story-00001.jsonl")
      let answer = try await scenario.ferry(["validate", package]).exits(12)
      #expect(answer.findings("package.damaged").map { $0["file"] } == ["data/Story-00001.jsonl"])
      for verb in ["plan", "upload", "verify"] {
        let refused = try await scenario.ferry([verb, package] + scenario.destination).exits(12)
        #expect(refused.standardError.contains("Story-00001.jsonl"))
      }
      #expect(try scenario.backend.writeCount() == 0)
    }
  }

  func write(_ text: String, to path: String) throws {
    try text.save(to: path)
  }

  /// Changes one letter of a package's data.
  func alter(_ path: String) throws {
    var bytes = try Data(contentsOf: URL(filePath: path))
    let place = try #require(bytes.firstRange(of: Data("moon".utf8))).lowerBound
    bytes[place] = UInt8(ascii: "M")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    try bytes.write(to: URL(filePath: path))
  }
}

/// Exports into a folder, without a server.
struct Exporting {
  let folder: String
  let sample: Sample

  func run(_ name: String, stop: FerryProgram.Stop? = nil) async throws -> FerryProgram.Finished {
    try await FerryProgram().run(
      ["export", sample.store, "--profile", sample.profile, "-o", "\(folder)/\(name)"],
      state: "\(folder)/state",
      stop: stop
    )
  }

  func ferry(_ arguments: [String]) async throws -> Answer {
    try await Answer(
      FerryProgram().run(arguments + ["--format", "ndjson"], state: "\(folder)/state")
    )
  }

  func isThere(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(folder)/\(name)")
  }

  /// Exports; gives the digest of every file of the package.
  func package(_ name: String) async throws -> [String: String] {
    let finished = try await run(name)
    guard finished.status == 0 else { throw TestSupportError(finished.standardError) }
    return try digests(name)
  }

  func digests(_ name: String) throws -> [String: String] {
    try SourceDigests(of: "\(folder)/\(name)").entries.mapValues(\.sha256)
  }
}
