import JSONText

/// One field of a record: its type and its value.
struct CloudField: Sendable {
  let type: String
  /// `null` takes the field away.
  let value: JSONValue

  static let scalarTypes: Set<String> = [
    "STRING", "INT64", "DOUBLE", "BYTES", "TIMESTAMP", "LOCATION", "REFERENCE", "ASSETID",
  ]

  /// Reads `{"value": …, "type": …}`; a type that is not said follows from the value.
  init(_ json: JSONValue, named name: String) throws(CloudRefusal) {
    guard json.object != nil, let value = json["value"] else {
      throw .badRequest("field '\(name)': value is required")
    }
    self.value = value
    guard let type = json["type"]?.text ?? Self.type(of: value) else {
      throw .badRequest("field '\(name)': a type is required")
    }
    self.type = type
    guard value.isNull || Self.fits(value, type) else {
      throw .badRequest("Invalid value, expected type \(type) in field '\(name)'")
    }
  }

  /// The field as an answer has it.
  func shown(numbersAsStrings: Bool) -> JSONValue {
    if type == "ASSETID", let checksum = value["fileChecksum"], let size = value["size"] {
      return ["value": ["fileChecksum": checksum, "size": size], "type": .string(type)]
    }
    guard numbersAsStrings, case .number(let number) = value, type == "INT64" || type == "DOUBLE"
    else { return ["value": value, "type": .string(type)] }
    return ["value": .string(number.literal), "type": .string(type)]
  }

  private static func type(of value: JSONValue) -> String? {
    switch value {
    case .string: "STRING"
    case .number(let number): number.int64 == nil ? "DOUBLE" : "INT64"
    case .array(let elements): elements.first.flatMap { type(of: $0) }.map { "\($0)_LIST" }
    case .object(let object):
      object["recordName"] != nil
        ? "REFERENCE" : object["fileChecksum"] != nil ? "ASSETID" : "LOCATION"
    case .null: "STRING"
    case .boolean: nil
    }
  }

  private static func fits(_ value: JSONValue, _ type: String) -> Bool {
    if type.hasSuffix("_LIST") {
      let element = String(type.dropLast("_LIST".count))
      guard let elements = value.array else { return false }
      return scalarTypes.contains(element) && elements.allSatisfy { fits($0, element) }
    }
    return switch type {
    case "STRING", "BYTES": value.text != nil
    case "INT64": value.integer != nil
    case "DOUBLE": value.double != nil
    case "TIMESTAMP": value.double != nil
    case "LOCATION": value["latitude"]?.double != nil && value["longitude"]?.double != nil
    case "REFERENCE": value["recordName"]?.text != nil
    case "ASSETID": value["fileChecksum"]?.text != nil && value["receipt"]?.text != nil
    default: false
    }
  }

  /// The records that the field names.
  var references: [String] {
    switch type {
    case "REFERENCE": [value["recordName"]?.text].compactMap(\.self)
    case "REFERENCE_LIST": (value.array ?? []).compactMap { $0["recordName"]?.text }
    default: []
    }
  }
}
