import Foundation
import JSONText
import TestSupport
import Testing

/// Real Realm files, moved to PocketBase and back by the profile that is drafted for them.
@Suite(
  .enabled(
    if: RealRealm.folder != nil && Servers.pocketbase != nil,
    "skipped: FERRY_STORES or FERRY_POCKETBASE is not set"
  ),
  .timeLimit(.minutes(10))
)
struct RealmPocketBaseTests {
  /// Of formats 2, 3, 9, 23 and 24; PocketBase keeps each of their numbers as it is.
  static let names = [
    "f02-core-alltypes.realm", "f03-ios-alltypes.realm", "f09-java-strings.realm",
    "f23-kotlin-games.realm", "f24-core-tree4.realm",
  ]

  @Test(arguments: names)
  func `a Realm file is moved to PocketBase, killed on the way, and every object is there once`(
    name: String
  ) async throws {
    let file = try RealRealm(name)
    try await withDraftedPocketBase(takesBatches: true) { folder in
      try FileManager.default.copyItem(atPath: file.path, toPath: "\(folder)/default.realm")
      return "\(folder)/default.realm"
    } body: { scenario, collections in
      for wait in [0, 60, 120, 180, 240] {
        _ = try await FerryProgram().run(
          ["migrate", scenario.store] + scenario.flags,
          state: "\(scenario.folder)/state",
          stop: .kill(after: .milliseconds(wait), line: "upload …")
        )
      }
      let last = try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(last.value("verification")?["clean"] == true)
      #expect(try collections.counts() == file.recordCounts())
      // A line that was killed when all was sent is followed by a run that sends nothing.
      for run in try last.runs() where try scenario.count() > 0 {
        try await scenario.ferry(["rollback", run]).exits(0)
      }
      #expect(try scenario.count() == 0)
    }
  }
}
