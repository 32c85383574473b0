package import JSONText

/// What many JSON documents have in common, and the schema that all of them obey.
package struct DocumentSketch: Sendable {
  package private(set) var root = ValueSketch()
  package private(set) var documentCount = 0
  /// How many more places are distinguished.
  private var target = 20_000

  package init() {}

  /// Takes one more document in.
  package mutating func add(_ document: JSONDocument) {
    documentCount += 1
    root.add(document.root, of: document, depth: 0, target: &target)
  }

  /// Takes in a document that is an array; its elements follow.
  package mutating func beginArray() {
    documentCount += 1
    root.beginArray()
  }

  /// Takes in the next element of the array.
  package mutating func addElement(_ document: JSONDocument) {
    root.addElement(document.root, of: document, depth: 0, target: &target)
  }

  /// The schema as a document of its own.
  package func schema(title: String?, _ options: SchemaDraftOptions) -> JSONValue {
    var object: JSONObject = ["$schema": "https://json-schema.org/draft/2020-12/schema"]
    if let title { object["title"] = .string(title) }
    guard let inner = root.schema(options).object else { return .object(object) }
    for member in inner.members { object[member.name] = member.value }
    return .object(object)
  }
}
