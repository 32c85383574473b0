import JSONText

/// One operation of `records/modify`.
struct CloudModification: Sendable {
  let kind: Kind
  let name: String
  let type: String?
  let tag: String?
  let fields: [(name: String, field: CloudField)]

  enum Kind: String, Sendable {
    case create, update, forceUpdate, replace, forceReplace, delete, forceDelete

    var removes: Bool { self == .delete || self == .forceDelete }
    var needsTag: Bool { self == .update || self == .replace }
    /// Whether fields that are not named go away.
    var isWhole: Bool { self == .create || self == .replace || self == .forceReplace }
    /// Whether a record that is not there is made.
    var makes: Bool { self == .create || self == .forceUpdate || self == .forceReplace }
  }

  /// A record's fields together may not be larger, assets apart.
  static let largestRecord = 1 << 20

  /// The name an operation is about, even where it cannot be read otherwise.
  static func name(of json: JSONValue) -> String? { json["record"]?["recordName"]?.text }

  init(_ json: JSONValue) throws(CloudRefusal) {
    guard let kind = json["operationType"]?.text.flatMap(Kind.init(rawValue:)) else {
      throw .badRequest("operationType is not known")
    }
    guard let record = json["record"], record.object != nil else {
      throw .badRequest("record is required")
    }
    self.kind = kind
    type = record["recordType"]?.text
    tag = record["recordChangeTag"]?.text
    let name = record["recordName"]?.text
    guard let name = name ?? (kind == .create ? Identifiers.token() : nil) else {
      throw .badRequest("recordName is required")
    }
    guard name.utf8.count <= 255, name.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }),
      !name.hasPrefix("_"), !name.isEmpty
    else { throw .badRequest("recordName is not valid") }
    self.name = name
    var fields: [(name: String, field: CloudField)] = []
    for member in record["fields"]?.object?.members ?? [] {
      fields.append((member.name, try CloudField(member.value, named: member.name)))
    }
    self.fields = fields
    guard kind.removes || type != nil else { throw .badRequest("recordType is required") }
    let size = record["fields"]?.canonicalBytes.count ?? 0
    guard size <= Self.largestRecord else {
      throw .badRequest("record is larger than \(Self.largestRecord) bytes")
    }
  }

  /// The fields that are there afterwards.
  func merged(into before: JSONObject?) -> JSONObject {
    var after = kind.isWhole ? JSONObject() : before ?? JSONObject()
    for (name, field) in fields {
      after[name] =
        field.value.isNull
        ? nil as JSONValue? : ["value": field.value, "type": .string(field.type)]
    }
    return after
  }
}
