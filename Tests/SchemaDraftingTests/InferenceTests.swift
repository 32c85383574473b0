import DocumentChecking
import Files
import Foundation
import JSONText
import SchemaDrafting
import SchemaValidation
import Testing

/// Lends a folder that is gone afterwards.
private func withFolder(_ body: (String) throws -> Void) throws {
  let folder = try PrivateFolder()
  try body(folder.path)
}

struct InferenceTests {
  private func sketch(_ text: String) throws -> DocumentSketch {
    var sketch: DocumentSketch?
    try withFolder { folder in
      try WholeFile.replace("\(folder)/data", with: Array(text.utf8))
      sketch = try DocumentSketch(reading: InputFile("\(folder)/data"))
    }
    return try #require(sketch)
  }

  private func schema(
    _ text: String,
    _ options: SchemaDraftOptions = SchemaDraftOptions()
  ) throws -> JSONValue {
    try sketch(text).schema(title: nil, options)
  }

  @Test func `a large array gives the same schema in one line as in many`() throws {
    let elements = (0..<60_000).map { $0 % 7 == 0 ? "{\"a\":[\($0),\"]\"]}" : "\($0), null" }
    let oneLine = try sketch("[" + elements.joined(separator: ",") + "]")
    let manyLines = try sketch("[\n" + elements.joined(separator: ",\n") + "\n]")
    #expect(oneLine.documentCount == manyLines.documentCount)
    let options = SchemaDraftOptions()
    #expect(oneLine.schema(title: nil, options) == manyLines.schema(title: nil, options))
  }

  @Test func `types, required members, ranges and missing values follow the sample`() throws {
    let schema = try schema(
      #"""
      {"n":1,"name":"a","tags":["x",null],"in":{"deep":true}}
      {"n":2.5,"name":null,"tags":[],"in":{"deep":false,"more":1e400}}
      """#
    )
    #expect(schema["required"] == ["in", "n", "name", "tags"])
    #expect(schema.value(at: "/properties/n") == ["type": "number", "minimum": 1, "maximum": 2.5])
    #expect(schema.value(at: "/properties/name/type") == ["null", "string"])
    #expect(schema.value(at: "/properties/tags/items/type") == ["null", "string"])
    #expect(schema.value(at: "/properties/in/required") == ["deep"])
    #expect(schema.value(at: "/properties/in/properties/more/type") == "integer")
  }

  @Test(arguments: [
    ("5E0E2F2C-4E0B-4B6E-9B61-3E7D1E0C5A11", "uuid"), ("2024-02-29T12:00:00Z", "date-time"),
    ("2024-02-29", "date"), ("https://example.com/a?b=c", "uri"), ("a@example.com", "email"),
  ])
  func `the drafted schema names a format that all texts have`(text: String, format: String) throws
  {
    let line = "{\"t\":\"\(text)\"}\n"
    #expect(try schema(line + line).value(at: "/properties/t/format")?.text == format)
    #expect(try schema(line + "{\"t\":\"no\"}\n").value(at: "/properties/t/format") == nil)
  }

  @Test func `texts are a choice when they are few and come again`() throws {
    let lines = (0..<24).map {
      "{\"mood\":\"\($0 % 3 == 0 ? "sad" : "glad")\",\"id\":\"id \($0)\"}\n"
    }
    let found = try schema(lines.joined())
    #expect(found.value(at: "/properties/mood/enum") == ["glad", "sad"])
    #expect(found.value(at: "/properties/id/enum") == nil)
    let few = try schema(lines[0..<4].joined())
    #expect(few.value(at: "/properties/mood/enum") == nil)
    let bare = try schema(lines.joined(), .bare)
    #expect(bare.value(at: "/properties/mood") == ["type": "string"])
  }

  @Test func `an array over many lines is read element by element`() throws {
    let text = "[\n  {\"a\": \"],{\\\"\"},\n  {\"a\": \"b\", \"n\": [1, 2]}\n]\n"
    let found = try sketch(text)
    #expect(found.documentCount == 1)
    let schema = found.schema(title: "T", SchemaDraftOptions(isClosed: true))
    #expect(schema["type"] == "array")
    #expect(schema.value(at: "/items/required") == ["a"])
    #expect(schema.value(at: "/items/additionalProperties") == false)
    #expect(schema["title"] == "T")
  }

  @Test(arguments: [
    "", "\n \n", "[1,\n2", "[1,\n]", "[1\n,,2]", "{\"a\":\n1]", "[1\n] x", "{\n}x", "[1\n}",
  ])
  func `invalid JSON is refused with its place`(text: String) {
    #expect(throws: DocumentError.self) { _ = try sketch(text) }
  }

  @Test func `many names and great depth leave the schema open`() async throws {
    let names = (0..<300).map { "\"n\($0)\":\($0)" }.joined(separator: ",")
    let wide = try sketch("{\(names)}\n").schema(title: nil, SchemaDraftOptions(isClosed: true))
    #expect(wide["additionalProperties"] == nil)
    #expect(wide["properties"]?.object?.count == 200)
    let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
    #expect(try await obeys("{\"a\":\(deep)}\n", layout: .auto))
  }

  @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6, 7, 8])
  func `every sample obeys its drafted schema`(seed: UInt64) async throws {
    var maker = DocumentMaker(state: seed)
    for _ in 0..<25 {
      let lines = (0..<maker.number(60) + 1).map { _ in maker.text() + "\n" }.joined()
      #expect(try await obeys(lines, layout: .lines), "seed \(seed): \(lines)")
      let list =
        "[\n" + (0..<maker.number(9) + 1).map { _ in maker.text() }.joined(separator: ",\n")
        + "\n]\n"
      #expect(try await obeys(list, layout: .auto), "seed \(seed): \(list)")
    }
  }

  /// Whether the text obeys its own draft, in every form of the draft.
  private func obeys(_ text: String, layout: DocumentCheck.Layout) async throws -> Bool {
    let sketch = try sketch(text)
    var isRight = true
    for options in [
      SchemaDraftOptions(), .bare, SchemaDraftOptions(isClosed: true),
    ] {
      let folder = try PrivateFolder()
      let schema = sketch.schema(title: nil, options)
      try WholeFile.replace("\(folder.path)/schema.json", with: Array(schema.prettyText.utf8))
      try WholeFile.replace("\(folder.path)/data", with: Array(text.utf8))
      let check = try DocumentCheck(schemaPath: "\(folder.path)/schema.json", formats: .assert)
      _ = try await check.run(InputFile("\(folder.path)/data"), layout: layout) { stretches in
        for case .document(let verdict) in stretches {
          isRight = false
          print(verdict.findings)
        }
      }
      withExtendedLifetime(folder) {}
    }
    return isRight
  }
}

/// Random documents that follow from a seed.
struct DocumentMaker {
  var state: UInt64

  mutating func number(_ below: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(below))
  }

  private mutating func pick(_ texts: [String]) -> String { texts[number(texts.count)] }

  mutating func text(_ depth: Int = 4) -> String {
    switch number(depth > 0 ? 8 : 5) {
    case 0: return pick(["null", "true", "false"])
    case 1:
      return pick([
        "0", "-0", "1", "-1", "1.0", "2.5", "1e3", "1e400", "-1e400", "18446744073709551616",
        "9007199254740993", "0.1", "1e-400", "12e-1",
      ])
    case 2:
      return pick([
        "\"\"", "\"a\"", "\"\\u00e9\"", "\"e\\u0301\"", "\"2024-01-01\"",
        "\"2024-01-01T00:00:00Z\"",
        "\"5e0e2f2c-4e0b-4b6e-9b61-3e7d1e0c5a11\"", "\"a@b.c\"", "\"http://a\"",
        "\"\\ud83d\\ude00\"",
      ])
    case 3: return "\"\(pick(["red", "green", "blue"]))\""
    case 4: return String(number(100))
    case 5: return "[" + (0..<number(4)).map { _ in text(depth - 1) }.joined(separator: ",") + "]"
    default:
      let names = ["a", "b", "c", "\\u00e9", "e\\u0301", "", "a/b", "~"].filter { _ in
        number(2) == 0
      }
      return "{" + names.map { "\"\($0)\":\(text(depth - 1))" }.joined(separator: ",") + "}"
    }
  }
}
