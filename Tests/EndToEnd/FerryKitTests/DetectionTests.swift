import FerryKit
import Foundation
import TestSupport
import Testing

/// What an app learns before anything is sent.
struct DetectionTests {
  private func migration(
    _ folder: String,
    _ change: (inout MigrationOptions) -> Void = { _ in }
  ) throws -> StoreMigration {
    let sample = Samples.infiniteStories
    var options = MigrationOptions(
      store: sample.store,
      profile: sample.profile,
      stateFolder: "\(folder)/state"
    )
    options.destination = "http://127.0.0.1:9"
    change(&options)
    return try StoreMigration(options)
  }

  @Test func `the app shows how many records of each kind would go, and how many would stay`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let store = try await migration(folder).detect()
      #expect(store.kind == "swiftData")
      let counts = Dictionary(uniqueKeysWithValues: store.entities.map { ($0.name, $0) })
      #expect(counts["Hero"]?.count == 24)
      #expect(counts["Hero"]?.fate == .sent)
      #expect(counts["StoryIllustration"]?.count == 220)
      #expect(counts["StoryIllustration"]?.fate == .keptForWantOfPlace)
      #expect(store.sentCount == 204)
      #expect(store.entities.reduce(0) { $0 + $1.count } == 424)
      #expect(store.destination == "http://127.0.0.1:9")
    }
  }

  @Test func `the app shows how many media files there are, how large, and how many are gone`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let store = try await migration(folder).detect()
      #expect(store.mediaCount == 193)
      #expect(store.missingMediaCount == 1)
      #expect(store.mediaBytes > 10_000)
      let size = try FileManager.default.attributesOfItem(
        atPath: Samples.infiniteStories.store
      )[.size]
      #expect(store.storeBytes > Int64(try #require(size as? Int)))
    }
  }

  @Test func `inspecting a store leaves no file behind`() async throws {
    try await withTemporaryFolder { folder in
      let before = try SourceDigests(of: Samples.infiniteStories.folder)
      _ = try await migration(folder).detect()
      #expect(try SourceDigests(of: Samples.infiniteStories.folder) == before)
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/state"))
    }
  }

  @Test func `a damaged checkpoint stops the migrations of its own app only`() async throws {
    try await withTemporaryFolder { folder in
      let checkpoints = "\(folder)/state/checkpoints"
      try FileManager.default.createDirectory(
        atPath: checkpoints,
        withIntermediateDirectories: true
      )
      let torn = Data(repeating: 0x5A, count: 9_000)
      try torn.write(to: URL(filePath: "\(checkpoints)/another-app-1.sqlite"))
      let store = try await migration(folder).detect()
      #expect(store.runs.isEmpty)
      try torn.write(to: URL(filePath: "\(checkpoints)/infinite-stories-1.sqlite"))
      let migration = try migration(folder)
      let error = await #expect(throws: FerryError.self) { try await migration.detect() }
      #expect(error?.message.contains("infinite-stories-1.sqlite") == true)
    }
  }

  @Test func `a missing store has its own kind of error`() async throws {
    try await withTemporaryFolder { folder in
      let migration = try migration(folder) { $0.store = "\(folder)/nothing.store" }
      let error = await #expect(throws: FerryError.self) { try await migration.detect() }
      #expect(error?.kind == .sourceUnusable)
      #expect(error?.mayRetry == false)
      #expect(error?.message.contains("nothing.store") == true)
    }
  }

  @Test func `a missing profile is reported when the migration is made`() throws {
    let error = #expect(throws: FerryError.self) {
      try migration("/tmp") { $0.profile = "/nowhere/profile.yaml" }
    }
    #expect(error?.kind == .misuse)
  }

  @Test func `an unreachable destination is reported as passing`() async throws {
    try await withTemporaryFolder { folder in
      let migration = try migration(folder)
      let credentials = Credentials.values(["email": "a@example.com", "password": "b"])
      let error = await #expect(throws: FerryError.self) {
        try await migration.signIn(credentials)
      }
      #expect(error?.kind == .passingFault)
      #expect(error?.mayRetry == true)
    }
  }
}
