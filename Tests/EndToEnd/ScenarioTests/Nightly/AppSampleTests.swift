import Foundation
import JSONText
import TestSupport
import Testing

/// The kept samples of further apps: what their stores hold is read whole, and obeys its schemas.
@Suite(.timeLimit(.minutes(3))) struct AppSampleTests {
  /// A store among the samples, its profile, and how many records of each entity it has.
  struct Kept: Sendable, CustomTestStringConvertible {
    let folder: String
    let store: String
    let profile: String
    let counts: [String: Int64]

    var testDescription: String { "\(folder)/\(store)" }
    var sample: Sample {
      var sample = Sample(folder: "\(Samples.folder)/\(folder)")
      sample.storeName = store
      return sample
    }
  }

  static let all = [
    Kept(
      folder: "peated",
      store: "default.store",
      profile: "profile.yaml",
      counts: [
        "User": 6, "Bottle": 9, "Tasting": 26, "Comment": 8, "Toast": 6, "BottleList": 4,
        "PendingMutation": 26,
      ]
    ),
    Kept(
      folder: "peated",
      store: "peated.sqlite3",
      profile: "sqlite.profile.yaml",
      counts: [
        "User": 6, "Bottle": 9, "Tasting": 26, "CollectionEntry": 4, "OfflineOperation": 18,
        "FeedCache": 2, "TastingCache": 3,
      ]
    ),
    Kept(
      folder: "noted",
      store: "Noted.sqlite",
      profile: "profile.yaml",
      counts: [
        "UserEntity": 1, "NotebookEntity": 8, "TagEntity": 6, "NoteEntity": 61,
        "NoteTagEntity": 51,
      ]
    ),
  ]

  // 000-1, 001-58, 003-2, 003-17, 004-32.
  @Test(arguments: all)
  func `every row of an app becomes a record that obeys its schema`(kept: Kept) async throws {
    try await withTemporaryFolder { folder in
      let program = try FerryProgram()
      let package = "\(folder)/kept.ferry"
      let exported = try await Answer(
        program.run(arguments(kept, store: kept.sample.store, package), state: "\(folder)/state")
      ).exits(0)
      var counts: [String: Int64] = [:]
      for entity in exported.value("export")?["entities"]?.array ?? [] {
        counts[entity["entity"]?.text ?? ""] = entity["records"]?.integer
      }
      #expect(counts == kept.counts)
      let valid = try await Answer(
        program.run(["validate", package, "--format", "ndjson"], state: "\(folder)/state")
      ).exits(0)
      #expect(valid.findings.isEmpty, "\(valid)")
    }
  }

  @Test(arguments: all)
  func `the script of a sample store makes the same store again`(kept: Kept) async throws {
    try await withTemporaryFolder { folder in
      let script = kept.folder == "peated" ? "make-stores.py" : "make-store.py"
      try Python.run(["\(kept.sample.folder)/\(script)", "--folder", folder])
      let program = try FerryProgram()
      for (name, store) in [("kept", kept.sample.store), ("made", "\(folder)/\(kept.store)")] {
        try await Answer(
          program.run(arguments(kept, store: store, "\(folder)/\(name)"), state: "\(folder)/state")
        ).exits(0)
      }
      for entity in kept.counts.keys {
        let kept = try PackageLines("\(folder)/kept").records(entity)
        #expect(try PackageLines("\(folder)/made").records(entity) == kept, "\(entity)")
      }
    }
  }

  // 003-3, 003-4.
  @Test(arguments: [
    ("createTasting", #"{"rating":4.5}"#, "bottleId"), ("followUser", "{}", "userId"),
    ("createComment", #"{"tastingId":"80002","comment":""}"#, "comment"),
    ("addToList", #"{"listId":"40001","bottleId":7}"#, "bottleId"),
  ])
  func `a queued change whose payload breaks the schema of its kind is found`(
    kind: String,
    payload: String,
    member: String
  ) async throws {
    try await withTemporaryFolder { folder in
      let sample = try Self.all[0].sample.copied(into: folder)
      try Python.edit(
        sample.store,
        "UPDATE ZPENDINGMUTATION SET ZPAYLOAD = CAST('\(payload)' AS BLOB) WHERE ZTYPE = '\(kind)'"
      )
      let package = "\(folder)/broken.ferry"
      let program = try FerryProgram()
      _ = try await program.run(
        ["export", sample.store, "--profile", sample.profile, "-o", package],
        state: "\(folder)/state"
      )
      let valid = try await Answer(
        program.run(["validate", package, "--format", "ndjson"], state: "\(folder)/state")
      ).exits(4)
      #expect(!valid.findings.isEmpty)
      #expect(valid.findings.allSatisfy { $0["entity"] == "PendingMutation" })
      #expect(valid.standardOutput.contains(member), "\(valid)")
    }
  }

  // 003-10, 003-12.
  @Test func `a queued change of an unknown kind is kept, and so is an exhausted one`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let sample = try Self.all[0].sample.copied(into: folder)
      try Python.edit(
        sample.store,
        "UPDATE ZPENDINGMUTATION SET ZTYPE = 'raiseFlag' WHERE ZTYPE = 'followUser'"
      )
      let package = "\(folder)/odd.ferry"
      let program = try FerryProgram()
      try await program.run(
        ["export", sample.store, "--profile", sample.profile, "-o", package],
        state: "\(folder)/state"
      ).exits(0)
      try await program.run(["validate", package], state: "\(folder)/state").exits(0)
      let queue = try PackageLines(package).records("PendingMutation")
      #expect(queue.contains { $0["type"] == "raiseFlag" && $0["payload"] == ["userId": "1055"] })
      #expect(queue.filter { $0["retryCount"] == $0["maxRetries"] }.count == 1)
    }
  }

  private func arguments(_ kept: Kept, store: String, _ package: String) -> [String] {
    [
      "export", store, "--profile", "\(kept.sample.folder)/\(kept.profile)", "-o", package,
      "--format", "ndjson", "--progress", "none",
    ]
  }
}
