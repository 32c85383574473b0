import JSONText
import Records
import SchemaEmission
import Testing

/// Descriptions that are JSON.
struct JSONFormTests {
  private func document(_ form: SchemaForm) throws -> JSONValue {
    try JSONValue(parsing: form.emit(Notes.source, SchemaOptions()).text)
  }

  // MARK: - PocketBase

  private func collection(_ name: String) throws -> JSONValue {
    let document = try document(.pocketbase)
    #expect(document["deleteMissing"] == false)
    return try #require(document["collections"]?.array?.first { $0["name"]?.text == name })
  }

  private func field(_ name: String, of collection: String) throws -> JSONValue {
    try #require(
      try self.collection(collection)["fields"]?.array?.first { $0["name"]?.text == name }
    )
  }

  @Test func `a column with a number that a double would round is JSON in PocketBase`() throws {
    let model = StoreModel(
      origin: .store,
      entities: [
        StoreEntity(
          name: "Note",
          attributes: [
            StoreAttribute(name: "token", kind: .integer64, isOptional: false),
            StoreAttribute(name: "stars", kind: .integer64, isOptional: false),
          ]
        )
      ]
    )
    let record: JSONValue = [
      "properties": [
        "token": ["type": "integer", "maximum": 9_223_372_036_854_775_807],
        "stars": ["type": "integer"],
      ]
    ]
    let source = SchemaSource(model: model, identities: [:], records: [("Note", record)])
    let emitted = SchemaForm.pocketbase.emit(source, SchemaOptions())
    let note = "Note.stars: PocketBase keeps whole numbers of up to 53 bits exactly"
    #expect(emitted.notes == [note])
    let document = try JSONValue(parsing: emitted.text)
    let fields = document["collections"]?.array?.first?["fields"]?.array ?? []
    let types = fields.filter { ["token", "stars"].contains($0["name"]) }.map { $0["type"] }
    #expect(types == ["json", "number"])
  }

  @Test func `each collection shows a user the user's own records alone`() throws {
    for name in ["folders", "tags", "notes"] {
      let collection = try collection(name)
      for rule in ["listRule", "viewRule", "createRule", "updateRule", "deleteRule"] {
        #expect(collection[rule] == "owner = @request.auth.id")
      }
      let owner = try field("owner", of: name)
      #expect(owner["collectionId"] == "_pb_users_auth_")
      #expect(owner["required"] == true)
    }
  }

  @Test func `a key that is not called id has a field of its own in PocketBase`() throws {
    #expect(try field("key", of: "notes")["type"] == "text")
    let notes = SchemaForm.pocketbase.emit(Notes.source, SchemaOptions()).notes
    #expect(!notes.contains { $0.hasPrefix("Note.key") })
  }

  @Test func `the id of a collection takes the identities that the preset makes`() throws {
    let id = try field("id", of: "notes")
    #expect(id["pattern"] == "^[a-z0-9]+$")
    #expect(id["min"] == 15)
    #expect(id["max"] == 15)
  }

  @Test(arguments: [
    ("body", "text"), ("createdAt", "date"), ("done", "bool"), ("folder", "relation"),
    ("place", "json"), ("price", "text"), ("rank", "number"), ("score", "json"),
    ("tags", "relation"), ("title", "text"), ("twinID", "text"), ("updated", "autodate"),
    ("words", "json"),
  ])
  func `a field of PocketBase has the type of its member`(name: String, type: String) throws {
    #expect(try field(name, of: "notes")["type"]?.text == type)
  }

  @Test func `a relation to a record that is made later is not required`() throws {
    let folder = try field("folder", of: "notes")
    #expect(folder["collectionId"] == "pbc_folders")
    #expect(folder["maxSelect"] == 1)
    #expect(folder["required"] == true)
    let parent = try field("parent", of: "notes")
    #expect(parent["collectionId"] == "pbc_notes")
    #expect(parent["required"] == false)
  }

  @Test func `references and unique keys of PocketBase have indexes`() throws {
    let indexes = try collection("notes")["indexes"]?.array?.compactMap(\.text)
    #expect(
      indexes == [
        "CREATE INDEX `idx_notes_owner` ON `notes` (`owner`)",
        "CREATE INDEX `idx_notes_folder` ON `notes` (`folder`)",
        "CREATE INDEX `idx_notes_parent` ON `notes` (`parent`)",
        "CREATE UNIQUE INDEX `idx_notes_owner_title` ON `notes` (`owner`, `title`)",
      ]
    )
  }

  // MARK: - JSON Schema and OpenAPI

  @Test func `a definition lists the members that each record has`() throws {
    let note = try #require(try document(.jsonSchema)["$defs"]?["Note"])
    #expect(note["required"] == ["id", "createdAt", "done", "folder", "rank", "title"])
    #expect(note["properties"]?["rank"]?["maximum"] == 32_767)
    #expect(note["properties"]?["price"]?["type"] == ["string", "null"])
    #expect(note["properties"]?["body"]?["contentEncoding"] == "base64")
    #expect(note["properties"]?["tags"]?["x-references"] == ["Tag"])
    #expect(note["additionalProperties"] == false)
  }

  @Test func `each entity has five routes`() throws {
    let paths = try #require(try document(.openapi)["paths"]?.object)
    #expect(
      Set(paths.names) == [
        "/folders/", "/folders/{id}/", "/notes/", "/notes/{id}/", "/tags/", "/tags/{id}/",
      ]
    )
    #expect(Set(paths["/notes/"]?.object?.names ?? []) == ["get", "post"])
    #expect(
      Set(paths["/notes/{id}/"]?.object?.names ?? []) == ["parameters", "get", "patch", "delete"]
    )
  }

  @Test func `a change of a record requires no member, and has no id`() throws {
    let change = try #require(try document(.openapi)["components"]?["schemas"]?["NoteChange"])
    #expect(change["required"] == nil)
    #expect(change["properties"]?["id"] == nil)
    #expect(change["properties"]?["title"] == ["type": "string"])
  }

  @Test func `each reference of the OpenAPI document leads to a component`() throws {
    let document = try document(.openapi)
    let references = references(in: document)
    #expect(!references.isEmpty)
    for reference in references {
      #expect(document.value(at: String(reference.dropFirst())) != nil, "\(reference)")
    }
  }

  private func references(in value: JSONValue) -> [String] {
    switch value {
    case .object(let object):
      [object["$ref"]?.text].compactMap(\.self)
        + object.members.flatMap { references(in: $0.value) }
    case .array(let elements): elements.flatMap { references(in: $0) }
    case .null, .boolean, .number, .string: []
    }
  }
}
