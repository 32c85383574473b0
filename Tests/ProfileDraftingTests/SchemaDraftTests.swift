import DestinationModel
import JSONText
import ProfileDrafting
import Profiles
import Records
import RequestBodies
import Testing

/// Drafts for a backend that says what its collections are.
struct SchemaDraftTests {
  private static let store = """
    CREATE TABLE Folder(name TEXT PRIMARY KEY, colour TEXT);
    INSERT INTO Folder VALUES('work', 'red');
    CREATE TABLE Note(
      uuid TEXT PRIMARY KEY, createdAt TEXT, title TEXT, folder TEXT REFERENCES Folder(name),
      done INTEGER, size TEXT, token INTEGER);
    INSERT INTO Note VALUES('n1', '2026-01-01T00:00:00Z', 'first', 'work', 1, '3', 5864642918466640484);
    CREATE TABLE Draft(id TEXT PRIMARY KEY, text TEXT);
    INSERT INTO Draft VALUES('d1', 'x');
    """

  /// What PocketBase answers of its collections, as it came from version 0.40, cut to what is read.
  private static let answer: JSONValue = [
    "items": [
      [
        "id": "_pb_users_auth_", "name": "users", "type": "auth", "system": false,
        "fields": [["name": "id", "type": "text", "primaryKey": true, "required": true]],
      ],
      [
        "id": "pbc_1", "name": "folders", "type": "base", "system": false,
        "fields": [
          ["name": "id", "type": "text", "primaryKey": true, "required": true],
          ["name": "colour", "type": "text", "required": false],
        ],
      ],
      [
        "id": "pbc_2", "name": "notes", "type": "base", "system": false,
        "fields": [
          ["name": "id", "type": "text", "primaryKey": true, "required": true],
          ["name": "created_at", "type": "date", "required": false],
          ["name": "done", "type": "bool", "required": false],
          ["name": "size", "type": "number", "required": false],
          ["name": "token", "type": "json", "required": false],
          ["name": "folder", "type": "relation", "collectionId": "pbc_1", "maxSelect": 1],
          ["name": "owner", "type": "relation", "collectionId": "_pb_users_auth_", "maxSelect": 1],
          ["name": "rating", "type": "number", "required": true],
          ["name": "updated", "type": "autodate", "required": false],
        ],
      ],
      ["id": "pbc_3", "name": "_mfas", "type": "base", "system": true, "fields": []],
    ]
  ]

  /// What PostgREST answers of its tables, cut to what is read.
  private static let tables: JSONValue = [
    "swagger": "2.0",
    "definitions": [
      "folders": ["properties": ["id": ["type": "string", "description": "Note:\n<pk/>"]]],
      "notes": [
        "required": ["id", "user_id", "folder_id"],
        "properties": [
          "id": ["type": "string", "description": "Note:\n<pk/>"],
          "user_id": ["type": "string", "default": "auth.uid()"],
          "created_at": ["type": "string", "format": "timestamp with time zone"],
          "folder_id": ["type": "string", "description": "<fk table='folders' column='id'/>"],
        ],
      ],
    ],
  ]

  private func draft(
    _ answer: JSONValue = Self.answer,
    preset: String = "pocketbase"
  ) throws -> ProfileDraft {
    let preset = try PresetSummary(preset)
    let schema = try #require(try preset.schemaRoute?.form.schema(in: answer))
    let destination = DraftedDestination(
      preset: preset,
      url: "http://127.0.0.1:1",
      schema: schema
    )
    return try SQLiteDraft.make(of: Self.store, to: destination)
  }

  private func api(_ draft: ProfileDraft) throws -> Api {
    try #require(SQLiteDraft.profile(draft).api)
  }

  private static let links = """
    CREATE TABLE Folder(id TEXT PRIMARY KEY);
    CREATE TABLE Tag(id TEXT PRIMARY KEY);
    CREATE TABLE Link(
      folder_id TEXT REFERENCES Folder(id), tag_id TEXT REFERENCES Tag(id), note TEXT,
      PRIMARY KEY(folder_id, tag_id));
    INSERT INTO Folder VALUES('f'), ('g');
    INSERT INTO Tag VALUES('t');
    INSERT INTO Link VALUES('f', 't', 'x'), ('g', 't', 'x');
    """

  /// What Datasette answers of two tables and one between them: a row for each column.
  private static func columns(isCut: Bool) -> JSONValue {
    [
      "rows": [
        ["place": "Folder", "name": "id", "pk": 1], ["place": "Tag", "name": "id", "pk": 1],
        ["place": "Link", "name": "tag_id", "pk": 2, "target": "Tag"],
        ["place": "Link", "name": "folder_id", "pk": 1, "target": "Folder"],
        ["place": "Link", "name": "note", "pk": 0],
        ["place": "Link", "name": "rank", "pk": 0, "notnull": 1],
      ],
      "truncated": .boolean(isCut),
    ]
  }

  @Test(
    arguments: [
      (15, "^[a-z0-9]+$", .digest(.base36, length: 15)), (36, "^[a-z0-9-]+$", .uuid),
      (0, "^[0-9a-f]+$", .digest(.hex, length: 32)),
    ] as [(JSONValue, String, Api.ClientID)]
  )
  func `a server that takes other IDs than the preset makes has its own form of them drafted`(
    length: JSONValue,
    pattern: String,
    form: Api.ClientID
  ) throws {
    let id: JSONValue = [
      "name": "id", "type": "text", "primaryKey": true, "min": length, "max": length,
      "pattern": .string(pattern),
    ]
    let answer: JSONValue = [
      "items": [["id": "n", "name": "notes", "fields": [id]]]
    ]
    #expect(try api(draft(answer)).clientID == form)
  }

  @Test func `a table that several columns identify is drafted with all of them`() throws {
    let preset = try PresetSummary("datasette")
    let form = try #require(preset.schemaRoute?.form)
    let schema = try #require(try form.schema(in: Self.columns(isCut: false)))
    let draft = try SQLiteDraft.make(
      of: Self.links,
      to: DraftedDestination(preset: preset, url: "http://127.0.0.1:1", schema: schema)
    )
    #expect(draft.yaml.contains("# To do: required, and not filled: rank\n"), "\(draft.yaml)")
    let link = try #require(try api(draft).entity("Link"))
    #expect(link.ids.map(\.description) == ["folder_id", "tag_id"])
    #expect(link.naturalKey == ["folder_id", "tag_id"])
    #expect(link.read?.route.template == "/Link/{id.folder_id},{id.tag_id}.json?_shape=objects")
    #expect(link.body.map(\.name) == ["folder_id", "note", "tag_id"])
    #expect(try form.schema(in: Self.columns(isCut: true)) == nil)
  }

  @Test(arguments: [
    ("Hero", "heroes"), ("MovieHouse", "movieHouses"), ("Class", "Classes"), ("City", "Cities"),
    ("Photo", "Photos"),
  ])
  func `an entity goes to the collection that has its name in the plural`(
    entity: String,
    collection: String
  ) throws {
    let fields = ["id", "name"].map { RemoteSchema.Field(name: $0, kind: .value) }
    let place = RemoteSchema.Collection(name: collection, fields: fields)
    let draft = try SQLiteDraft.make(
      of: "CREATE TABLE \(entity)(id TEXT PRIMARY KEY, name TEXT);",
      to: DraftedDestination(
        preset: PresetSummary("pocketbase"),
        url: "http://127.0.0.1:1",
        schema: RemoteSchema(collections: [place])
      )
    )
    #expect(try api(draft).entities.map(\.schemaName) == [collection])
  }

  @Test func `a key whose name the destination's ID has goes to the field that is made for it`()
    throws
  {
    let fields = ["id", "stored_id"].map { RemoteSchema.Field(name: $0, kind: .value) }
    let draft = try SQLiteDraft.make(
      of: "CREATE TABLE Hero(id TEXT PRIMARY KEY);",
      to: DraftedDestination(
        preset: PresetSummary("pocketbase"),
        url: "http://127.0.0.1:1",
        schema: RemoteSchema(collections: [.init(name: "heroes", fields: fields)])
      )
    )
    #expect(try #require(api(draft).entity("Hero")).body.map(\.name) == ["id", "stored_id"])
  }

  @Test func `entities go to the collections that are called like them`() throws {
    let draft = try draft()
    #expect(try api(draft).entities.map(\.schemaName) == ["folders", "notes"])
    #expect(draft.yaml.contains("# not sent: the server shows no collection for Draft (drafts)"))
  }

  @Test func `a field that is spelled otherwise at the server gets the server's name`() throws {
    let body = try #require(api(draft()).entity("Note")).body
    #expect(body.map(\.name) == ["created_at", "done", "folder", "id", "owner", "size", "token"])
  }

  @Test func `a relation is filled by the reference, and not by the column of its name`() throws {
    let body = try #require(api(draft()).entity("Note")).body
    let folder = try #require(body.first { $0.name == "folder" })
    #expect(folder.source == .reference(member: "folder_ref"))
  }

  @Test func `a number goes to a boolean field as true or false, and digits to a number as that`()
    throws
  {
    let body = try #require(api(draft()).entity("Note")).body
    #expect(body.first { $0.name == "done" }?.writing == .boolean)
    #expect(body.first { $0.name == "size" }?.writing == .number)
    #expect(body.first { $0.name == "created_at" }?.writing == .plain)
    // JSON keeps a number that a double would round.
    #expect(body.first { $0.name == "token" }?.writing == .plain)
  }

  @Test func `what the server has no field for is named, and is not sent`() throws {
    let draft = try draft()
    #expect(try #require(api(draft).entity("Note")).unmapped.sorted() == ["folder", "title"])
    #expect(draft.yaml.contains("      # not at the server: title\n"))
  }

  @Test func `a key that has a field at the server goes there and into the ID`() throws {
    let folders: JSONValue = [
      "items": [
        [
          "id": "pbc_1", "name": "folders", "type": "base", "system": false,
          "fields": [
            ["name": "id", "type": "text", "primaryKey": true, "required": true],
            ["name": "name", "type": "text", "required": false],
            ["name": "colour", "type": "text", "required": false],
          ],
        ]
      ]
    ]
    let draft = try draft(folders)
    let folder = try #require(api(draft).entity("Folder"))
    #expect(folder.body.map(\.name) == ["colour", "id", "name"])
    #expect(folder.body.flatMap(\.uses).map(\.path.description) == ["colour", "name", "name"])
    #expect(draft.yaml.contains("      # at the server: name\n"))
    #expect(!draft.yaml.contains("not filled"))
  }

  @Test func `a column whose reference is sent is accepted as left out`() throws {
    #expect(try draft().yaml.contains("accept-unmapped: [\"Note.folder\"]\n"))
  }

  @Test func `a field of the server that nothing fills is named`() throws {
    let yaml = try draft().yaml
    #expect(yaml.contains("      # To do: required, and not filled: rating\n"))
    #expect(!yaml.contains("filled: updated"))
  }

  @Test func `a relation to the collection that one signs in with holds the owner`() throws {
    let api = try api(draft())
    #expect(api.entity("Note")?.owner == "owner")
    #expect(api.entity("Folder")?.owner == nil)
  }

  @Test func `a field that was found at the server is not unchecked`() throws {
    let yaml = try draft().yaml
    #expect(yaml.contains("      # at the server: created_at (createdAt)\n"))
    #expect(!yaml.contains("unchecked: "))
  }

  @Test func `moments are compared as instants, and a foreign key takes the reference`()
    throws
  {
    let draft = try draft(Self.tables, preset: "supabase")
    let note = try #require(api(draft).entity("Note"))
    #expect(note.body.map(\.name) == ["created_at", "folder_id", "id"])
    #expect(note.body[1].source == .reference(member: "folder_ref"))
    #expect(note.compare["created_at"] == EntityApi.Comparison([.instant]))
    #expect(draft.yaml.contains("      # not filled: user_id\n"))
  }

  @Test func `a server without collections gets no records`() throws {
    let draft = try draft(["items": []])
    #expect(try api(draft).entities.isEmpty)
  }
}
