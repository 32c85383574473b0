import DestinationModel
import JSONText
import ProfileDrafting
import Profiles
import Records
import RequestBodies
import Testing

/// Drafts of stores with join tables.
struct JoinTableDraftTests {
  private static let books = """
    CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT);
    CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO book VALUES (1, 'a'), (2, 'b'); INSERT INTO tag VALUES (1, 'x'), (2, 'y');
    """

  private static let joined =
    books + """
      CREATE TABLE book_tag (book_id INTEGER REFERENCES book, tag_id INTEGER REFERENCES tag,
        PRIMARY KEY (book_id, tag_id));
      INSERT INTO book_tag VALUES (1, 1), (1, 2), (2, 2);
      """

  private func draft(
    _ statements: String = Self.joined,
    _ preset: String?,
    _ collections: JSONValue? = nil
  ) throws -> (profile: Profile, yaml: String) {
    let destination = try preset.map { name in
      let preset = try PresetSummary(name)
      let schema = try collections.map {
        try #require(try preset.schemaRoute?.form.schema(in: ["items": $0]))
      }
      return DraftedDestination(preset: preset, url: nil, schema: schema)
    }
    let draft = try SQLiteDraft.make(of: statements, to: destination)
    return (try SQLiteDraft.profile(draft), draft.yaml)
  }

  private func entity(_ name: EntityName, _ profile: Profile) throws -> EntityProfile {
    try #require(profile.entities.first { $0.name == name })
  }

  private static let list = FieldProfile.Source.references(relationship: "book_tag.tag")

  @Test(arguments: ["pocketbase", "django-rest-framework", "strapi", "parse"])
  func `a join table is a list of references where the backend takes one`(preset: String) throws {
    let (profile, yaml) = try draft(Self.joined, preset)
    #expect(try entity("book", profile).fields.map(\.source) == [Self.list])
    #expect(try entity("book", profile).fields.map(\.member) == ["tags"])
    #expect(try entity("book_tag", profile).role == .derived)
    #expect(profile.api?.entities.map(\.entity) == ["tag", "book"], "\(yaml)")
    let body = try #require(profile.api?.entity("book")?.body)
    #expect(
      body.first { $0.name == "tags" }?.source == .reference(member: "tags"),
      "\(yaml)"
    )
  }

  @Test(arguments: [nil, "supabase", "datasette", "kinto", "rails", "laravel"])
  func `a join table is an entity where the backend takes no lists of references`(
    preset: String?
  ) throws {
    let (profile, _) = try draft(Self.joined, preset)
    #expect(try entity("book", profile).fields.isEmpty)
    #expect(try entity("book_tag", profile).role == .own)
  }

  @Test(arguments: [("postgresql", true), ("supabase", true), ("kinto", false), ("folder", false)])
  func `a preset says whether several fields may identify a record`(
    preset: String,
    knowsCompound: Bool
  ) throws {
    #expect(try PresetSummary(preset).knowsCompound == knowsCompound)
  }

  @Test func `a table with more than its references is an entity`() throws {
    let (profile, _) = try draft(
      Self.books + """
        CREATE TABLE book_tag (book_id INTEGER REFERENCES book, tag_id INTEGER REFERENCES tag,
          place INTEGER, PRIMARY KEY (book_id, tag_id));
        INSERT INTO book_tag VALUES (1, 1, 0);
        """,
      "pocketbase"
    )
    #expect(try entity("book_tag", profile).role == .own)
  }

  @Test func `a key of its own makes a join table no other`() throws {
    let (profile, _) = try draft(
      Self.books + """
        CREATE TABLE book_tag (id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES book,
          tag_id INTEGER REFERENCES tag);
        INSERT INTO book_tag VALUES (1, 1, 1), (2, 2, 1);
        """,
      "pocketbase"
    )
    #expect(try entity("book_tag", profile).role == .derived)
  }

  @Test func `columns that hold identities make a join table without foreign keys`() throws {
    let (profile, _) = try draft(
      Self.books + """
        CREATE TABLE book_tag (book_id INTEGER, tag_id INTEGER, PRIMARY KEY (book_id, tag_id));
        INSERT INTO book_tag VALUES (1, 1), (1, 2), (2, 2);
        """,
      "pocketbase"
    )
    #expect(
      try entity("book", profile).fields.map(\.source)
        == [.references(relationship: "book_tag.tag_id")]
    )
    #expect(try entity("book_tag", profile).role == .derived)
  }

  private static func collection(_ name: String, _ fields: [JSONValue]) -> JSONValue {
    [
      "id": .string(name), "name": .string(name), "type": "base",
      "fields": .array([["name": "id", "type": "text"]] + fields),
    ]
  }

  private static func relation(_ name: String, _ target: JSONValue, most: Int) -> JSONValue {
    [
      "name": .string(name), "type": "relation", "collectionId": target,
      "maxSelect": .number(JSONNumber(Int64(most))),
    ]
  }

  @Test func `the server says which records have the list, and what it is called`() throws {
    let (profile, yaml) = try draft(
      Self.joined,
      "pocketbase",
      [
        Self.collection("books", [["name": "title", "type": "text"]]),
        Self.collection("tags", [Self.relation("volumes", "books", most: 9)]),
      ]
    )
    #expect(
      try entity("tag", profile).fields.map(\.source)
        == [.references(relationship: "book_tag.book")]
    )
    let body = try #require(profile.api?.entity("tag")?.body)
    #expect(
      body.first { $0.name == "volumes" }?.source == .reference(member: "volumes"),
      "\(yaml)"
    )
    #expect(!yaml.contains("no collection for book_tag"))
  }

  @Test func `a collection for the join table itself gets its rows`() throws {
    let (profile, _) = try draft(
      Self.joined,
      "pocketbase",
      [
        Self.collection("books", [Self.relation("tags", "tags", most: 9)]),
        Self.collection("tags", []),
        Self.collection("book_tags", [Self.relation("book", "books", most: 1)]),
      ]
    )
    #expect(try entity("book_tag", profile).role == .own)
    #expect(try entity("book", profile).fields.isEmpty)
  }
}
