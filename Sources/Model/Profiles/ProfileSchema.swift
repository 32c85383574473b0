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
        line: root.line(of: fault.instanceLocation),
        pointer: fault.instanceLocation,
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
  /// The line of the nearest setting on the way to a JSON Pointer.
  func line(of pointer: String) -> Int {
    var node = self
    for token in JSONPointer(pointer)?.tokens ?? [] {
      switch node.value {
      case .section(let members):
        guard let next = members.first(where: { $0.name == token }) else { return node.line }
        node = next.value
      case .list(let elements):
        guard let index = JSONPointer.index(token), elements.indices.contains(index) else {
          return node.line
        }
        node = elements[index]
      case .scalar: return node.line
      }
    }
    return node.line
  }
}
