import Foundation
import JSONText
import TestSupport
import Testing

extension FoundProfileTests {
  @Test func `a found profile must not refer to files outside the store's folder`() async throws {
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      // The profile names the folder above the store's as one where the container may be.
      try FileManager.default.moveItem(
        atPath: "\(sample.folder)/container/Documents",
        toPath: "\(Folder.above(sample.folder))/Documents"
      )
      let line = ["export", sample.store, "--format", "json", "-o"]
      let found = try await run(line + ["\(folder)/found.ferry"], in: folder)
      #expect(found.standardOutput.contains("media.container-outside"), "\(found)")
      #expect(try media("\(folder)/found.ferry") == 0)
      let named = try await run(
        line + ["\(folder)/named.ferry", "--profile", sample.profile],
        in: folder
      )
      #expect(!named.standardOutput.contains("media.container-outside"))
      #expect(try media("\(folder)/named.ferry") > 0)
    }
  }

  private func media(_ package: String) throws -> Int64 {
    let manifest = try JSONValue(
      parsing: String(at: "\(package)/manifest.json")
    )
    return try #require(manifest["media"]?["files"]?.integer)
  }

  private enum Folder {
    static func above(_ path: String) -> String { (path as NSString).deletingLastPathComponent }
  }
}

/// What a line is refused for before anything is done.
struct RefusedLineTests {
  @Test(arguments: [
    ["inspect", "a.store", "--metrics", "x.html"], ["inspect", "a.store", "--log-file", "x.md"],
    ["write-back", "ab-1", "-o", "x.html"], ["schema", "infer", "a.json", "-o", "x.xml"],
    ["plan", "p.ferry", "-o", "x.sarif"], ["validate", "p.ferry", "--report", "x.pdf"],
  ])
  func `a profile whose file extension names another format is refused`(line: [String]) async throws
  {
    try await withTemporaryFolder { folder in
      let answer = try await FerryProgram().run(line, state: "\(folder)/state").exits(64)
      #expect(answer.standardError.contains(line.last ?? "-"))
    }
  }

  @Test(arguments: [
    ["export", "a.store", "-o", "p", "--fetch-media", "--fetch-timeout", "60"],
    ["upload", "p.ferry", "--timeout", "30"], ["upload", "p.ferry", "--max-duration", "10"],
  ])
  func `a duration without its unit is refused with the right form`(
    line: [String]
  ) async throws {
    try await withTemporaryFolder { folder in
      let answer = try await FerryProgram().run(line, state: "\(folder)/state").exits(64)
      #expect(answer.standardError.contains("write the unit, as \(line.last ?? "")s"))
    }
  }
}
