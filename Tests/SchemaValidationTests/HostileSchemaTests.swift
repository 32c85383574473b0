import SchemaValidation
import Testing

/// Schemas that attack whoever compiles them.
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
}
