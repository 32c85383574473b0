import JSONText
package import Records
import SchemaValidation
import Schemas

/// Why declared upgrades cannot be used.
package struct UpgradesError: Error, Hashable, Sendable, CustomStringConvertible {
  package let path: String
  /// One fault a line, with its JSON Pointer.
  package let faults: [String]

  package init(path: String, faults: [String]) {
    self.path = path
    self.faults = faults
  }

  package var description: String {
    "\(path) declares no upgrades that can be used: \(faults.joined(separator: "; "))"
  }
}

/// What is declared about the older versions of an app's records: the file `APP.upgrades.json`.
package struct AppUpgrades: Hashable, Sendable {
  package let app: String
  package let exports: [OlderExport]
  package let upgrades: [RecordUpgrade]
  /// All that is declared, as canonical JSON: other bytes are other rules.
  package let canonicalBytes: [UInt8]

  private static let schemaName = "ferry.upgrades.v1.schema.json"

  /// Reads a file, which has to obey its published schema.
  package init(bytes: [UInt8], path: String) throws(UpgradesError) {
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue(parsing: bytes)
    } catch {
      throw UpgradesError(path: path, faults: ["it is not JSON: \(error)"])
    }
    let faults = Self.faults(of: json)
    guard faults.isEmpty else { throw UpgradesError(path: path, faults: faults) }
    app = json["app"]?.text ?? ""
    exports = (json["exports"]?.array ?? []).compactMap(OlderExport.init)
    upgrades = (json["upgrades"]?.array ?? []).compactMap(RecordUpgrade.init)
    canonicalBytes = json.canonicalBytes
    try checkEnds(path)
  }

  /// The upgrades that are built into the program for an app, or `nil`.
  package static func published(for app: String) throws(UpgradesError) -> AppUpgrades? {
    let name = "\(app).upgrades.json"
    guard let file = PublishedUpgrades.all.first(where: { $0.name == name }) else { return nil }
    return try AppUpgrades(bytes: file.bytes, path: name)
  }

  /// Every upgrade that is built into the program.
  package static func allPublished() throws(UpgradesError) -> [AppUpgrades] {
    var all: [AppUpgrades] = []
    for file in PublishedUpgrades.all {
      all.append(try AppUpgrades(bytes: file.bytes, path: file.name))
    }
    return all
  }

  /// The upgrades that lead from a schema to the newest, in order.
  package func way(of entity: EntityName, from schema: String) -> [RecordUpgrade] {
    var way: [RecordUpgrade] = []
    var place = schema
    while let next = upgrades.first(where: { $0.entity == entity && $0.from == place }) {
      way.append(next)
      place = next.to
    }
    return way
  }

  /// No schema may lead to two others, nor any way in a circle.
  private func checkEnds(_ path: String) throws(UpgradesError) {
    var faults: [String] = []
    for (index, upgrade) in upgrades.enumerated() {
      let same = upgrades[..<index].contains {
        $0.entity == upgrade.entity && $0.from == upgrade.from
      }
      if same { faults.append("/upgrades/\(index): \(upgrade.from) has an upgrade already") }
      var place: RecordUpgrade? = upgrade
      for _ in 0...upgrades.count {
        place = place.flatMap { here in
          upgrades.first { $0.entity == here.entity && $0.from == here.to }
        }
      }
      if place != nil { faults.append("/upgrades/\(index): the way leads in a circle") }
    }
    guard faults.isEmpty else { throw UpgradesError(path: path, faults: faults) }
  }

  private static func faults(of json: JSONValue) -> [String] {
    guard let bytes = PublishedSchemas.bytes(named: schemaName) else {
      preconditionFailure("\(schemaName) is built into the program")
    }
    do {
      let schema = try SchemaSet(schemas: [(schemaName, bytes)]).schema(at: schemaName)
      let document = JSONDocument()
      try document.parse(copying: json.canonicalBytes)
      return schema.faults(document, document.root).map { fault in
        "\(fault.instanceLocation): expected \(fault.expected) and found \(fault.found)"
      }
    } catch {
      preconditionFailure("\(schemaName) is a schema: \(error)")
    }
  }
}

// What follows takes apart what obeys the schema, so that nothing is left to refuse.

extension OlderExport {
  fileprivate init?(_ json: JSONValue) {
    guard let marks = json["when"]?.object else { return nil }
    title = json["title"]?.text ?? ""
    self.marks = marks
    entities = (json["entities"]?.array ?? []).compactMap(Part.init)
    leftOut = (json["leftOut"]?.object?.members ?? []).map {
      Note(member: $0.name, note: $0.value.text ?? "")
    }
  }
}

extension OlderExport.Part {
  fileprivate init?(_ json: JSONValue) {
    guard let entity = json["entity"]?.text.flatMap({ EntityName($0) }),
      let path = json["records"]?.text.flatMap({ JSONPointer($0) }),
      let schema = json["schema"]?.text, let key = json["key"]?.text
    else { return nil }
    self.entity = entity
    self.path = path.tokens
    self.schema = schema
    self.key = key
    references = DeclaredReference.list(json["references"]) ?? []
    parent = json["parent"].flatMap { parent in
      guard let member = parent["member"]?.text, let key = parent["key"]?.text else { return nil }
      return (member, key)
    }
  }
}

extension DeclaredReference {
  fileprivate static func list(_ json: JSONValue?) -> [DeclaredReference]? {
    json?.array?.compactMap { reference in
      guard let member = reference["member"]?.text,
        let entity = reference["entity"]?.text.flatMap({ EntityName($0) })
      else { return nil }
      return DeclaredReference(
        member: member,
        entity: entity,
        isToMany: reference["many"]?.boolean == true
      )
    }
  }
}

extension RecordUpgrade {
  fileprivate init?(_ json: JSONValue) {
    guard let entity = json["entity"]?.text.flatMap({ EntityName($0) }),
      let from = json["from"]?.text, let to = json["to"]?.text
    else { return nil }
    self.entity = entity
    self.from = from
    self.to = to
    key = json["key"]?.text
    references = DeclaredReference.list(json["references"])
    steps = (json["steps"]?.array ?? []).compactMap(UpgradeStep.init)
  }
}

extension UpgradeStep {
  fileprivate init?(_ json: JSONValue) {
    guard let member = json["member"]?.text else { return nil }
    switch json["do"]?.text {
    case "rename": self = .rename(member: member, to: json["to"]?.text ?? "")
    case "default": self = .default(member: member, value: json["value"] ?? .null)
    case "split":
      let names = json["into"]?.array?.compactMap(\.text) ?? []
      self = .split(member: member, into: names, separator: json["separator"]?.text)
    case "map":
      let values = json["values"]?.object ?? JSONObject()
      self = .map(member: member, values: values, otherwise: json["otherwise"])
    case "wrap":
      let more = json["with"]?.object ?? JSONObject()
      self = .wrap(member: member, name: json["as"]?.text ?? "", with: more)
    case "drop": self = .drop(member: member, note: json["note"]?.text ?? "")
    default: return nil
    }
  }
}
