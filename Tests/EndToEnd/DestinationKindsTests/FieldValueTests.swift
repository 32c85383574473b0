import JSONText
import ProfileSettings
import Profiles
import REST
import Records
import Testing

/// Values that say themselves what they are, as Firestore has them.
///
/// What is expected is written as the documentation has it:
/// <https://firebase.google.com/docs/firestore/reference/rest/v1/Value>,
/// <https://protobuf.dev/programming-guides/json>.
struct FieldValueTests {
  private static let forms = """
    values:
      text: stringValue
      integer: { name: integerValue, as: text }
      number: doubleValue
      boolean: booleanValue
      "null": nullValue
      list: arrayValue.values
      object: mapValue.fields
      date: timestampValue
      bytes: bytesValue
      reference: referenceValue
      location: geoPointValue
    """

  /// The values of an entity with one field `f`, of a type.
  private static func values(_ type: String? = nil, _ forms: String = forms) throws -> FieldValues {
    let lines = forms.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
    let api = try Sample.api(
      """
      entities: { Note: { identity: { attribute: id }, fields: { id: id, f: f } } }
      api:
        kind: rest
        credentials: [key]
        headers: { apikey: "{key}" }
        account: { request: GET /me, member: id }
      \(lines)
        entities:
          Note:
            replay: id
            id: { member: name, part: last }
            content: fields
            create: { request: "PUT /notes/{id}" }
            \(type.map { "types: { f: \($0) }" } ?? "")
            body: { key: id, f: f }
      """
    )
    let entity = try #require(api.entity("Note"))
    return FieldValues(try #require(api.values), entity.types, account: "uid-1")
  }

  private static func object(_ value: JSONValue) -> JSONObject {
    var object = JSONObject()
    object["f"] = value
    return object
  }

  /// A value, and what is written for it, by its type where one is declared.
  private static let forthAndBack: [(type: String?, plain: JSONValue, written: JSONValue)] = [
    (nil, "a", ["stringValue": "a"]),
    (nil, "", ["stringValue": ""]),
    (nil, true, ["booleanValue": true]),
    (nil, .null, ["nullValue": .null]),
    (nil, 12, ["integerValue": "12"]),
    (nil, .number(JSONNumber(9_007_199_254_740_993)), ["integerValue": "9007199254740993"]),
    (nil, .number(JSONNumber(Int64.min)), ["integerValue": "-9223372036854775808"]),
    (nil, .number(JSONNumber(Int64.max)), ["integerValue": "9223372036854775807"]),
    (nil, 0.5, ["doubleValue": 0.5]),
    ("number", 12, ["doubleValue": 12]),
    ("number", "NaN", ["doubleValue": "NaN"]),
    ("number", "-Infinity", ["doubleValue": "-Infinity"]),
    ("number", "none", ["stringValue": "none"]),
    ("integer", 0.5, ["doubleValue": 0.5]),
    ("date", "2026-01-02T03:04:05.123456Z", ["timestampValue": "2026-01-02T03:04:05.123456Z"]),
    ("date", "some day", ["stringValue": "some day"]),
    ("bytes", "AAEC", ["bytesValue": "AAEC"]),
    ("text", "2026-01-02T03:04:05Z", ["stringValue": "2026-01-02T03:04:05Z"]),
    (
      "location", ["latitude": 48.5, "longitude": -0.25],
      ["geoPointValue": ["latitude": 48.5, "longitude": -0.25]]
    ),
    ("{ type: reference, name: \"p/d/{id}\" }", "n1", ["referenceValue": "p/d/n1"]),
    (
      "{ type: reference, name: \"users/{account}/d/{id}\" }", "n1",
      ["referenceValue": "users/uid-1/d/n1"]
    ),
    (
      "{ type: reference, name: \"p/d/{id}\" }", ["n1", "n2"],
      ["arrayValue": ["values": [["referenceValue": "p/d/n1"], ["referenceValue": "p/d/n2"]]]]
    ),
    (nil, [], ["arrayValue": ["values": []]]),
    (
      nil, ["a", 1, .null],
      [
        "arrayValue": [
          "values": [["stringValue": "a"], ["integerValue": "1"], ["nullValue": .null]]
        ]
      ]
    ),
    (
      nil, ["a": ["b": 1.5]],
      ["mapValue": ["fields": ["a": ["mapValue": ["fields": ["b": ["doubleValue": 1.5]]]]]]]
    ),
  ]

  @Test(arguments: forthAndBack)
  func `a value is written with its kind, and read as it was`(
    type: String?,
    plain: JSONValue,
    written: JSONValue
  ) throws {
    let values = try Self.values(type)
    #expect(values.encoded(Self.object(plain))["f"] == written)
    #expect(values.decoded(Self.object(written))["f"] == plain)
  }

  /// Empty lists and objects come without their inner member.
  @Test(
    arguments: [
      (["arrayValue": [:]], []), (["mapValue": [:]], [:]), (["nullValue": "NULL_VALUE"], .null),
      (["integerValue": 7], 7),
      (["referenceValue": "elsewhere/d/n1"], "elsewhere/d/n1"),
      (["vectorValue": [1, 2]], ["vectorValue": [1, 2]]),
    ] as [(JSONValue, JSONValue)]
  )
  func `a value in another form of the destination is read`(
    written: JSONValue,
    plain: JSONValue
  ) throws {
    let values = try Self.values("{ type: reference, name: \"p/d/{id}\" }")
    #expect(values.decoded(Self.object(written))["f"] == plain)
  }

  @Test func `a whole number beyond 64 bits is written as another number`() throws {
    let number = try #require(JSONNumber(literal: "9223372036854775808"))
    let written = try Self.values().encoded(Self.object(.number(number)))
    #expect(written["f"] == ["doubleValue": .number(number)])
  }

  @Test func `a kind that a destination lacks is written as what the value is`() throws {
    let forms =
      "values: { text: S, number: { name: N, as: text }, boolean: BOOL, list: L, object: M }"
    let values = try Self.values("date", forms)
    let text: JSONValue = "2026-01-02T03:04:05Z"
    #expect(values.encoded(Self.object(text))["f"] == ["S": text])
    #expect(values.encoded(Self.object(12))["f"] == ["N": "12"])
    #expect(values.decoded(Self.object(["N": "12"]))["f"] == 12)
    #expect(values.decoded(Self.object(["N": "0.5"]))["f"] == 0.5)
    // Nothing says that there is nothing.
    #expect(values.encoded(Self.object(.null))["f"] == nil)
  }

  // MARK: - Other families

  // <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_AttributeValue.html>
  private static let dynamoDB = """
    values:
      text: S
      number: { name: N, as: text }
      boolean: BOOL
      "null": { form: { "NULL": true } }
      list: L
      object: M
      bytes: B
    """

  private static let dynamoValues: [(type: String?, plain: JSONValue, written: JSONValue)] = [
    (nil, "a", ["S": "a"]), (nil, 12, ["N": "12"]), (nil, 0.5, ["N": "0.5"]),
    (nil, .number(JSONNumber(Int64.max)), ["N": "9223372036854775807"]),
    (nil, false, ["BOOL": false]), (nil, .null, ["NULL": true]), ("bytes", "AAEC", ["B": "AAEC"]),
    ("date", "2026-01-02T03:04:05Z", ["S": "2026-01-02T03:04:05Z"]),
    (nil, [], ["L": []]), (nil, [:], ["M": [:]]),
    (nil, ["a": ["S", .null]], ["M": ["a": ["L": [["S": "S"], ["NULL": true]]]]]),
  ]

  @Test(arguments: dynamoValues)
  func `a value of DynamoDB is written with its kind, and read as it was`(
    type: String?,
    plain: JSONValue,
    written: JSONValue
  ) throws {
    let values = try Self.values(type, Self.dynamoDB)
    #expect(values.encoded(Self.object(plain))["f"] == written)
    #expect(values.decoded(Self.object(written))["f"] == plain)
  }

  // <https://docs.parseplatform.org/rest/guide/#data-types>
  private static let parse = """
    values:
      date: { form: { __type: Date, iso: "{value}" } }
      bytes: { form: { __type: Bytes, base64: "{value}" } }
      reference: { form: { __type: Pointer, className: "{of}", objectId: "{value}" } }
      location: { form: { __type: GeoPoint, latitude: "{latitude}", longitude: "{longitude}" } }
    """

  private static let parseValues: [(type: String?, plain: JSONValue, written: JSONValue)] = [
    (nil, "a", "a"), (nil, 12, 12), (nil, true, true), (nil, .null, .null),
    (nil, ["a": [1, ["b": .null]]], ["a": [1, ["b": .null]]]),
    (
      "date", "2026-01-02T03:04:05.678Z",
      ["__type": "Date", "iso": "2026-01-02T03:04:05.678Z"]
    ),
    ("bytes", "AAEC", ["__type": "Bytes", "base64": "AAEC"]),
    (
      "{ type: reference, of: Folder }", "n1",
      ["__type": "Pointer", "className": "Folder", "objectId": "n1"]
    ),
    (
      "{ type: reference, of: Folder }", ["n1", "n2"],
      [
        ["__type": "Pointer", "className": "Folder", "objectId": "n1"],
        ["__type": "Pointer", "className": "Folder", "objectId": "n2"],
      ]
    ),
    (
      "location", ["latitude": 48.5, "longitude": -0.25],
      ["__type": "GeoPoint", "latitude": 48.5, "longitude": -0.25]
    ),
  ]

  @Test(arguments: parseValues)
  func `a value of Parse is written with its type, and read as it was`(
    type: String?,
    plain: JSONValue,
    written: JSONValue
  ) throws {
    let values = try Self.values(type, Self.parse)
    #expect(values.encoded(Self.object(plain))["f"] == written)
    #expect(values.decoded(Self.object(written))["f"] == plain)
  }

  @Test func `a form without a place for its value is refused`() throws {
    let error = try #require(throws: ProfileError.self) {
      try Self.values(nil, "values: { date: { form: { __type: Date } } }")
    }
    #expect(error.faults.first?.pointer == "/api/values/date/form")
  }
}
