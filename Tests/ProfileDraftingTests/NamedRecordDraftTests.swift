import ProfileDrafting
import Profiles
import Records
import RequestBodies
import Testing

/// Attributes that hold identities of other records, where the store declares no reference.
struct NamedRecordDraftTests {
  /// Books of authors, whose keys are numbers, at shelves, whose keys are UUIDs.
  private static func store(
    authors: String = "2",
    shelf: String = "'9b2fb1c4-9a0e-4a55-8d6c-1f2f6c1e0b11'",
    column: String = "author_id"
  ) -> String {
    """
    CREATE TABLE Book(id INTEGER PRIMARY KEY, \(column) INTEGER, place TEXT, pages INTEGER);
    CREATE TABLE authors(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE Page(id INTEGER PRIMARY KEY);
    INSERT INTO Page VALUES(1), (2), (3);
    CREATE TABLE Shelf(id TEXT PRIMARY KEY);
    INSERT INTO authors VALUES(1, 'Ada'), (2, 'Bo'), (3, 'Cy');
    INSERT INTO Shelf VALUES('9b2fb1c4-9a0e-4a55-8d6c-1f2f6c1e0b11'),
      ('2d3a9f5e-0c1b-4e6f-8a7b-5c4d3e2f1a22');
    INSERT INTO Book VALUES(1, 1, \(shelf), 3), (2, \(authors), NULL, 2), (3, NULL, NULL, 1);
    """
  }

  private func book(_ statements: String) throws -> EntityProfile {
    let draft = try SQLiteDraft.make(of: statements)
    return try #require(try SQLiteDraft.profile(draft).entity("Book"))
  }

  private func target(of attribute: String, in statements: String) throws -> EntityName? {
    try book(statements).fields.first { $0.member == attribute }?.names
  }

  @Test func `a number that is always the key of an entity it is called after names its record`()
    throws
  {
    #expect(try target(of: "author_id", in: Self.store()) == "authors")
  }

  @Test(arguments: ["authorID", "authorKey", "first_author_id", "firstAuthorRef"])
  func `an attribute is called after an entity in any usual way`(column: String) throws {
    #expect(try target(of: column, in: Self.store(column: column)) == "authors")
  }

  @Test func `numbers that are keys of an entity by chance name no record`() throws {
    #expect(try target(of: "pages", in: Self.store()) == nil)
  }

  @Test func `one value that is no key of the entity leaves the attribute as it is`() throws {
    #expect(try target(of: "author_id", in: Self.store(authors: "4")) == nil)
  }

  @Test func `UUIDs name the records that they are the keys of, whatever the attribute is called`()
    throws
  {
    #expect(try target(of: "place", in: Self.store()) == "Shelf")
    let other = Self.store(shelf: "'00000000-9a0e-4a55-8d6c-1f2f6c1e0b11'")
    #expect(try target(of: "place", in: other) == nil)
  }

  @Test func `an entity is drafted behind those that it names`() throws {
    let profile = try SQLiteDraft.profile(SQLiteDraft.make(of: Self.store()))
    #expect(profile.entities.map(\.name) == ["Page", "Shelf", "authors", "Book"])
  }

  @Test func `what an attribute names is sent as a reference`() throws {
    let destination = DraftedDestination(preset: try PresetSummary("pocketbase"), url: nil)
    let profile = try SQLiteDraft.profile(SQLiteDraft.make(of: Self.store(), to: destination))
    let rules = try #require(profile.api?.entity("Book")).body
    let references = rules.filter { if case .reference = $0.source { true } else { false } }
    #expect(references.map(\.name) == ["author_id", "place"])
  }

  @Test func `a declared reference is not named a second time`() throws {
    let store = """
      CREATE TABLE Folder(id INTEGER PRIMARY KEY);
      INSERT INTO Folder VALUES(1);
      CREATE TABLE Book(id INTEGER PRIMARY KEY, folder_id INTEGER REFERENCES Folder(id));
      INSERT INTO Book VALUES(1, 1);
      """
    #expect(try book(store).fields.isEmpty)
  }
}
