import JSONText
import ProfileSettings
import Schemas
import SchemaValidation

/// The published schema of profiles, which editors know too.
///
/// The readers name faults in the profile's own words; the schema is the last word on its form.
package enum ProfileSchema {
  /// The name of its file.
  package static let name = "ferry.profile.v1.schema.json"

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
