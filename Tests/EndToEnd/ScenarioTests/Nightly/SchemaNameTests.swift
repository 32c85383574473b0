import Foundation
import TestSupport
import Testing

/// What a profile names as the schema of records, where that is no file beside it.
@Suite(.timeLimit(.minutes(2))) struct SchemaNameTests {
  private let sample = Samples.infiniteStories

  /// Writes the sample's profile with another schema of heroes, and gives the line that names it.
  private func write(_ schema: String, to path: String) throws -> Int {
    let lines = try String(at: sample.profile)
      .components(separatedBy: "\n")
    let place = try #require(
      lines.firstIndex { $0.contains("schema: infinite-stories.Hero.v") }
    )
    var changed = lines
    changed[place] = "    schema: \(schema)"
    try FileManager.default.createDirectory(
      at: URL(filePath: path).deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try changed.joined(separator: "\n").save(to: path)
    return place + 1
  }

  @Test func `a missing schema is a fault of the profile, with its line`() async throws {
    try await withTemporaryFolder { folder in
      let profile = "\(folder)/profile.yaml"
      let line = try write("Nowhere.json", to: profile)
      let finished = try await FerryProgram().run(
        ["export", sample.store, "--profile", profile, "-o", "\(folder)/PKG"],
        state: "\(folder)/state"
      ).exits(12)
      let reported = "profile.yaml:\(line): /entities/Hero/schema no schema “Nowhere.json”"
      #expect(finished.standardError.contains(reported))
      #expect(finished.standardError.contains("correct the name, or put the schema there"))
    }
  }

  @Test func `a schema in another folder is refused, and no file replaces it`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let profile = "\(folder)/a/b/profile.yaml"
      let line = try write("../../keep.json", to: profile)
      try "{}".save(to: "\(folder)/keep.json")
      let other = "\(folder)/out/keep.json"
      try makeFolder("\(folder)/out")
      try "mine".save(to: other)
      let finished = try await FerryProgram().run(
        ["export", sample.store, "--profile", profile, "-o", "\(folder)/out/PKG"],
        state: "\(folder)/state"
      ).exits(12)
      #expect(finished.standardError.contains("profile.yaml:\(line)"))
      #expect(try String(at: other) == "mine")
    }
  }
}
