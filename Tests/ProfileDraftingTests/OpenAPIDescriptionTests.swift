import DestinationModel
import JSONText
import ProfileDrafting
import Profiles
import Records
import RequestBodies
import Testing

/// The collections that descriptions in OpenAPI 3 have, and drafts for their servers.
struct OpenAPIDescriptionTests {
  private func collections(_ text: String) throws -> [RemoteSchema.Collection] {
    let answer = try JSONValue(parsing: text)
    return try #require(try SchemaRoute.Form.openAPI.schema(in: answer)).collections
  }

  private func fields(_ collection: RemoteSchema.Collection) -> [String: RemoteSchema.Field] {
    Dictionary(uniqueKeysWithValues: collection.fields.map { ($0.name, $0) })
  }

  /// In the way of FastAPI: a schema each for what is sent, changed and answered, and `anyOf` for what may be null.
  private static let variants = #"""
    {"openapi": "3.1.0", "paths": {
      "/api/v1/login/access-token": {"post": {"requestBody": {"content": {
        "application/x-www-form-urlencoded": {"schema": {"$ref": "#/components/schemas/Login"}}}}}},
      "/api/v1/notes/{id}": {"put": {"requestBody": {"content": {
        "application/json": {"schema": {"$ref": "#/components/schemas/NoteUpdate"}}}}}},
      "/api/v1/notes/": {"post": {
        "requestBody": {"content": {
          "application/json": {"schema": {"$ref": "#/components/schemas/NoteCreate"}}}},
        "responses": {
          "201": {"content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/NotePublic"}}}},
          "422": {"content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/Fault"}}}}}}}},
    "components": {"schemas": {
      "Login": {"properties": {"username": {"type": "string"}}},
      "Fault": {"properties": {"detail": {"type": "array"}}},
      "NoteBase": {"type": "object", "required": ["title", "local_id"], "properties": {
        "title": {"type": "string"}, "local_id": {"type": "string"},
        "text": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "due": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]},
        "stars": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}},
      "NoteCreate": {"allOf": [{"$ref": "#/components/schemas/NoteBase"}],
        "required": ["done"], "properties": {"done": {"type": "boolean", "default": false}}},
      "NoteUpdate": {"properties": {"title": {"type": "string"}}},
      "NotePublic": {"allOf": [{"$ref": "#/components/schemas/NoteCreate"}], "properties": {
        "id": {"type": "string", "format": "uuid"},
        "owner_id": {"type": "string", "format": "uuid"}}}}}}
    """#

  @Test func `a collection is the path at which records are made, with what a new one may have`()
    throws
  {
    let collections = try collections(Self.variants)
    #expect(collections.map(\.name) == ["notes"])
    let notes = try #require(collections.first)
    #expect(notes.path == "/api/v1/notes")
    let fields = fields(notes)
    #expect(
      Set(fields.keys) == [
        "title", "local_id", "text", "due", "stars", "done", "id", "owner_id",
      ]
    )
    #expect(fields["title"]?.isRequired == true && fields["done"]?.isRequired == false)
    #expect(fields["text"]?.kind == .value && fields["due"]?.kind == .moment)
    #expect(fields["stars"]?.kind == .number && fields["done"]?.kind == .boolean)
    // What only the answer has, the server fills.
    #expect(fields.values.filter(\.isFilled).map(\.name).sorted() == ["id", "owner_id"])
  }

  @Test(arguments: ["data", "note"])
  func `a member around the record is no field of it`(wrapper: String) throws {
    let text = #"""
      {"openapi": "3.0.3", "paths": {"/notes": {
        "get": {"responses": {"200": {"content": {"application/json": {"schema": {"properties": {
          "data": {"type": "array"}, "meta": {"type": "object"}}}}}}}},
        "post": {
          "requestBody": {"$ref": "#/components/requestBodies/Note"},
          "responses": {"201": {"$ref": "#/components/responses/Note"}}}}},
      "components": {
        "schemas": {
          "Note": {"properties": {"title": {"type": "string", "nullable": true}}},
          "Shown": {"properties": {"id": {"type": "integer"}, "title": {"type": "string"}}}},
        "requestBodies": {"Note": {"content": {"application/json": {"schema": {
          "required": ["WRAPPER"], "properties": {
            "WRAPPER": {"$ref": "#/components/schemas/Note"}}}}}}},
        "responses": {"Note": {"content": {"application/json": {"schema": {"properties": {
          "WRAPPER": {"$ref": "#/components/schemas/Shown"}}}}}}}}}
      """#
    let notes = try #require(collections(text.replacing("WRAPPER", with: wrapper)).first)
    #expect(notes.fields.map(\.name) == ["title", "id"])
    #expect(notes.fields.map(\.isFilled) == [false, true])
  }

  @Test func `the attributes and relationships of JSON API are the fields of a record`() throws {
    let text = #"""
      {"openapi": "3.0.3", "paths": {"/notes": {"post": {"requestBody": {"content": {
        "application/vnd.api+json": {"schema": {"properties": {"data": {"properties": {
          "type": {"type": "string"},
          "attributes": {"properties": {"title": {"type": "string"}}},
          "relationships": {"properties": {"folder": {"properties": {"data": {}}}}}}}}}}}}}}}}
      """#
    let notes = try #require(collections(text).first)
    #expect(notes.fields.map(\.name) == ["title", "folder"])
  }

  @Test func `records below another record are no collection, and objects and lists have kinds`()
    throws
  {
    let text = #"""
      {"openapi": "3.1.0", "paths": {
        "/projects": {"post": {"requestBody": {"content": {"application/json": {"schema": {
          "$ref": "#/components/schemas/Project"}}}}}},
        "/projects/{project_id}/tasks": {"post": {"requestBody": {"content": {
          "application/json": {"schema": {"$ref": "#/components/schemas/Task"}}}}}},
        "/tags/{id}": {"put": {"requestBody": {"content": {"application/json": {"schema": {
          "properties": {"name": {"type": ["string", "null"]}}}}}}}},
        "/photos": {"post": {"requestBody": {"content": {"multipart/form-data": {"schema": {
          "properties": {"file": {"type": "string", "format": "binary"}}}}}}}}},
      "components": {"schemas": {
        "Address": {"properties": {"city": {"type": "string"}}},
        "Task": {"properties": {"title": {"type": "string"}}},
        "Project": {"properties": {
          "budget": {"type": ["number", "null"]}, "open": {"type": ["null", "boolean"]},
          "address": {"$ref": "#/components/schemas/Address"},
          "tag_ids": {"type": "array", "items": {"type": "integer"}},
          "loop": {"$ref": "#/components/schemas/Loop"},
          "round": {"$ref": "#/components/schemas/Round"}}},
        "Loop": {"$ref": "#/components/schemas/Loop"},
        "Round": {"allOf": [{"$ref": "#/components/schemas/Round"},
          {"$ref": "#/components/schemas/Round"}]}}}}
      """#
    let collections = try collections(text)
    #expect(collections.map(\.name) == ["projects", "photos", "tags"])
    #expect(collections.map(\.path) == ["/projects", "/photos", "/tags"])
    #expect(
      collections[0].fields.map(\.kind) == [
        .number, .boolean, .object, .relation(to: "tags", isMany: true), .value, .object,
      ]
    )
    #expect(collections[1].fields.map(\.kind) == [.file])
  }

  /// A description in which notes are posted as one object and answered as another.
  private static func notes(_ sent: String, _ answered: String) -> String {
    func content(_ properties: String) -> String {
      #"{"content": {"application/json": {"schema": {"properties": {\#(properties)}}}}}"#
    }
    return #"{"openapi": "3.1.0", "paths": {"/notes": {"post": {"requestBody": \#(content(sent)), "#
      + #""responses": {"201": \#(content(answered))}}}}}"#
  }

  @Test(arguments: [
    // A member beside others is a field, whatever these are called.
    (
      #""status": {}, "customer": {"properties": {"name": {}}}"#, #""id": {}"#,
      ["status", "customer", "id"]
    ),
    (
      #""message": {}, "author": {"properties": {"name": {}}}"#, #""id": {}"#,
      ["message", "author", "id"]
    ),
    (
      #""message": {}"#, #""status": {}, "author": {"properties": {"name": {}}}"#,
      ["message", "status", "author"]
    ),
    (#""title": {}"#, #""status": {}, "data": {"properties": {"id": {}}}"#, ["title", "id"]),
    // A record that has fields as JSON:API has them, and others.
    (
      #""type": {}, "attributes": {"properties": {"size": {}}}, "price": {}"#, #""id": {}"#,
      ["type", "attributes", "price", "id"]
    ),
  ])
  func `a member is a field unless it is the one around the record`(
    sent: String,
    answered: String,
    fields: [String]
  ) throws {
    let notes = try #require(collections(Self.notes(sent, answered)).first)
    #expect(notes.fields.map(\.name) == fields)
  }

  @Test func `a description in which one schema is many times too much is refused`() throws {
    let reference = ##"{"schema": {"$ref": "#/components/schemas/Large"}}"##
    let paths = (0..<2000).map {
      #""/p\#($0)": {"post": {"requestBody": {"content": {"application/json": \#(reference)}}}}"#
    }
    let fields = (0..<2000).map { #""f\#($0)": {}"# }
    func schema(_ paths: [String]) throws -> RemoteSchema {
      let text =
        #"{"openapi": "3.1.0", "paths": {\#(paths.joined(separator: ","))}, "components": {"schemas": "#
        + #"{"Large": {"properties": {\#(fields.joined(separator: ","))}}}}}"#
      return try SchemaRoute.AnswerForm.named(.openAPI).schema(of: Array(text.utf8))
    }
    #expect(
      try schema(Array(paths.prefix(3))).collections.map(\.fields.count) == [2000, 2000, 2000]
    )
    let start = ContinuousClock.now
    let fault = #expect(throws: SchemaFault.self) { try schema(paths) }
    #expect(fault?.reason == "the description has more than 100000 fields and parts")
    #expect(ContinuousClock.now - start < .seconds(30))
  }

  @Test func `a description whose parts lead to parts without an end is refused`() throws {
    let parts = (0..<5000).map {
      ##""S\##($0)": {"allOf": [{"$ref": "#/components/schemas/S\##($0 + 1)"}]}"##
    }
    let text =
      #"{"openapi": "3.1.0", "components": {"schemas": {\#(parts.joined(separator: ","))}}}"#
    #expect(throws: SchemaFault.self) {
      try SchemaRoute.AnswerForm.named(.openAPI).schema(of: Array(text.utf8))
    }
  }

  private static let statements = """
    CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, done INTEGER, due TEXT, stars INTEGER,
      owner_id TEXT);
    INSERT INTO note VALUES (1, 'a', 1, '2024-01-02T03:04:05Z', 4, 'x');
    """

  private func draft(at url: String, records path: String = "/api/v1/notes") throws -> ProfileDraft
  {
    let text = Self.variants.replacing("/api/v1/notes", with: path)
    let schema = try SchemaRoute.Form.openAPI.schema(in: JSONValue(parsing: text))
    let destination = DraftedDestination(
      preset: try PresetSummary("rails"),
      url: url,
      schema: schema
    )
    return try SQLiteDraft.make(of: Self.statements, to: destination)
  }

  @Test func `a draft for a server with a description sends what a new record may have`() throws {
    let draft = try draft(at: "https://example.com/api/v1")
    let note = try #require(SQLiteDraft.profile(draft).api?.entity("note"))
    #expect(note.create?.route.template == "/notes")
    #expect(
      note.body.map(\.name) == ["done", "due", "local_id", "stars", "title"],
      "\(draft.yaml)"
    )
    #expect(draft.yaml.contains("\n      # not at the server: owner_id\n"), "\(draft.yaml)")
    #expect(!draft.yaml.contains("the server makes these records at"))
  }

  @Test func `a draft says where the server makes records at another path than the profile`() throws
  {
    let yaml = try draft(at: "https://example.com").yaml
    let words =
      "# To do: the server makes these records at /api/v1/notes, and the profile at /notes\n"
    #expect(yaml.contains(words), "\(yaml)")
    // A name that only ends like one of the path is another.
    let other = try draft(at: "https://example.com/my1", records: "/1/notes").yaml
    #expect(other.contains("the server makes these records at /1/notes"), "\(other)")
  }

  @Test func `a draft whose backend lacks what a record is found by keeps what was matched`() throws
  {
    let text = Self.variants.replacing("local_id", with: "external_reference")
    let schema = try SchemaRoute.Form.openAPI.schema(in: JSONValue(parsing: text))
    let destination = DraftedDestination(
      preset: try PresetSummary("rails"),
      url: nil,
      schema: schema
    )
    let yaml = try SQLiteDraft.make(of: Self.statements, to: destination).yaml
    #expect(yaml.contains("\n      # at the server: title\n"), "\(yaml)")
    #expect(yaml.contains("\n      # not at the server: id\n"), "\(yaml)")
    #expect(yaml.contains("\n# To do: "), "\(yaml)")
  }

  private func file(_ text: String) throws -> OpenAPIFile {
    try OpenAPIFile(Array(text.utf8), named: "openapi.json")
  }

  private static let yaml = """
    openapi: 3.0.3
    servers: [{ url: https://example.com/v1 }]
    paths:
      /notes:
        post:
          requestBody:
            content:
              application/json:
                schema: { properties: { id: { type: string }, title: { type: string } } }
      /notes/{id}:
        patch: {}
        delete: {}
      /notes/{id}/comments:
        post: {}
    """

  @Test func `a file is read as what a server shows, and gives a skeleton of requests`() throws {
    let file = try file(Self.yaml)
    #expect(file.server == "https://example.com/v1")
    let preset = try file.skeleton()
    let destination = DraftedDestination(preset: preset, url: file.server, schema: file.schema)
    let draft = try SQLiteDraft.make(of: Self.statements, to: destination)
    let profile = try Profile(yaml: draft.yaml, path: "profile.yaml") { name in
      (draft.schemas.map { ($0.name, $0.bytes) } + [preset.file].compactMap(\.self))
        .first { $0.0 == name }?.1
    }
    let note = try #require(profile.api?.entity("note"))
    #expect(note.create?.route.description == "POST /notes")
    #expect(note.update?.route.description == "PATCH /notes/{id}")
    #expect(note.delete?.route.description == "DELETE /notes/{id}")
    #expect(note.read == nil)
    #expect(note.body.map(\.name) == ["id", "title"], "\(draft.yaml)")
    #expect(preset.text.contains("# To do: how one signs in"))
    let nested = "# not drafted: requests to /notes/{id}/comments, below another record\n"
    #expect(draft.yaml.contains(nested), "\(draft.yaml)")
  }

  @Test(arguments: [
    ("limit", "offset", #"items: "results", limit: { name: limit, value: 50 }, offset: offset }"#),
    ("per_page", "page", #"items: "results", limit: { name: per_page, value: 50 }, page: page }"#),
    ("count", "start", #"items: "results" }"#),
  ])
  func `a list is drafted with its rows and its pages`(
    limit: String,
    next: String,
    words: String
  ) throws {
    let listed = """
      /notes:
          get:
            parameters:
              - { in: query, name: \(limit), schema: { anyOf: [{ type: integer, maximum: 50 }, { type: "null" }] } }
              - { in: query, name: \(next), schema: { type: integer } }
            responses:
              "200":
                content:
                  application/json:
                    schema:
                      properties:
                        results: { type: array, items: { properties: { id: { type: string } } } }
                        words: { type: array, items: { type: string } }
                        count: { type: integer }
      """
    let text = try file(Self.yaml.replacing("/notes:", with: listed)).skeleton().text
    #expect(text.contains("list: { request: \"GET /{collection}\", \(words)"), "\(text)")
    #expect(text.contains("how pages follow") == (limit == "count"))
    #expect(!text.contains("“items” where"))
  }

  /// A list of notes, and one of tags, with pages of numbers.
  private func drafted(notes: String, tags: String) throws -> String {
    func get(_ schemas: String) -> String {
      let parameters = zip(["size", "page"], schemas.split(separator: "|")).map {
        "{ in: query, name: \($0), schema: {\($1)} }"
      }
      return "{ parameters: [\(parameters.joined(separator: ", "))], responses: {} }"
    }
    let post =
      "{ requestBody: { content: { application/json: { schema: { properties: { id: {} } } } } } }"
    let text = """
      openapi: 3.0.3
      paths:
        /notes: { get: \(get(notes)), post: \(post) }
        /tags: { get: \(get(tags)), post: \(post) }
      """
    return try file(text).skeleton().text
  }

  @Test(arguments: [
    (" minimum: 0", "{ name: page, first: 0 }", false),
    (" default: 0", "{ name: page, first: 0 }", false),
    (" minimum: 1", "page", false), (" minimum: 0, default: 1", "page", false),
    (" exclusiveMinimum: 0", "page", false), (" type: integer", "page", true),
    (" minimum: 7", "page", true),
  ])
  func `the first page has the number that the description gives it`(
    page: String,
    words: String,
    isOpen: Bool
  ) throws {
    let list = " maximum: 50 |\(page)"
    let text = try drafted(notes: list, tags: list)
    #expect(text.contains(", page: \(words) }"), "\(text)")
    #expect(text.contains("whether pages count from 1") == isOpen, "\(text)")
  }

  @Test(arguments: [(" maximum: 20 ", 20), (" maximum: 500 ", 50), (" type: integer ", 50)])
  func `one size of pages is drafted for lists that take different ones: the least`(
    tags: String,
    most: Int
  ) throws {
    let text = try drafted(notes: " maximum: 50 | minimum: 1", tags: "\(tags)| minimum: 1")
    #expect(text.contains("limit: { name: size, value: \(most) }"), "\(text)")
  }

  @Test func `an ID that the server names in its answers alone is a matter to look at`() throws {
    let shown = Self.yaml.replacing(
      "id: { type: string }, title: { type: string } } }",
      with: "title: { type: string } } }"
    ).replacing(
      "\n  /notes/{id}:",
      with: """
        \n      responses:
                "201":
                  content:
                    application/json:
                      schema: { properties: { id: { type: string }, title: { type: string } } }
          /notes/{id}:
        """
    )
    let destination = DraftedDestination(
      preset: try PresetSummary("django-rest-framework"),
      url: nil,
      schema: try file(shown).schema
    )
    let yaml = try SQLiteDraft.make(of: Self.statements, to: destination).yaml
    #expect(yaml.contains("# To do: the server names “id” in its answers alone: "), "\(yaml)")
  }

  @Test func `a server that makes its IDs itself is named in the draft`() throws {
    let own = Self.yaml.replacing(
      "id: { type: string }",
      with: "id: { type: integer, readOnly: true }"
    )
    let schema = try file(own).schema
    let destination = DraftedDestination(
      preset: try PresetSummary("django-rest-framework"),
      url: nil,
      schema: schema
    )
    let yaml = try SQLiteDraft.make(of: Self.statements, to: destination).yaml
    let words =
      "# To do: the server takes as “id” only what the destination makes itself: write “replay: look-up”"
    #expect(yaml.contains(words), "\(yaml)")
  }

  @Test func `JSON and YAML give the same collections`() throws {
    let text = Self.variants
    #expect(try file(text).schema.collections == collections(text))
    #expect(try file(text).server == nil)
    #expect(try file(text).skeleton().text.contains("natural-key: [local_id]"))
    #expect(try file(text).skeleton().text.contains("POST /api/v1/{collection}"))
  }

  @Test(arguments: [
    ("{", "cannot be read as JSON: "), ("openapi: [", "cannot be read as YAML: line "),
    (#"{"swagger": "2.0", "paths": {}}"#, "no description in OpenAPI 3"),
    (#"{"openapi": "3.1.0", "paths": {"/notes": {"get": {}}}}"#, "made at none of its paths"),
    (#"{"openapi": "3.1.0", "components": {"schemas": {"A": {"properties": {"x": {}}}}}}"#, "none"),
  ])
  func `a file that describes no collections is refused with the reason`(
    text: String,
    words: String
  ) throws {
    let fault = #expect(throws: SchemaFault.self) { _ = try file(text) }
    #expect(fault?.reason.contains(words) == true, "\(text)")
  }

  @Test(arguments: [
    ("./openapi.yaml", true), ("/tmp/api", true), ("api.JSON", true), ("127.0.0.1:8090", false),
    ("https://example.com/openapi.json", false), ("example.com", false),
    ("file:openapi.json", false),
  ])
  func `a path is no address of a server`(text: String, isFile: Bool) {
    #expect(OpenAPIFile.isNamed(by: text) == isFile)
  }
}
