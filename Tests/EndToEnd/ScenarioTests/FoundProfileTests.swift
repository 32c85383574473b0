import Foundation
import JSONText
import TestSupport
import Testing

/// A profile that lies beside a store and that no one named: whom it may come from, and where it may lead.
@Suite(.timeLimit(.minutes(2))) struct FoundProfileTests {
  func run(_ arguments: [String], in folder: String) async throws -> FerryProgram.Finished {
    try await FerryProgram().run(arguments, state: "\(folder)/state")
  }

  @Test(arguments: [(0o666, "everybody may write it"), (0o664, "its group may write it")])
  func `a found profile that other users may write is ignored unless it is named`(
    rights: Int,
    reason: String
  ) async throws {
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      try FileManager.default.setAttributes(
        [.posixPermissions: rights],
        ofItemAtPath: sample.profile
      )
      let line = ["export", sample.store, "-o", "\(folder)/p.ferry"]
      let refused = try await run(line, in: folder).exits(64)
      #expect(refused.standardError.contains(reason))
      #expect(refused.standardError.contains("--profile \(sample.profile)"))
      try await run(line + ["--profile", sample.profile], in: folder).exits(0)
    }
  }
}
