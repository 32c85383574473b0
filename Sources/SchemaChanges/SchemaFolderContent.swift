package import JSONText

/// The schemas of one side of a comparison, by the names of their files.
package struct SchemaFolderContent: Sendable {
  package let schemas: [(name: String, value: JSONValue)]

  package init(_ schemas: [(name: String, value: JSONValue)]) {
    self.schemas = schemas
  }
}

/// The name of a schema's file, taken apart: `app.Hero.v2.schema.json` is version 2 of `app.Hero`.
package struct SchemaName: Hashable, Sendable {
  /// The name without version and extension.
  package let stem: String
  /// The version; `nil` where the name has none.
  package let version: Int?

  package init(_ file: String) {
    var parts = file.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    for ending in ["json", "schema"] where parts.count > 1 && parts.last == ending {
      parts.removeLast()
    }
    if parts.count > 1, let last = parts.last, last.hasPrefix("v"), last.utf8.count <= 7,
      let number = Int(last.dropFirst()), number >= 0
    {
      parts.removeLast()
      version = number
    } else {
      version = nil
    }
    stem = parts.joined(separator: ".")
  }
}
