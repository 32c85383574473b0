import Foundation
import GRDB
import PackageStages
import Profiles
import StageSupport
import TestSupport
import Testing

/// The app goes on writing while its store is exported.
struct SourceChangeTests {
  @Test func `a store that changes while it is read leaves no package, and the next run is whole`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      let profile = try Profile(at: sample.profile)
      let output = "\(folder)/package"
      func export(_ report: @escaping @Sendable (ProgressEvent) -> Void) async throws {
        let stage = ExportStage(
          profile: profile,
          store: sample.store,
          container: nil,
          output: .path(output),
          toolVersion: "test",
          progress: ProgressReporter(report)
        )
        _ = try await stage.run(interruption: CancellationToken())
      }
      let store = sample.store
      let error = await #expect(throws: MigrationError.self) {
        try await export { event in
          guard case .advanced = event else { return }
          do {
            try DatabaseQueue(path: store).write { database in
              try database.execute(sql: "UPDATE ZHERO SET ZNAME = 'Changed' WHERE Z_PK = 1")
            }
          } catch {
            Issue.record(error)
          }
        }
      }
      guard case .sourceChanged = error else {
        Issue.record("it ended with \(String(describing: error))")
        return
      }
      #expect(!FileManager.default.fileExists(atPath: output))
      try await export { _ in }
      let heroes = "\(output)/data/Hero-00001.jsonl"
      #expect(try String(contentsOfFile: heroes, encoding: .utf8).contains("Changed"))
      #expect(!FileManager.default.fileExists(atPath: output + ".partial"))
    }
  }
}
