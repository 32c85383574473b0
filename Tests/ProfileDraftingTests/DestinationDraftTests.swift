import ProfileDrafting
import Profiles
import Records
import RequestBodies
import Testing

/// Drafts for a backend that is named.
struct DestinationDraftTests {
  /// A circle of references, and an attribute that is called like an ID and is another value.
  private static let notes = """
    CREATE TABLE Folder(name TEXT PRIMARY KEY, id TEXT, parent TEXT REFERENCES Folder(name));
    INSERT INTO Folder VALUES('work', 'w', NULL);
    CREATE TABLE Note(id INTEGER PRIMARY KEY, title TEXT, folder TEXT REFERENCES Folder(name));
    INSERT INTO Note VALUES(1, 'first', 'work');
    """

  private func draft(
    _ preset: String,
    url: String? = nil,
    of statements: String = Self.notes
  ) throws -> ProfileDraft {
    let destination = DraftedDestination(preset: try PresetSummary(preset), url: url)
    return try SQLiteDraft.make(of: statements, to: destination)
  }

  @Test(arguments: [
    "datasette", "django-rest-framework", "json-api", "kinto", "pocketbase", "supabase",
  ])
  func `a draft for a backend is whole, and sends every entity`(preset: String) throws {
    let profile = try SQLiteDraft.profile(draft(preset, url: "http://127.0.0.1:1"))
    #expect(profile.api?.entities.map(\.entity) == ["Folder", "Note"])
    #expect(profile.destinations.map(\.url) == ["http://127.0.0.1:1"])
  }

  @Test func `a preset's file is drafted for as a preset of the program is`() throws {
    let preset = try PresetSummary("rails")
    let bytes = Array(preset.text.utf8)
    let mine = try PresetSummary("./mine.yaml") { $0 == "mine.yaml" ? bytes : nil }
    let draft = try SQLiteDraft.make(
      of: Self.notes,
      to: DraftedDestination(preset: mine, url: nil)
    )
    let named = try self.draft("rails").yaml
    #expect(draft.yaml == named.replacing("preset: rails", with: #"preset: "./mine.yaml""#))
    #expect(mine.file?.name == "mine.yaml" && mine.file?.bytes == bytes)
    #expect(preset.file?.name == nil)
  }

  @Test func `a draft counts the rows, and says by what they are known`() throws {
    let yaml = try draft("pocketbase").yaml
    #expect(yaml.contains("\n    # 1 row, known by name: no two rows have the same\n"), "\(yaml)")
    let empty = try draft("pocketbase", of: "CREATE TABLE Note(id INTEGER PRIMARY KEY)").yaml
    #expect(empty.contains("\n    # no rows\n"), "\(empty)")
  }

  @Test func `a draft names the schema by which an editor completes its keys`() throws {
    let line = "# yaml-language-server: $schema=ferry.profile.v1.schema.json\n"
    #expect(try draft("pocketbase").yaml.hasPrefix(line))
    #expect(try SQLiteDraft.make(of: Self.notes).yaml.hasPrefix(line))
  }

  @Test func `a draft lists each field below its entity, unchecked`() throws {
    let yaml = try draft("pocketbase").yaml
    #expect(yaml.contains("\n      collection: notes\n"))
    #expect(yaml.contains("\n      # unchecked: title\n"))
    #expect(yaml.contains("\n      # unchecked: folder_ref (a reference)\n"))
  }

  @Test func `an attribute that has the name of the destination's ID gets another one`() throws {
    let body = try #require(SQLiteDraft.profile(draft("pocketbase")).api?.entity("Folder")).body
    #expect(body.map(\.name) == ["id", "parent", "parent_ref", "stored_id"])
  }

  @Test func `a reference to a record that is made later is sent in a second step`() throws {
    let api = try #require(SQLiteDraft.profile(draft("pocketbase")).api)
    #expect(api.entity("Folder")?.deferredReferences == ["parent_ref"])
    #expect(api.entity("Note")?.deferredReferences == [])
  }

  /// A column, a foreign key and a reference that a backend calls alike.
  @Test func `the column of a reference is sent as the reference that has its name`() throws {
    let folders = """
      CREATE TABLE folder(id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO folder VALUES(1, 'work'), (2, 'home');
      """
    for key in ["", " REFERENCES folder(id)"] {
      let draft = try draft(
        "rails",
        of: folders + """
          CREATE TABLE note(id INTEGER PRIMARY KEY, folder_id INTEGER\(key));
          INSERT INTO note VALUES(1, 1), (2, 2);
          """
      )
      let profile = try SQLiteDraft.profile(draft)
      let body = try #require(profile.api?.entity("note")).body
      #expect(body.map(\.name) == ["folder_id", "local_id"], "\(draft.yaml)")
      let member = key.isEmpty ? "folder_id" : "folder"
      #expect(body.first?.source == .reference(member: member), "\(draft.yaml)")
      #expect(profile.accepts("note", "folder_id") == !key.isEmpty)
      #expect(!draft.yaml.contains("not sent: folder_id"), "\(draft.yaml)")
    }
  }

  /// A backend that writes all names in one form makes one name of several.
  @Test func `attributes whose names a backend writes the same get fields of their own`() throws {
    let statements = """
      CREATE TABLE Item(ID INTEGER, folderName TEXT, folder_name TEXT, "" TEXT);
      INSERT INTO Item VALUES(1, 'a', 'b', 'c'), (1, 'a', 'b', 'c');
      """
    let draft = try draft("supabase", of: statements)
    let body = try #require(SQLiteDraft.profile(draft).api?.entity("Item")).body
    #expect(
      body.map(\.name) == ["column4", "folder_name", "id", "stored_folder_name", "stored_id"]
    )
  }

  @Test func `a draft names what is still to be given`() throws {
    let yaml = try draft("cloudkit").yaml
    #expect(yaml.contains("    container:   # to be given\n"))
    #expect(yaml.contains("# To do: the preset “cloudkit” needs “container”;"))
  }
}
