import Profiles
import Records
import Testing

/// The profile in `Samples`, held against further models of its app.
struct ShippedProfileTests {
  /// Since the app's events and the looks of its heroes lie at the server, its store has neither.
  @Test func `a store that keeps heroes and stories alone is exported`() throws {
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
      profile: ShippedProfile.read(),
      model: StoreModel(origin: .store, entities: kept)
    )
    #expect(export.programs.map(\.entity.text) == ["Hero", "Story", "StoryIllustration"])
    #expect(export.unacceptedUnplaced.isEmpty)
  }
}
