import JSONText
import Schemas
import SchemaValidation

/// The published schema of profiles, which editors know too.
///
/// The readers name faults in the profile's own words; the schema is the last word on its form.
enum ProfileSchema {
  private static let name = "ferry.profile.v1.schema.json"

  /// Reports every way in which the profile does not obey the schema.
  static func check(_ root: SettingNode, log: FaultLog) {
    for fault in faults(of: root.json) {
      log.add(
        at: root.nearest(to: fault.instanceLocation),
        "expected \(fault.expected) and found \(fault.found)",
        cure: fault.cure
      )
    }
  }

  private static func faults(of json: JSONValue) -> [SchemaFault] {
    guard let bytes = PublishedSchemas.bytes(named: name) else {
      preconditionFailure("\(name) is built into the program")
    }
    do {
      let set = try SchemaSet(schemas: [(address: name, bytes: bytes)])
      let document = JSONDocument()
      try document.parse(copying: json.canonicalBytes)
      return try set.schema(at: name).faults(document, document.root)
    } catch {
      preconditionFailure("\(name) is a schema: \(error)")
    }
  }
}

extension SettingNode {
  /// The nearest setting on the way to a JSON Pointer, under the whole of that pointer.
  func nearest(to pointer: String) -> SettingNode {
    var node = self
    for token in JSONPointer(pointer)?.tokens ?? [] {
      guard let next = node.child(token) else { break }
      node = next
    }
    return SettingNode(value: node.value, file: node.file, line: node.line, pointer: pointer)
  }

  private func child(_ token: String) -> SettingNode? {
    switch value {
    case .section: return self[token]
    case .list(let elements):
      guard let index = JSONPointer.index(token), elements.indices.contains(index) else {
        return nil
      }
      return elements[index]
    case .scalar: return nil
    }
  }
}
