import SchemaValidation
import Testing

/// Schemas that attack anyone who compiles them.
struct `Hostile schemas` {
  @Test(.timeLimit(.minutes(1)))
  func `a schema that requires many members is compiled in time that grows with them`() throws {
    let names = (0..<400_000).map { "\"a\($0)\"" }.joined(separator: ",")
    let source = "{\"required\":[\(names)]}"
    let set = try SchemaSet(
      schemas: [("https://example.com/schema", Array(source.utf8))],
      formats: .assert,
      unknownKeywords: .refuse
    )
    _ = try set.schema(at: "https://example.com/schema")
  }

  @Test(.timeLimit(.minutes(1)))
  func `a document of more than 150,000 schemas is refused at the one that is too many`() throws {
    let source = "{\"allOf\":[\(Array(repeating: "{}", count: 150_000).joined(separator: ","))]}"
    let error = #expect(throws: SchemaError.self) {
      try SchemaSet(schemas: [("https://example.com/schema", Array(source.utf8))])
    }
    #expect(error?.reason == .tooMany(limit: 150_000))
    #expect(error?.location == "/allOf/149999")
  }
}
