import Files
import Foundation
import ProfileDrafting
import Profiles
import Records
import RequestBodies
import Testing

/// Attributes that name files which lie beside the store.
struct NamedFileDraftTests {
  private static let store = """
    CREATE TABLE Book(id INTEGER PRIMARY KEY, cover TEXT, title TEXT);
    INSERT INTO Book VALUES(1, 'a.jpg', 'Dune 2.0'), (2, 'b.PNG', 'Emma'), (3, 'gone.jpg', 'Ulysses');
    """

  private func draft(
    _ files: [String],
    of store: String = Self.store,
    preset: String? = nil
  ) throws -> ProfileDraft {
    let home = try PrivateFolder()
    for file in files {
      let place = URL(filePath: "\(home.path)/\(file)")
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data("picture".utf8).write(to: place)
    }
    let destination = try preset.map {
      DraftedDestination(preset: try PresetSummary($0), url: "http://127.0.0.1:1")
    }
    return try SQLiteDraft.make(of: store, beside: home.path, to: destination)
  }

  private func rules(_ draft: ProfileDraft) throws -> [MediaRule] {
    try #require(try SQLiteDraft.profile(draft).entity("Book")).media
  }

  @Test func `an attribute that names files is drafted with the folder where most of them are`()
    throws
  {
    let files = ["Pictures/new/a.jpg", "Pictures/new/b.PNG", "Pictures/c.jpg"]
    let rules = try rules(draft(files))
    #expect(rules.map(\.member) == ["cover"])
    #expect(rules.first?.folders == ["Pictures/new"])
    #expect(rules.first?.mediaType(ofFileNamed: "a.jpg") == "image/jpeg")
    #expect(rules.first?.mediaType(ofFileNamed: "b.PNG") == "image/png")
  }

  @Test func `names of which fewer than half are files name none`() throws {
    #expect(try rules(draft(["Pictures/a.jpg"])).isEmpty)
  }

  @Test func `a file that is called like one of many titles makes no names of files of them`()
    throws
  {
    #expect(try rules(draft(["Dune 2.0"])).isEmpty)
  }

  @Test func `a draft for a backend that takes files sends them`() throws {
    let files = ["a.jpg", "b.PNG"]
    let api = try #require(SQLiteDraft.profile(draft(files, preset: "directus")).api)
    #expect(api.media?.isEnabled == true)
  }

  @Test func `a backend whose records have files gets each in the field of its record`() throws {
    let api = try #require(
      SQLiteDraft.profile(draft(["a.jpg", "b.PNG"], preset: "pocketbase")).api
    )
    #expect(api.media == nil)
    let book = try #require(api.entity("Book"))
    #expect(
      book.files["cover"]?.upload.description
        == "PATCH /api/collections/books/records/{id}"
    )
  }

  @Test func `a draft for a backend that takes no files sends their names`() throws {
    let draft = try draft(["a.jpg", "b.PNG"], preset: "kinto")
    #expect(try rules(draft).isEmpty)
    let body = try #require(SQLiteDraft.profile(draft).api?.entity("Book")).body
    #expect(body.contains { $0.name == "cover" })
  }

  @Test func `names of files that identify records, or name them, stay what they are`() throws {
    let store = """
      CREATE TABLE photo(id TEXT PRIMARY KEY);
      INSERT INTO photo VALUES('a.jpg'), ('b.PNG');
      CREATE TABLE Book(id INTEGER PRIMARY KEY, photo_id TEXT, "back cover" TEXT);
      INSERT INTO Book VALUES(1, 'a.jpg', 'b.PNG');
      """
    let profile = try SQLiteDraft.profile(draft(["a.jpg", "b.PNG"], of: store))
    #expect(profile.entity("photo")?.media.isEmpty == true)
    let book = try #require(profile.entity("Book"))
    #expect(book.media.map(\.member) == ["back cover"])
    #expect(book.media.map(\.category) == ["back_cover"])
  }
}
