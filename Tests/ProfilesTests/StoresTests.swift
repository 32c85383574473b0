import JSONText
import ProfileSettings
import Profiles
import RecordMapping
import Records
import Testing

/// Profiles of apps that keep their data in several stores.
struct StoresTests {
  private static let yaml = """
    ferry-profile: 1
    app: sample
    stores:
      main: Library/Application Support/default.store
      settings: Library/Preferences/*.plist
    entities:
      Note:
        identity: { attribute: id }
        fields: { id: id }
      Settings:
        from: Preferences
        in: settings
        fields:
          state: { attribute: com.example.state, as: json }
        carry: listed
    omit-entities: [group.Preferences]
    """

  private static func entity(_ name: EntityName, _ attributes: [StoreAttribute]) -> StoreEntity {
    StoreEntity(name: name, attributes: attributes)
  }

  private static let note = entity("Note", [StoreAttribute(name: "id", kind: .string)])
  private static let keys = [StoreAttribute(name: "com.example.state", kind: .binary)]

  private func export(_ entities: [StoreEntity], yaml: String = Self.yaml) throws -> CompiledExport
  {
    try CompiledExport(
      profile: Profile(yaml: yaml, path: "sample.yaml"),
      model: StoreModel(origin: .store, entities: entities)
    )
  }

  @Test func `a profile names the stores that belong to the app`() throws {
    let profile = try Profile(yaml: Self.yaml, path: "sample.yaml")
    #expect(profile.stores.map(\.name) == ["main", "settings"])
    #expect(profile.stores.map(\.pattern).last == "Library/Preferences/*.plist")
    #expect(profile.entity("Settings")?.storeLabel == "settings")
  }

  @Test func `an entity is found under its store's name where several have it`() throws {
    let export = try export([
      Self.note, Self.entity("settings.Preferences", Self.keys),
      Self.entity("group.Preferences", []),
    ])
    #expect(export.program(for: "Settings")?.request.entity == "settings.Preferences")
  }

  @Test func `an entity that only one store has keeps its name`() throws {
    let export = try export([Self.note, Self.entity("Preferences", Self.keys)])
    #expect(export.program(for: "Settings")?.request.entity == "Preferences")
  }

  @Test func `an attribute may have points in its name`() throws {
    let export = try export([Self.note, Self.entity("Preferences", Self.keys)])
    let program = try #require(export.program(for: "Settings"))
    #expect(program.request.fields.first == .attribute(path: ["com.example.state"]))
    #expect(program.omitted.isEmpty)
  }

  @Test(arguments: [
    ("in: settings", "in: setings", "not a store of this profile"),
    ("Library/Preferences/*.plist", "../*.plist", "not a path in a container"),
    ("main: Library", "ma in: Library", "/stores"),
  ])
  func `a wrong name or path of a store is a fault`(
    text: String,
    wrong: String,
    words: String
  ) throws {
    let error = try #require(throws: ProfileError.self) {
      try Profile(yaml: Self.yaml.replacing(text, with: wrong), path: "sample.yaml")
    }
    #expect("\(error)".contains(words))
  }
}
