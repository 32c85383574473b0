import JSONText
import TextCodecs

/// A schema in its place.
struct SchemaNode: Hashable {
  let value: JSONValue
  /// The number of the file.
  let file: Int
  let pointer: [String]

  func inner(_ tokens: [String], _ value: JSONValue) -> SchemaNode {
    SchemaNode(value: value, file: file, pointer: pointer + tokens)
  }

  var place: Place { Place(file: file, pointer: pointer) }

  struct Place: Hashable {
    let file: Int
    let pointer: [String]
  }
}

/// The schemas of one side, by every address that a reference may use.
struct SchemaLibrary {
  let schemas: [(name: String, value: JSONValue)]
  private var resources: [String: SchemaNode] = [:]
  private var anchors: [String: SchemaNode] = [:]

  init(_ content: SchemaFolderContent) {
    schemas = content.schemas
    for (file, schema) in schemas.enumerated() {
      let root = SchemaNode(value: schema.value, file: file, pointer: [])
      resources[schema.name] = root
      walk(root, resource: "\(file)")
    }
  }

  /// Whether both hold the same schemas in the same order, by whatever names.
  func isSame(as other: SchemaLibrary) -> Bool {
    schemas.map(\.value) == other.schemas.map(\.value)
  }

  func root(_ file: Int) -> SchemaNode {
    SchemaNode(value: schemas[file].value, file: file, pointer: [])
  }

  private mutating func walk(_ node: SchemaNode, resource: String) {
    switch node.value {
    case .object(let object):
      if let id = object["$id"]?.text, !id.hasPrefix("#") {
        let address = Self.withoutFragment(id)
        if resources[address] == nil { resources[address] = node }
      }
      for keyword in ["$anchor", "$dynamicAnchor"] {
        if let anchor = object[keyword]?.text { anchors["\(resource)#\(anchor)"] = node }
      }
      for member in object.members where !["const", "enum", "default"].contains(member.name) {
        walk(node.inner([member.name], member.value), resource: resource)
      }
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        walk(node.inner([String(index)], element), resource: resource)
      }
    case .null, .boolean, .number, .string: break
    }
  }

  /// What a reference that is in `node` leads to, or `nil`.
  func target(of reference: String, in node: SchemaNode) -> SchemaNode? {
    let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let address = String(parts[0])
    guard let resource = address.isEmpty ? root(node.file) : resource(address) else { return nil }
    guard parts.count > 1, !parts[1].isEmpty else { return resource }
    guard let fragment = PercentCoding.strictlyDecoded(parts[1]) else { return nil }
    guard fragment.hasPrefix("/") else { return anchors["\(resource.file)#\(fragment)"] }
    guard let pointer = JSONPointer(fragment), let value = resource.value.value(at: pointer) else {
      return nil
    }
    return resource.inner(pointer.tokens, value)
  }

  /// A schema by its whole address, else by the last part of it, as files name each other.
  private func resource(_ address: String) -> SchemaNode? {
    if let found = resources[address] { return found }
    guard let last = address.split(separator: "/").last.map(String.init) else { return nil }
    let matching = resources.filter { $0.key == last || $0.key.hasSuffix("/" + last) }
    return Set(matching.values).count == 1 ? matching.values.first : nil
  }

  private static func withoutFragment(_ address: String) -> String {
    String(address.prefix { $0 != "#" })
  }
}
