import DestinationModel
import JSONText
import ProfileDrafting
import Profiles
import Records
import Testing

/// Which identities a destination takes, as its own schema says.
struct FieldRuleTests {
  private static let uuid = "0b4f5e6e-577a-4c1b-9d0a-2f60f311c86a"

  private func rule(_ form: SchemaRoute.Form, _ answer: JSONValue) throws -> FieldRule {
    let schema = try #require(try form.schema(in: answer))
    return try #require(schema.collection(named: "notes")?.field(named: "id")).rule
  }

  private func pocketBase(_ settings: JSONObject) throws -> FieldRule {
    var field: JSONObject = ["name": "id", "type": "text", "primaryKey": true]
    for member in settings.members { field[member.name] = member.value }
    return try rule(
      .pocketbaseCollections,
      ["items": [["id": "n", "name": "notes", "fields": [.object(field)]]]]
    )
  }

  @Test func `the pattern and the lengths of a text field of PocketBase are its rule`() throws {
    let own = try pocketBase(["min": 15, "max": 15, "pattern": "^[a-z0-9]+$"])
    #expect(own.refusal(of: .digest(.base36, length: 15)) == nil)
    #expect(own.refusal(of: .digest(.hex, length: 32))?.words == "only texts of 15 characters")
    #expect(own.refusal(of: .uuid) != nil)
    let opened = try pocketBase(["min": 0, "max": 0, "pattern": "^[a-z0-9-]+$"])
    #expect(opened.refusal(of: .uuid) == nil)
    #expect(opened.refusal(of: "A") == "only texts that match ^[a-z0-9-]+$")
    #expect(try pocketBase(["pattern": ""]).words == nil)
  }

  @Test(arguments: [
    (#"{"type": "string", "format": "uuid"}"#, "only UUIDs"),
    (#"{"anyOf": [{"type": "string", "format": "uuid"}, {"type": "null"}]}"#, "only UUIDs"),
    (##"{"allOf": [{"$ref": "#/components/schemas/Key"}]}"##, "only texts of 1 to 20 characters"),
    (#"{"type": "integer"}"#, "only numbers"),
    (#"{"type": ["integer", "null"]}"#, "only numbers"),
    (#"{"type": "string", "readOnly": true}"#, "only what the destination makes itself"),
    (#"{"type": "string", "pattern": "^n-"}"#, "only texts that match ^n-"),
    (#"{"type": "string"}"#, nil), (#"{"type": ["string", "integer"]}"#, nil), ("{}", nil),
  ])
  func `a schema of OpenAPI says which identities are taken`(
    schema: String,
    words: String?
  ) throws {
    let components: JSONValue = [
      "Key": ["type": "string", "minLength": 1, "maxLength": 20],
      "notes": ["type": "object", "properties": ["id": try JSONValue(parsing: schema)]],
    ]
    let found = try rule(.openAPI, ["openapi": "3.1.0", "components": ["schemas": components]])
    #expect(found.words == words)
  }

  @Test(
    arguments: [
      ([:], ["type": "string"], .answered), (["additionalProperties": true], [:], .answered),
      (["additionalProperties": false], ["type": "string"], .own),
      (["allOf": [["unevaluatedProperties": false]]], [:], .own),
      ([:], ["type": "string", "readOnly": true], .own),
    ] as [(JSONObject, JSONValue, FieldRule.Form)]
  )
  func
    `a field that only an answer has may be sent unless the destination says that it is not taken`(
      body: JSONObject,
      id: JSONValue,
      form: FieldRule.Form
    ) throws
  {
    let content: (JSONValue) -> JSONValue = { ["content": ["application/json": ["schema": $0]]] }
    var sent = body
    sent["properties"] = ["title": ["type": "string"]]
    let post: JSONValue = [
      "requestBody": content(.object(sent)),
      "responses": ["201": content(["properties": ["title": ["type": "string"], "id": id]])],
    ]
    let found = try rule(.openAPI, ["openapi": "3.1.0", "paths": ["/notes": ["post": post]]])
    #expect(found.form == form)
  }

  @Test func `the ID that is named as refused is the one that the field refuses`() {
    let refusal = FieldRule(pattern: "^[0-9]").refusal(of: .digest(.hex, length: 16))
    #expect(refusal?.sample == "fedcba9876543210")
  }

  @Test(
    arguments: [
      (["type": "string", "format": "uuid"], "only UUIDs"),
      (["type": "integer", "format": "bigint"], "only numbers"),
      (
        ["type": "string", "format": "character varying", "maxLength": 9],
        "only texts of 0 to 9 characters"
      ),
      (["type": "string", "format": "text"], nil),
    ] as [(JSONValue, String?)]
  )
  func `a column that PostgREST describes has the rule of its type`(
    column: JSONValue,
    words: String?
  ) throws {
    let answer: JSONValue = ["definitions": ["notes": ["properties": ["id": column]]]]
    #expect(try rule(.postgREST, answer).words == words)
  }

  @Test(
    arguments: [
      ("uuid", .null, "only UUIDs"), ("integer", .null, "only numbers"),
      ("bigInteger", .null, "only numbers"), ("string", 12, "only texts of 0 to 12 characters"),
      ("string", .null, nil), ("string", -1, nil), ("string", 0, nil),
    ] as [(String, JSONValue, String?)]
  )
  func `a field of Directus has the rule of its type`(
    type: String,
    longest: JSONValue,
    words: String?
  ) throws {
    let answer: JSONValue = [
      "data": [
        [
          "collection": "notes", "field": "id", "type": .string(type),
          "schema": ["is_primary_key": true, "max_length": longest],
        ]
      ]
    ]
    #expect(try rule(.directusFields, answer).words == words)
  }

  @Test(arguments: [
    (#"Type="Edm.Guid""#, "only UUIDs"), (#"Type="Edm.Int64""#, "only numbers"),
    (#"Type="Self.Key""#, "only UUIDs"),
    (#"Type="Edm.String" MaxLength="8""#, "only texts of 0 to 8 characters"),
    (#"Type="Edm.String" MaxLength="max""#, nil),
  ])
  func `a property of OData has the rule of its type`(type: String, words: String?) throws {
    let text = """
      <edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0"><edmx:DataServices>
      <Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="S" Alias="Self">
      <TypeDefinition Name="Key" UnderlyingType="Edm.Guid"/>
      <EntityType Name="Note"><Key><PropertyRef Name="id"/></Key><Property Name="id" \(type)/></EntityType>
      <EntityContainer Name="All"><EntitySet Name="notes" EntityType="S.Note"/></EntityContainer>
      </Schema></edmx:DataServices></edmx:Edmx>
      """
    let schema = try RemoteSchema(csdl: Array(text.utf8))
    #expect(schema.collection(named: "notes")?.field(named: "id")?.rule.words == words)
  }

  @Test func `a listing and a GraphQL schema have the rules of the kinds that a profile names`()
    throws
  {
    let types = InputTypes(pattern: "*_input", kinds: ["uuid": .uuid, "bigint": .number])
    func field(_ name: String, _ type: String) -> JSONValue {
      ["name": .string(name), "type": ["kind": "SCALAR", "name": .string(type), "ofType": .null]]
    }
    let fields: JSONValue = [
      field("id", "uuid"), field("rank", "bigint"), field("title", "String"),
    ]
    let answer: JSONValue = [
      "data": [
        "__schema": [
          "types": [["kind": "INPUT_OBJECT", "name": "notes_input", "inputFields": fields]]
        ]
      ]
    ]
    let notes = try #require(types.schema(in: answer)?.collection(named: "notes"))
    #expect(notes.fields.map(\.rule.words) == ["only UUIDs", "only numbers", nil])
    #expect(notes.field(named: "id")?.kind == .value)
  }

  @Test func `a rule that ECMA-262 does not know refuses nothing`() {
    #expect(FieldRule(pattern: "(?P<x>a").refusal(of: "b") == nil)
  }

  @Test(
    arguments: [
      ([FieldRule(.uuid)], Api.ClientID.uuid), ([FieldRule()], .uuid),
      ([FieldRule(pattern: "^[a-z0-9]+$", lengths: 15...15)], .digest(.base36, length: 15)),
      ([FieldRule(pattern: "^[0-9a-f]+$", lengths: 24...24)], .digest(.hex, length: 24)),
      ([FieldRule(pattern: "^[0-9a-f]+$", lengths: 1...40)], .digest(.hex, length: 32)),
      ([FieldRule(.uuid), FieldRule(lengths: 0...20)], nil), ([FieldRule(.number)], nil),
      ([FieldRule(.own)], nil),
    ] as [([FieldRule], Api.ClientID?)]
  )
  func `a form of identities is found that all collections take`(
    rules: [FieldRule],
    form: Api.ClientID?
  ) {
    #expect(FieldRule.takenForm(by: rules) == form)
  }
}
