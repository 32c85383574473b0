import JSONText
import Profiles
import RecordMapping
import Records
import RequestMapping
import Testing

/// The profiles in `Samples`, held against further models of their app.
struct ShippedProfileTests {
  private static let names = ["profile.yaml", "later.profile.yaml"]

  /// Since the app's events and the looks of its heroes lie at the server, its store has neither.
  @Test(arguments: names)
  func `a store that keeps heroes and stories alone is exported`(name: String) throws {
    let kept = ShippedProfile.model(hasSync: false).entities.compactMap { entity -> StoreEntity? in
      guard ["Hero", "Story", "StoryIllustration"].contains(entity.name.text) else { return nil }
      return StoreEntity(
        name: entity.name,
        attributes: entity.attributes,
        relationships: entity.relationships.filter {
          !["customEvent", "visualProfile"].contains($0.name)
        }
      )
    }
    let export = try CompiledExport(
      profile: ShippedProfile.read(name),
      model: StoreModel(origin: .store, entities: kept)
    )
    #expect(export.programs.map(\.entity.text) == ["Hero", "Story", "StoryIllustration"])
    #expect(export.unacceptedUnmapped.isEmpty)
  }

  @Test(arguments: names)
  func `a row that the server has under either of the app's names is found`(name: String) throws {
    let profile = try ShippedProfile.read(name)
    let api = try #require(CompiledApi(profile: profile, references: [:]))
    for entity in ["Hero", "Story"] as [EntityName] {
      let program = try #require(api.program(for: entity))
      for (record, identity) in [
        (["serverId": .null, "backendId": "b1"], "b1"), (["backendId": "b1"], "b1"),
        (["serverId": "s1", "backendId": "b1"], "s1"), (["serverId": "s1"], "s1"), ([:], nil),
      ] as [(JSONValue, String?)] {
        let document = JSONDocument()
        try document.parse(copying: record.canonicalBytes)
        #expect(program.serverID(in: document.root, of: document) == identity)
      }
    }
  }

  // 000-20: each state of the app's own, and what an empty one is.
  @Test(
    arguments: [
      ("synced", .synced), ("pendingCreate", .create), ("pendingUpdate", .update),
      ("pendingDelete", .delete), ("failed", .changed), ("conflict", .conflict), ("", .changed),
    ] as [(String, SourceClaim.Meaning)]
  )
  func `each sync state of the app has its meaning`(
    word: String,
    meaning: SourceClaim.Meaning
  ) throws {
    let profile = try ShippedProfile.read("later.profile.yaml")
    let api = try #require(CompiledApi(profile: profile, references: [:]))
    for entity in ["CustomStoryEvent", "Hero", "Story"] as [EntityName] {
      let program = try #require(api.program(for: entity))
      let record: JSONValue = ["serverSyncStatus": .string(word)]
      let document = JSONDocument()
      try document.parse(copying: record.canonicalBytes)
      let claim = program.claim(in: document.root, of: document)
      #expect(claim.meaning == meaning && claim.unlisted == nil, "\(entity)")
    }
  }

  // The server answers so whatever its database says, and begins with “Invalid”.
  @Test(
    arguments: [
      ("Timed out fetching a new connection from the connection pool.", .later),
      ("Can't reach database server at `db`:`5432`", .later),
      ("Server has closed the connection.", .unknown),
      ("Foreign key constraint violated", nil),
    ] as [(String, AnswerRule.Means?)]
  )
  func `a database that cannot be reached refuses no record`(
    words: String,
    means: AnswerRule.Means?
  ) throws {
    let reason = "400 ValidationError: Invalid `prisma.hero.update()` invocation: \(words)"
    for name in Self.names {
      let api = try #require(try ShippedProfile.read(name).api)
      #expect(api.means(status: 400, reason: reason) == means)
    }
  }
}
