import JSONText

/// What a schema says about the values at one place, as far as a placeholder has to know it.
///
/// Every subschema that may hold there counts, whichever of several alternatives it belongs to.
struct SchemaHints {
  private let root: JSONValue
  private let schemas: [JSONValue]
  /// The names of members that were found in rows and that no one declared.
  private let seenNames: Set<String>

  private static let mostSchemas = 64

  /// The hints at the top of a document.
  init(_ root: JSONValue) {
    self.init(root, of: [root])
  }

  private init(_ root: JSONValue, of start: [JSONValue]) {
    self.root = root
    var schemas: [JSONValue] = []
    var rest = start
    while let schema = rest.popLast(), schemas.count < Self.mostSchemas {
      schemas.append(schema)
      if let address = schema["$ref"]?.text, address.hasPrefix("#"),
        let target = root.value(at: String(address.dropFirst()))
      {
        rest.append(target)
      }
      for word in ["allOf", "anyOf", "oneOf"] { rest += schema[word]?.array ?? [] }
      for word in ["if", "then", "else"] { if let part = schema[word] { rest.append(part) } }
    }
    self.schemas = schemas
    seenNames = schemas.reduce(into: []) { $0.formUnion($1.seenNames) }
  }

  /// The hints of a member, and whether a schema names it that is more than what a draft found.
  func member(_ name: String) -> (hints: SchemaHints, isNamed: Bool) {
    let named = schemas.compactMap { $0["properties"]?[name] }
    let others = schemas.compactMap { $0["additionalProperties"] }
    let isNamed = !named.isEmpty && !seenNames.contains(name)
    return (SchemaHints(root, of: named.isEmpty ? others : named), isNamed)
  }

  /// The hints of an array's elements.
  var elements: SchemaHints {
    SchemaHints(
      root,
      of: schemas.compactMap { $0["items"] }.flatMap { $0.array ?? [$0] }
        + schemas.flatMap { $0["prefixItems"]?.array ?? [] }
    )
  }

  /// The texts that are allowed here, where they are listed.
  var choices: [String] {
    schemas.flatMap { ($0["enum"]?.array ?? []) + ($0["const"].map { [$0] } ?? []) }
      .compactMap(\.text)
  }

  var formats: [String] { schemas.compactMap { $0["format"]?.text } }
  var patterns: [String] { schemas.compactMap { $0["pattern"]?.text } }
  /// The fewest and the most characters of a text.
  var shortest: Int? {
    schemas.compactMap { $0["minLength"]?.integer }.max().map { Int(clamping: $0) }
  }
  var longest: Int? {
    schemas.compactMap { $0["maxLength"]?.integer }.min().map { Int(clamping: $0) }
  }
}
