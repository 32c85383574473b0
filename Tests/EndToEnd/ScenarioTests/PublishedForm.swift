import JSONText
import SchemaValidation
import Schemas
import Testing

/// Holds what the program wrote against the schemas that it publishes.
enum PublishedForm {
  /// The types of results that `ferry.report` describes.
  static let reports: Set<String> = [
    "export", "validation", "plan", "upload", "rollback", "verification", "replay", "quarantine",
    "operation", "comparison",
  ]

  /// What is wrong with `value` under the published schema of this name.
  static func faults(of value: JSONValue, under name: String) throws -> [String] {
    let bytes = try #require(PublishedSchemas.bytes(named: name))
    let schema = try SchemaSet(schemas: [(name, bytes)]).schema(at: name)
    let document = JSONDocument()
    try document.parse(copying: value.canonicalBytes)
    return schema.faults(document, document.root).map(\.description)
  }
}
