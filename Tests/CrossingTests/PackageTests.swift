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
  @Test func `the source stays as it was, to the byte and the instant`() async throws {
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      let before = try SourceDigests(of: sample.folder)
      let exporting = Exporting(folder: folder, sample: sample)
      _ = try await exporting.package("one.ferry")
      #expect(try SourceDigests(of: sample.folder) == before)
    }
  }

  @Test func `a package with one byte changed is refused, and nothing of it is sent`()
    async throws
  {
    try await withCrossing { crossing in
      let package = "\(crossing.folder)/one.ferry"
      #expect(try await crossing.export(to: package).status == 0)
      try alter("\(package)/data/Story-00001.jsonl")
      let answer = try await crossing.ferry(["validate", package])
      #expect(answer.status == 12, "\(answer.standardOutput)")
      #expect(answer.findings("package.damaged").map { $0["file"] } == ["data/Story-00001.jsonl"])
      for verb in ["plan", "upload", "verify"] {
        let refused = try await crossing.ferry([verb, package] + crossing.destination)
        #expect(refused.status == 12)
        #expect(refused.standardError.contains("Story-00001.jsonl"))
      }
      #expect(try crossing.backend.writeCount() == 0)
    }
  }

  @Test func `a package altered after it was validated is refused when migrate goes on`()
    async throws
  {
    try await withCrossing { crossing in
      let line =
        ["migrate", crossing.sample.store, "--profile", crossing.profile]
        + ["--to", "http://127.0.0.1:1", "--retries", "0"] + crossing.credentials
      #expect(try await crossing.ferry(line).status == 5)
      let packages = "\(crossing.state)/packages"
      let name = try #require(
        FileManager.default.contentsOfDirectory(atPath: packages).first { $0.hasSuffix(".ferry") }
      )
      try alter("\(packages)/\(name)/data/Story-00001.jsonl")
      let again = try await crossing.ferry(line)
      #expect(again.status == 12)
      #expect(again.standardError.contains("data/Story-00001.jsonl"))
    }
  }

  /// Changes one letter of a package's data.
  private func alter(_ path: String) throws {
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
