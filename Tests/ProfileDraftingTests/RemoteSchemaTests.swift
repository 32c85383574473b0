import DestinationModel
import JSONText
import ProfileSettings
import Profiles
import Records
import StageSupport
import Testing

/// The forms in which destinations say what their collections are.
@Suite struct RemoteSchemaTests {
  @Test func `PocketBase's collections have fields, relations and accounts`() throws {
    let answer: JSONValue = [
      "items": [
        ["id": "u", "name": "members", "type": "auth", "fields": []],
        [
          "id": "n", "name": "notes", "type": "base",
          "fields": [
            ["name": "id", "type": "text", "primaryKey": true, "required": true],
            ["name": "owner", "type": "relation", "collectionId": "u", "maxSelect": 1],
            ["name": "tags", "type": "relation", "collectionId": "t", "maxSelect": 9],
            ["name": "photo", "type": "file"], ["name": "created", "type": "autodate"],
            ["name": "size", "type": "json"],
          ],
        ],
        ["id": "s", "name": "_otps", "type": "base", "system": true, "fields": []],
      ]
    ]
    let schema = try #require(try SchemaRoute.Form.pocketbaseCollections.schema(in: answer))
    #expect(schema.collections.map(\.name) == ["members", "notes"])
    #expect(schema.collections.map(\.holdsAccounts) == [true, false])
    let fields = try #require(schema.collection(named: "notes")).fields
    #expect(
      fields.map(\.kind) == [
        .value, .relation(to: "members", isMany: false), .relation(to: "t", isMany: true), .file,
        .value, .json,
      ]
    )
    #expect(fields.map(\.isFilled) == [true, false, false, false, true, false])
  }

  @Test func `the fields of Directus are those of its collections`() throws {
    func field(
      _ collection: String,
      _ name: String,
      _ type: String,
      schema: JSONValue = ["is_nullable": true],
      special: JSONValue = .null
    ) -> JSONValue {
      [
        "collection": .string(collection), "field": .string(name), "type": .string(type),
        "schema": schema, "meta": ["special": special],
      ]
    }
    let answer: JSONValue = [
      "data": [
        field("notes", "id", "uuid", schema: ["is_primary_key": true, "is_nullable": false]),
        field("notes", "title", "string", schema: ["is_nullable": false]),
        field("notes", "done", "boolean"), field("notes", "stars", "integer"),
        field("notes", "date_updated", "timestamp", special: ["date-updated"]),
        field("notes", "folder", "uuid", schema: ["foreign_key_table": "folders"]),
        field("notes", "photo", "uuid", schema: ["foreign_key_table": "directus_files"]),
        field("notes", "tags", "alias", schema: .null, special: ["m2m"]),
        field("directus_users", "id", "uuid"), field("directus_roles", "id", "uuid"),
      ]
    ]
    let schema = try #require(try SchemaRoute.Form.directusFields.schema(in: answer))
    #expect(schema.collections.map(\.name) == ["notes", "directus_users"])
    #expect(schema.collections.map(\.holdsAccounts) == [false, true])
    let fields = try #require(schema.collection(named: "notes")).fields
    #expect(
      fields.map(\.kind) == [
        .value, .value, .boolean, .number, .moment, .relation(to: "folders", isMany: false), .file,
      ]
    )
    #expect(fields.filter(\.isRequired).map(\.name) == ["title"])
    #expect(fields.filter(\.isFilled).map(\.name) == ["id", "date_updated"])
  }

  @Test func `the classes of Parse have fields, pointers and the class of users`() throws {
    let answer: JSONValue = [
      "results": [
        ["className": "_User", "fields": ["username": ["type": "String"]]],
        ["className": "_Session", "fields": [:]],
        [
          "className": "Note",
          "fields": [
            "objectId": ["type": "String"], "createdAt": ["type": "Date"],
            "title": ["type": "String", "required": true], "made": ["type": "Date"],
            "done": ["type": "Boolean"],
            "folder": ["type": "Pointer", "targetClass": "Folder"],
          ],
        ],
      ]
    ]
    let schema = try #require(try SchemaRoute.Form.parseSchemas.schema(in: answer))
    #expect(schema.collections.map(\.name) == ["_User", "Note"])
    let note = try #require(schema.collection(named: "Note"))
    #expect(note.field(named: "folder")?.kind == .relation(to: "Folder", isMany: false))
    #expect(note.field(named: "made")?.kind == .moment)
    #expect(note.fields.filter(\.isRequired).map(\.name) == ["title"])
    #expect(note.fields.filter(\.isFilled).map(\.name) == ["objectId", "createdAt"])
  }

  @Test func `the objects of OpenAPI 3 are collections`() throws {
    let answer: JSONValue = [
      "openapi": "3.1.0",
      "components": [
        "schemas": [
          "Note": [
            "type": "object", "required": ["title", "state"],
            "properties": [
              "id": ["type": "string", "readOnly": true], "title": ["type": "string"],
              "state": ["type": "string", "default": "new"],
            ],
          ],
          "State": ["type": "string"],
        ]
      ],
    ]
    let schema = try #require(try SchemaRoute.Form.openAPI.schema(in: answer))
    #expect(schema.collections.map(\.name) == ["Note"])
    let note = try #require(schema.collection(named: "Note"))
    #expect(note.field(named: "id")?.isFilled == true)
    #expect(note.field(named: "title")?.isRequired == true)
    #expect(note.field(named: "state")?.isRequired == false)
  }

  @Test func `PostgREST's definitions name the keys in words`() throws {
    let answer: JSONValue = [
      "swagger": "2.0",
      "definitions": [
        "notes": [
          "required": ["id"],
          "properties": [
            "id": ["type": "string", "description": "Note:\nThis is a Primary Key.<pk/>"],
            "folder_id": [
              "type": "string",
              "description":
                "Note:\nThis is a Foreign Key to `folders.id`.<fk table='folders' column='id'/>",
            ],
          ],
        ]
      ],
    ]
    let schema = try #require(try SchemaRoute.Form.postgREST.schema(in: answer))
    let notes = try #require(schema.collection(named: "notes"))
    #expect(notes.field(named: "id")?.isFilled == true)
    #expect(notes.field(named: "folder_id")?.kind == .relation(to: "folders", isMany: false))
  }

  @Test(arguments: [
    "date-time", "timestamp with time zone", "timestamp without time zone",
  ])
  func `a text of a date with a time is a moment`(format: String) throws {
    let definitions: JSONValue = [
      "notes": ["properties": ["made": ["type": "string", "format": .string(format)]]]
    ]
    for schema in [
      try SchemaRoute.Form.postgREST.schema(in: ["definitions": definitions]),
      try SchemaRoute.Form.openAPI.schema(in: ["components": ["schemas": definitions]]),
    ] {
      #expect(schema?.collection(named: "notes")?.field(named: "made")?.kind == .moment)
    }
  }

  @Test(arguments: SchemaRoute.Form.allCases)
  func `an answer of another form says nothing`(form: SchemaRoute.Form) throws {
    #expect(try form.schema(in: ["message": "no"]) == nil)
  }
}

/// What an OData service says of itself in CSDL.
@Suite struct ServiceMetadataTests {
  /// A document with a schema of the namespace Shop, whose short name is Self.
  private static func document(_ lines: String, version: String = "4.0") -> [UInt8] {
    Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="\(version)">
        <edmx:Reference Uri="core.xml"><edmx:Include Namespace="Org.OData.Core.V1" Alias="Core"/></edmx:Reference>
        <edmx:DataServices>
          <Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="Shop" Alias="Self">
            \(lines)
          </Schema>
        </edmx:DataServices>
      </edmx:Edmx>
      """.utf8
    )
  }

  @Test func `an entity set has the properties of its type and of the bases of that`() throws {
    let schema = try RemoteSchema(
      csdl: Self.document(
        """
        <TypeDefinition Name="Weight" UnderlyingType="Edm.Decimal"/>
        <EntityType Name="Thing" Abstract="true">
          <Key><PropertyRef Name="id"/></Key>
          <Property Name="id" Type="Edm.Guid" Nullable="false"/>
          <Property Name="made" Type="Edm.DateTimeOffset" Nullable="false"/>
        </EntityType>
        <EntityType Name="Part" BaseType="Self.Thing" OpenType="true">
          <Property Name="title" Type="Edm.String" Nullable="false" MaxLength="40"/>
          <Property Name="weight" Type="Self.Weight"/>
          <Property Name="sold" Type="Edm.Boolean" Nullable="false" DefaultValue="false"/>
          <Property Name="words" Type="Collection(Edm.String)" Nullable="false"/>
          <Property Name="state" Type="Self.State" Nullable="false">
            <Annotation Term="Core.ComputedDefaultValue"/>
          </Property>
          <Property Name="number" Type="Edm.Int64" Nullable="false">
            <Annotation Term="Core.Computed" Bool="false"/>
          </Property>
          <Property Name="picture" Type="Edm.Stream"/>
        </EntityType>
        <ComplexType Name="Size"><Property Name="width" Type="Edm.Double"/></ComplexType>
        <Annotations Target="Self.Thing/made"><Annotation Term="Core.Computed" Bool="true"/></Annotations>
        <EntityContainer Name="All"><EntitySet Name="parts" EntityType="Shop.Part"/></EntityContainer>
        """
      )
    )
    #expect(schema.collections.map(\.name) == ["parts"])
    let parts = try #require(schema.collection(named: "parts"))
    #expect(parts.isOpen)
    #expect(
      parts.fields.map(\.name) == [
        "id", "made", "title", "weight", "sold", "words", "state", "number",
      ]
    )
    #expect(
      parts.fields.map(\.kind) == [
        .value, .moment, .value, .number, .boolean, .value, .value, .number,
      ]
    )
    #expect(parts.fields.filter(\.isFilled).map(\.name) == ["id", "made"])
    #expect(parts.fields.filter(\.isRequired).map(\.name) == ["title", "number"])
  }

  @Test func `the property that holds the key of another entity is a relation`() throws {
    let schema = try RemoteSchema(
      csdl: Self.document(
        """
        <EntityType Name="Folder"><Key><PropertyRef Name="id"/></Key>
          <Property Name="id" Type="Edm.String" Nullable="false"/>
          <Property Name="code" Type="Edm.String"/>
          <NavigationProperty Name="notes" Type="Collection(Self.Note)"/>
        </EntityType>
        <EntityType Name="Note"><Key><PropertyRef Name="id"/></Key>
          <Property Name="id" Type="Edm.String" Nullable="false"/>
          <Property Name="folderId" Type="Edm.String"/>
          <Property Name="oldId" Type="Edm.String"/>
          <Property Name="folderCode" Type="Edm.String"/>
          <NavigationProperty Name="folder" Type="Self.Folder">
            <ReferentialConstraint Property="folderId" ReferencedProperty="id"/>
          </NavigationProperty>
          <NavigationProperty Name="old" Type="Self.Folder">
            <ReferentialConstraint Property="oldId" ReferencedProperty="id"/>
          </NavigationProperty>
          <NavigationProperty Name="coded" Type="Self.Folder">
            <ReferentialConstraint Property="folderCode" ReferencedProperty="code"/>
          </NavigationProperty>
          <NavigationProperty Name="owner" Type="Self.Folder" Nullable="false"/>
        </EntityType>
        <EntityContainer Name="All">
          <EntitySet Name="folders" EntityType="Self.Folder"/>
          <EntitySet Name="archive" EntityType="Self.Folder"/>
          <EntitySet Name="notes" EntityType="Self.Note">
            <NavigationPropertyBinding Path="folder" Target="folders"/>
            <NavigationPropertyBinding Path="Self.Note/old" Target="Shop.All/archive"/>
          </EntitySet>
        </EntityContainer>
        """
      )
    )
    let notes = try #require(schema.collection(named: "notes"))
    #expect(notes.field(named: "folderId")?.kind == .relation(to: "folders", isMany: false))
    #expect(notes.field(named: "oldId")?.kind == .relation(to: "archive", isMany: false))
    // That is no identity of a folder.
    #expect(notes.field(named: "folderCode")?.kind == .value)
    #expect(notes.fields.filter(\.isRequired).map(\.name) == ["owner@odata.bind"])
    #expect(schema.collection(named: "folders")?.fields.map(\.name) == ["id", "code"])
  }

  @Test(arguments: [
    "entities", "outside", "large", "deep", "cycle", "many", "part", "old", "elsewhere", "nothing",
    "JSON",
  ])
  func `a document that is hostile or of another form is refused, and soon`(kind: String) throws {
    let set = """
      <EntityContainer Name="All"><EntitySet Name="a" EntityType="Self.A"/></EntityContainer>
      """
    let type = #"<EntityType Name="A"><Property Name="x" Type="Edm.String"/></EntityType>"#
    func declaring(_ declaration: String) -> [UInt8] {
      let text = String(decoding: Self.document(type + set), as: UTF8.self)
      return Array(
        text.replacing("<edmx:Edmx", with: "<!DOCTYPE Edmx \(declaration)>\n<edmx:Edmx").utf8
      )
    }
    let bytes =
      switch kind {
      case "entities": declaring(#"[<!ENTITY a "aa"><!ENTITY b "&a;&a;">]"#)
      case "outside": declaring(#"SYSTEM "file:///etc/passwd""#)
      case "large":
        Self.document(type + set + String(repeating: "<!-- xxxxxxxxxxx -->", count: 500_000))
      case "deep":
        Self.document(
          type + set + String(repeating: "<a>", count: 100_000)
            + String(repeating: "</a>", count: 100_000)
        )
      case "cycle":
        Self.document(
          #"<EntityType Name="A" BaseType="Self.B"/><EntityType Name="B" BaseType="Self.A"/>"# + set
        )
      case "many":
        Self.document(
          #"<EntityType Name="A">"#
            + (0..<2000).map { #"<Property Name="x\#($0)" Type="Edm.String"/>"# }.joined()
            + #"</EntityType><EntityContainer Name="All">"#
            + (0..<2000).map { #"<EntitySet Name="s\#($0)" EntityType="Self.A"/>"# }.joined()
            + "</EntityContainer>"
        )
      case "part": Array(Self.document(type + set).dropLast(40))
      case "old": Self.document(type + set, version: "1.0")
      case "elsewhere": Self.document(set)
      case "nothing": Self.document(type)
      default: Array(#"{"$Version": "4.01"}"#.utf8)
      }
    let start = ContinuousClock.now
    #expect(throws: SchemaFault.self) {
      _ = try SchemaRoute.AnswerForm.named(.csdl).schema(of: bytes)
    }
    #expect(ContinuousClock.now - start < .seconds(30))
  }

  @Test func `the same document without what is hostile is read`() throws {
    let schema = try SchemaRoute.AnswerForm.named(.csdl).schema(
      of: Self.document(
        #"<EntityType Name="A"><Property Name="x" Type="Edm.String"/></EntityType>"#
          + #"<EntityContainer Name="All"><EntitySet Name="a" EntityType="Self.A"/></EntityContainer>"#
      )
    )
    #expect(schema.collection(named: "a")?.fields.map(\.name) == ["x"])
  }
}

/// The types that introspection of a GraphQL schema shows.
@Suite struct InputTypesTests {
  private static let types = InputTypes(
    pattern: "*_insert_input",
    kinds: ["timestamptz": .moment, "bigint": .number]
  )

  /// An input type, whose fields have types as GraphQL writes them: `[String!]!`.
  private static func input(_ name: String, _ fields: KeyValuePairs<String, String>) -> JSONValue {
    [
      "kind": "INPUT_OBJECT", "name": .string(name),
      "inputFields": .array(
        fields.map { field in
          ["name": .string(field.key), "defaultValue": .null, "type": typed(field.value[...])]
        }
      ),
    ]
  }

  private static func typed(_ text: Substring) -> JSONValue {
    if text.hasSuffix("!") {
      return ["kind": "NON_NULL", "name": .null, "ofType": typed(text.dropLast())]
    }
    if text.hasPrefix("[") {
      return ["kind": "LIST", "name": .null, "ofType": typed(text.dropFirst().dropLast())]
    }
    return ["kind": "SCALAR", "name": .string(String(text)), "ofType": .null]
  }

  private static func answer(_ types: JSONValue...) -> JSONValue {
    ["data": ["__schema": ["types": .array(types)]]]
  }

  @Test func `the types that records are made with are collections`() throws {
    let answer = Self.answer(
      ["kind": "OBJECT", "name": "notes", "inputFields": .null],
      Self.input(
        "notes_insert_input",
        [
          "id": "uuid", "title": "String!", "stars": "Int", "large": "bigint",
          "made": "timestamptz", "done": "Boolean", "words": "[String!]",
          "folder_id": "uuid", "folder": "folders_obj_rel_insert_input",
          "pages": "pages_arr_rel_insert_input",
        ]
      ),
      Self.input("folders_insert_input", ["id": "uuid", "name": "String"]),
      Self.input(
        "folders_obj_rel_insert_input",
        ["data": "folders_insert_input!", "on_conflict": "folders_on_conflict"]
      ),
      Self.input(
        "folders_on_conflict",
        ["constraint": "folders_constraint!", "where": "folders_bool_exp"]
      ),
      Self.input("pages_arr_rel_insert_input", ["data": "[pages_insert_input!]!"]),
      Self.input("notes_bool_exp", ["_and": "[notes_bool_exp!]"])
    )
    let schema = try #require(Self.types.schema(in: answer))
    #expect(schema.collections.map(\.name) == ["notes", "folders"])
    let notes = try #require(schema.collection(named: "notes"))
    #expect(
      notes.fields.map(\.name) == [
        "id", "title", "stars", "large", "made", "done", "words", "folder_id",
      ]
    )
    #expect(
      notes.fields.map(\.kind) == [
        .value, .value, .number, .number, .moment, .boolean, .value,
        .relation(to: "folders", isMany: false),
      ]
    )
    #expect(notes.fields.filter(\.isRequired).map(\.name) == ["title"])
  }

  @Test func `a schema without such types has another form, and a type that leads to itself ends`()
    throws
  {
    #expect(Self.types.schema(in: Self.answer(Self.input("notes_set_input", [:]))) == nil)
    #expect(Self.types.schema(in: ["errors": [["message": "no"]]]) == nil)
    let cycle = Self.answer(Self.input("notes_insert_input", ["next": "notes_insert_input"]))
    #expect(Self.types.schema(in: cycle)?.collection(named: "notes")?.fields.isEmpty == true)
    let related = Self.answer(
      Self.input("notes_insert_input", ["folder": "folders_obj_rel_insert_input"]),
      Self.input("folders_obj_rel_insert_input", ["data": "folders_insert_input!"]),
      Self.input("folders_insert_input", ["id": "uuid"])
    )
    #expect(Self.types.schema(in: related)?.collections.map(\.name) == ["notes", "folders"])
    let twice = Self.answer(
      Self.input("notes_insert_input", [:]),
      Self.input("notes_insert_input", [:])
    )
    #expect(Self.types.schema(in: twice) == nil)
  }

  @Test func `an answer that is too large, too deep or cut off is refused`() throws {
    let form = SchemaRoute.AnswerForm.inputs(Self.types)
    let whole = Self.answer(Self.input("notes_insert_input", ["id": "uuid"])).canonicalBytes
    #expect(try form.schema(of: whole).collections.map(\.name) == ["notes"])
    let spaces = [UInt8](repeating: 0x20, count: SchemaRoute.AnswerForm.largestAnswer)
    let deep = Array(String(repeating: "[", count: 100_000).utf8)
    let marked = [0xEF, 0xBB, 0xBF] + whole
    #expect(try form.schema(of: marked).collections.map(\.name) == ["notes"])
    for bytes in [whole + spaces, deep, Array(whole.dropLast()), []] {
      #expect(throws: SchemaFault.self) { _ = try form.schema(of: bytes) }
    }
    let page = #expect(throws: SchemaFault.self) {
      _ = try form.schema(of: Array("\n<!doctype html><html></html>".utf8))
    }
    #expect(page?.reason.contains("a page of HTML") == true)
  }

  @Test func `a profile says how the types are called`() throws {
    let profile = try Profile(
      yaml: """
        ferry-profile: 1
        app: notes
        entities:
          Note: { identity: { attribute: id }, carry: listed, fields: { id: id, title: title } }
        api: { preset: hasura, with: { user: ada }, entities: { Note: { collection: notes } } }
        """,
      path: "notes.yaml"
    )
    guard case .inputs(let types) = profile.api?.schemaRoute?.form else {
      Issue.record("another form")
      return
    }
    #expect(types.collection(of: "notes_insert_input") == "notes")
    #expect(types.collection(of: "_insert_input") == nil)
    #expect(types.collection(of: "notes_set_input") == nil)
    #expect(types.kinds["timestamptz"] == .moment)
    #expect(profile.api?.entity("Note")?.schemaName == "notes")
    let again = try Profile(yaml: profile.expandedText, path: "again.yaml")
    #expect(again.api == profile.api)
  }
}

/// A list of collections whose form the profile describes.
@Suite struct SchemaListingTests {
  private func form(_ lines: String) throws -> SchemaRoute.AnswerForm {
    let profile = try Profile(
      yaml: """
        ferry-profile: 1
        app: notes
        entities:
          Note: { identity: { attribute: id }, carry: listed, fields: { id: id, title: title } }
        api:
          kind: rest
          schema-from: { request: GET /collections, form: \(lines) }
          entities:
            Note: { replay: id, create: { request: "PUT /notes/{id}" }, body: { id: id, title: title } }
        """,
      path: "notes.yaml"
    )
    let again = try Profile(yaml: profile.expandedText, path: "again.yaml")
    #expect(again.api == profile.api)
    return try #require(profile.api?.schemaRoute?.form)
  }

  @Test func `collections with an array of fields have relations, kinds and what is filled`() throws
  {
    let form = try form(
      """
      { collections: collections, name: $id, fields: attributes, field: key, target: relatedCollection,
        many: { member: relationType, values: [oneToMany] }, required: required, default: default,
        kinds: { boolean: boolean, double: number, datetime: moment, relationship: relation },
        filled: [$id, made] }
      """
    )
    let answer: JSONValue = [
      "collections": [
        ["$id": "folders", "attributes": []],
        [
          "$id": "notes",
          "attributes": [
            ["key": "title", "type": "string", "required": true, "default": .null],
            ["key": "done", "type": "boolean", "required": true, "default": false],
            ["key": "score", "type": "double"], ["key": "made", "type": "datetime"],
            [
              "key": "folder", "type": "relationship", "relatedCollection": "folders",
              "relationType": "manyToOne",
            ],
            [
              "key": "tags", "type": "relationship", "relatedCollection": "tags",
              "relationType": "oneToMany",
            ],
          ],
        ],
      ]
    ]
    let fields = try #require(try form.schema(in: answer)?.collection(named: "notes")).fields
    #expect(fields.map(\.name) == ["title", "done", "score", "made", "folder", "tags", "$id"])
    #expect(
      fields.map(\.kind) == [
        .value, .boolean, .number, .moment, .relation(to: "folders", isMany: false),
        .relation(to: "tags", isMany: true), .value,
      ]
    )
    #expect(fields.filter(\.isRequired).map(\.name) == ["title"])
    #expect(fields.filter(\.isFilled).map(\.name) == ["made", "$id"])
    #expect(try form.schema(in: ["message": "no"]) == nil)
    #expect(try form.schema(in: ["collections": [["attributes": []]]]) == nil)
  }

  @Test func `collections with an object of fields are called by what relations call them`() throws
  {
    let form = try form(
      """
      { collections: data, name: schema.plural, key: uid, fields: schema.attributes, target: target,
        kinds: { relation: relation, media: file }, accounts: users }
      """
    )
    let answer: JSONValue = [
      "data": [
        [
          "uid": "api::note",
          "schema": [
            "plural": "notes",
            "attributes": [
              "author": ["type": "relation", "target": "users"], "photo": ["type": "media"],
              "part": ["type": "relation", "target": "api::note"],
            ],
          ],
        ],
        ["uid": "users", "schema": ["plural": "people", "attributes": [:]]],
      ]
    ]
    let schema = try #require(try form.schema(in: answer))
    #expect(schema.collections.filter(\.holdsAccounts).map(\.name) == ["people"])
    #expect(
      schema.collection(named: "notes")?.fields.map(\.kind) == [
        .relation(to: "people", isMany: false), .file, .relation(to: "notes", isMany: false),
      ]
    )
  }
}

/// Batches of requests in a profile, and several records read by one request.
@Suite struct RequestBatchTests {
  private func profile(_ entry: String, account: String = "") throws(ProfileError) -> Profile {
    let lines = entry.split(separator: "\n").map { "      \($0)" }.joined(separator: "\n")
    return try Profile(
      yaml: """
        ferry-profile: 1
        app: notes
        entities:
          Note: { identity: { attribute: id }, carry: listed, fields: { id: id, title: title } }
        api:
          kind: rest
          \(account)
          entities:
            Note:
        \(lines)
              replay: id
              body: { id: id, title: title }
        """,
      path: "notes.yaml"
    )
  }

  private func causes(_ entry: String, account: String = "") throws -> [String] {
    let error = try #require(throws: ProfileError.self) {
      _ = try profile(entry, account: account)
    }
    return error.faults.map(\.cause)
  }

  @Test func `PocketBase's batches have its own names, and are transactions`() throws {
    let profile = try Profile(
      yaml: """
        ferry-profile: 1
        app: notes
        entities:
          Note: { identity: { attribute: id }, carry: listed, fields: { id: id, title: title } }
        api: { preset: pocketbase, entities: { Note: { collection: notes } } }
        """,
      path: "notes.yaml"
    )
    let note = try #require(profile.api?.entity("Note"))
    let batch = try #require(note.create?.requestBatch)
    #expect(batch.limit == 50 && batch.isInOrder && batch.isProbed)
    #expect(batch.responses == MemberPath("") && batch.parts.path == MemberPath("url"))
    #expect(batch.transaction?.failed == MemberPath("data.requests"))
    #expect(note.update?.isBatched == true && note.delete?.isBatched == true)
    #expect(note.schemaName == "notes")
    #expect(profile.api?.schemaRoute?.form == .named(.pocketbaseCollections))
    // What a run keeps reads back as the same.
    let again = try Profile(yaml: profile.expandedText, path: "again.yaml")
    #expect(again.api == profile.api)
  }

  @Test func `one key changes how many records go in one request`() throws {
    let profile = try Profile(
      yaml: """
        ferry-profile: 1
        app: notes
        entities:
          Note: { identity: { attribute: id }, carry: listed, fields: { id: id, title: title } }
        api: { preset: pocketbase, with: { batch: 1 }, entities: { Note: { collection: notes } } }
        """,
      path: "notes.yaml"
    )
    #expect(profile.api?.entity("Note")?.create?.limit == 1)
  }

  @Test func `a filter passes each identity, and nothing that could mean more`() throws {
    let note = try #require(
      profile(
        """
        list: { request: GET /notes }
        read: { request: "GET /notes/{id}", many: { name: id, value: "in.({ids})" } }
        create: { request: POST /notes }
        """
      ).api?.entity("Note")
    )
    let filter = try #require(note.read?.filter)
    #expect(filter.values(of: ["a", "b-1"]) == ["in.(a,b-1)"])
    #expect(filter.values(of: ["a", "b)"]) == nil)
  }

  @Test func `a parameter that is repeated has each identity by itself`() throws {
    let note = try #require(
      profile(
        """
        list: { request: GET /notes }
        read: { request: "GET /notes/{id}", many: { name: id, value: "eq.{ids}", repeated: true } }
        create: { request: POST /notes }
        delete:
          request: DELETE /notes/{id}
          many:
            request: DELETE /notes
            name: ids
            repeated: true
            body: { where: { id: { in: "{ids}" } } }
        """
      ).api?.entity("Note")
    )
    #expect(note.read?.filter?.values(of: ["a", "b-1"]) == ["eq.a", "eq.b-1"])
    #expect(note.delete?.many?.route.content?.lists == ["ids"])
  }

  @Test func `changes go in one request only in the form in which records are made`() throws {
    let causes = try causes(
      """
      create: { request: POST /notes }
      update: { request: "PATCH /notes/{id}", batch: true }
      """
    )
    #expect(causes == ["“create” has no “batch” of requests, in whose form these would go"])
  }

  @Test func `a filter needs a list, and a place for the identities`() throws {
    let causes = try causes(
      """
      read: { request: "GET /notes/{id}", many: { name: filter, each: all } }
      create: { request: POST /notes }
      """
    )
    #expect(causes.count == 2)
    #expect(causes.contains("“many” asks the list for records, and there is no “list”"))
  }

  @Test func `an owner needs a destination that says whose account it is`() throws {
    let causes = try causes(
      """
      create: { request: POST /notes }
      owner: title
      """
    )
    #expect(
      causes == [
        "the destination does not say whose account “title” would be filled with",
        "“title” is filled with the account",
      ]
    )
  }
}
