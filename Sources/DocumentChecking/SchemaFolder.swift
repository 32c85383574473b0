import Files
import JSONText

/// A folder whose files stand for the addresses below a base, so that references resolve without a
/// network.
///
/// With `https://example.com/schemas/` and `/srv/schemas`, a reference to
/// `https://example.com/schemas/a/hero.json` means `/srv/schemas/a/hero.json`. Files named `….json`
/// and those without an extension count.
package struct SchemaFolder: Hashable, Sendable {
  package let base: String
  package let path: String

  /// How many files a folder may hold, and how large and deep each may be.
  private static let mostFiles = 10_000
  private static let largestFile = 16 << 20
  private static let greatestDepth = 32

  package init(base: String, path: String) {
    self.base = base.hasSuffix("/") ? base : base + "/"
    self.path = path
  }

  /// Takes `BASE=FOLDER`, or gives `nil` for a text that is not of this form.
  package init?(parsing text: String) {
    // An address may have an equals sign in its query; a folder's name hardly ever does.
    guard let sign = text.lastIndex(of: "=") else { return nil }
    let (base, path) = (text[..<sign], text[text.index(after: sign)...])
    guard base.contains(":"), !path.isEmpty else { return nil }
    self.init(base: String(base), path: String(path))
  }

  /// Every schema of the folder, under its address; metaschemas come first, because a dialect has to
  /// be known before a schema names it.
  func schemas() throws(DocumentError) -> [(address: String, bytes: [UInt8])] {
    var found: [(address: String, bytes: [UInt8])] = []
    var waiting = [(name: "", depth: 0)]
    while let folder = waiting.popLast() {
      let names = try filing { () throws(FileError) in
        try Folder.names(in: folder.name.isEmpty ? path : "\(path)/\(folder.name)")
      }
      for name in names.sorted() where !name.hasPrefix(".") {
        let inner = folder.name.isEmpty ? name : "\(folder.name)/\(name)"
        if Folder.exists("\(path)/\(inner)") {
          guard folder.depth < Self.greatestDepth else { throw .tooManySchemas(path) }
          waiting.append((inner, folder.depth + 1))
        } else if name.hasSuffix(".json") || !name.contains(".") {
          let bytes = try filing { () throws(FileError) in
            try InputFile.contents(of: "\(path)/\(inner)", limit: Self.largestFile)
          }
          found.append((base + inner, bytes))
          guard found.count <= Self.mostFiles else { throw .tooManySchemas(path) }
        }
      }
    }
    let isMetaschema = { (bytes: [UInt8]) in
      String(decoding: bytes, as: UTF8.self).contains("\"$vocabulary\"")
    }
    return found.filter { isMetaschema($0.bytes) } + found.filter { !isMetaschema($0.bytes) }
  }
}

/// Runs `body` and wraps what the system refused.
func filing<Value: ~Copyable>(
  _ body: () throws(FileError) -> Value
) throws(DocumentError) -> Value {
  do throws(FileError) { return try body() } catch { throw .file(error) }
}
