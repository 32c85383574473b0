import DocumentChecking
import Files
import Foundation
import TestSupport
import Testing

/// Arrays that are large enough to be looked at one element at a time where the schema allows it.
struct LargeArrayTests {
  private static let count = 300_000

  /// The codes and places of what is found in an array of numbers from 1,000,000 on, with `element` in
  /// place of the last one.
  private func findings(_ schema: String, last element: String) async throws -> [String] {
    let numbers = (0..<Self.count - 1).map { "\(1_000_000 + $0)" }
    let text = "[" + (numbers + [element]).joined(separator: ",") + "]"
    #expect(text.utf8.count > 2 << 20)
    return try await findings(schema, in: text)
  }

  private func findings(_ schema: String, in text: String) async throws -> [String] {
    var found: [String] = []
    try await withTemporaryFolder { folder in
      try Data(schema.utf8).write(to: URL(filePath: "\(folder)/schema.json"))
      try Data(text.utf8).write(to: URL(filePath: "\(folder)/data"))
      let check = try DocumentCheck(schemaPath: "\(folder)/schema.json")
      _ = try await check.run(InputFile("\(folder)/data"), layout: .whole) { stretches in
        for case .document(let verdict) in stretches {
          found += verdict.findings.map { "\($0.code) \($0.pointer)" }
        }
      }
    }
    return found
  }

  @Test(arguments: [
    "{}", "true", #"{"type":"array"}"#, #"{"items":{"type":"integer"}}"#,
    ##"{"$ref":"#/$defs/a","$defs":{"a":{"items":{"$ref":"#/$defs/b"}},"b":{"minimum":7}}}"##,
    #"{"required":["a"],"minLength":9,"minItems":300000,"uniqueItems":true}"#,
  ])
  func `a large array without faults has no finding`(schema: String) async throws {
    #expect(try await findings(schema, last: "8") == [])
  }

  @Test(arguments: [
    (#"{"items":{"type":"integer"}}"#, "\"a\""),
    (##"{"$ref":"#/$defs/a","$defs":{"a":{"items":{"maximum":9000000}}}}"##, "9000001"),
    (#"{"uniqueItems":true}"#, "1000000"),
    (#"{"contains":{"const":7}}"#, "8"),
    (#"{"minItems":300001}"#, "8"),
    (#"{"maxItems":299999}"#, "8"),
    (#"{"prefixItems":[{"const":7}]}"#, "8"),
    (#"{"prefixItems":[{}],"unevaluatedItems":{"type":"integer"}}"#, "\"a\""),
    (#"{"unevaluatedItems":{"type":"integer"}}"#, "\"a\""),
    (#"{"anyOf":[{"items":{"type":"integer"}},{"type":"object"}]}"#, "\"a\""),
    (#"{"not":{}}"#, "8"),
    (#"{"if":{},"then":{"items":{"type":"integer"}}}"#, "\"a\""),
    (#"{"type":"object"}"#, "8"),
    (#"{"const":[1]}"#, "8"),
    ("false", "8"),
  ])
  func `a fault in an array is found under every kind of schema`(
    schema: String,
    last: String
  ) async throws {
    #expect(try await !findings(schema, last: last).isEmpty)
  }

  @Test func `the element at fault is named`() async throws {
    let found = try await findings(#"{"items":{"type":"integer"}}"#, last: "\"a\"")
    #expect(found == ["schema.type /\(Self.count - 1)"])
  }

  @Test func `invalid JSON is found after elements without fault`() async throws {
    let found = try await findings(#"{"items":{"type":"integer"}}"#, last: "1,")
    #expect(found.map { $0.prefix(14) } == ["json.malformed"])
  }
}
