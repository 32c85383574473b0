package import JSONText
import Profiles
import RecordMapping
package import Records
import RequestBodies

// The way back: what the destination has, as values of the store's attributes.

/// What an app writes into the attributes of a row to have the destination's content.
///
/// Values have the form in which a record of a package has them, see `RecordMapping`.
package struct StoreValues: Hashable, Sendable {
  /// The values by the path of the attribute (`place.town`), or by the name of the relationship.
  ///
  /// A relationship has the key of the record that it leads to.
  package var attributes = JSONObject()
  /// The fields of the request that have no attribute of their own or no exact way back, by name.
  package var unmapped: [String] = []

  package init() {}
}

extension EntityMapping {
  /// The values of the store's attributes that mean some fields of the destination.
  ///
  /// A field has a way back if its rule gives different values for different values of the attribute. What is
  /// found is sent through the rule once more, and has to come out the same.
  ///
  /// - Parameters:
  ///   - fields: Fields of the request with the destination's values.
  ///   - naming: The key of the record that an identity of the destination means, `nil` where no one knows.
  /// - Returns: The values, and the fields that have no way back.
  /// - Throws: What `naming` throws.
  package func storeValues<Failure: Error>(
    of fields: JSONObject,
    naming: (EntityName, _ serverID: String) throws(Failure) -> String?
  ) throws(Failure) -> StoreValues {
    var values = StoreValues()
    guard view == nil else { return values }
    for rule in program.api.body {
      guard let value = fields[rule.name], !program.isOwn(rule, value) else { continue }
      if let found = try program.storeValue(of: value, rule, naming: naming) {
        values.attributes[found.attribute] = found.value
      } else {
        values.unmapped.append(rule.name)
      }
    }
    return values
  }
}

extension RequestProgram {
  /// Whether a field is not of the content of the app: the key of the record, or a constant of the profile.
  fileprivate func isOwn(_ rule: RequestFieldRule, _ value: JSONValue) -> Bool {
    switch rule.source {
    case .constant(let constant): return api.agree(constant, value, of: rule.name)
    case .field(let field):
      guard let attribute = profile.attribute(of: field.member) else { return false }
      return profile.identity == .attribute(attribute)
    case .list, .reference, .media, .file, .record: return false
    }
  }

  /// The attribute and its value that a rule makes this value of; `nil` where it has no way back.
  fileprivate func storeValue<Failure: Error>(
    of value: JSONValue,
    _ rule: RequestFieldRule,
    naming: (EntityName, String) throws(Failure) -> String?
  ) throws(Failure) -> (attribute: String, value: JSONValue)? {
    // An answer may show a whole record where requests have its identity.
    let isIdentified = api.compare[rule.name]?.rules.contains(.identity) == true
    let value = isIdentified ? value["id"] ?? value : value
    let plain = rule.writing.read(value)
    switch rule.source {
    case .field(let field):
      guard let found = plain.flatMap({ field.inverse(of: $0) }) else { return nil }
      return attribute(field.member, found, sentAs: value, rule)
    case .list(let list):
      guard let found = plain.flatMap({ list.inverse(of: $0) }) else { return nil }
      return attribute(list.members[0], found, sentAs: value, rule)
    case .reference(let member):
      guard let attribute = profile.attribute(of: MemberPath(names: [member])) else { return nil }
      guard let reference = memberReferences[member] else { return nil }
      return try keys(of: value, in: reference, naming).map { (attribute, $0) }
    case .media, .file, .record, .constant: return nil
    }
  }

  /// The attribute of a member with its value, where the rule makes of that what the destination has.
  private func attribute(
    _ member: MemberPath,
    _ value: JSONValue,
    sentAs sent: JSONValue,
    _ rule: RequestFieldRule
  ) -> (attribute: String, value: JSONValue)? {
    guard let attribute = profile.attribute(of: member) else { return nil }
    let document = JSONDocument()
    let record = JSONValue.object(member.object(holding: value))
    do {
      try document.parse(copying: record.canonicalBytes)
      let again = try self.value(rule, .whole, document.root, document, .planning) ?? .null
      return api.agree(again, sent, of: rule.name) ? (attribute, value) : nil
    } catch {
      // The rule refuses the value: the app could not send it again.
      return nil
    }
  }

  /// The keys of the records that identities of the destination mean; `nil` where one is not known.
  private func keys<Failure: Error>(
    of value: JSONValue,
    in reference: RecordReference,
    _ naming: (EntityName, String) throws(Failure) -> String?
  ) throws(Failure) -> JSONValue? {
    if value.isNull { return reference.isToMany ? .array([]) : .null }
    func key(_ element: JSONValue) throws(Failure) -> JSONValue? {
      let plain = element["id"] ?? element
      guard let serverID = plain.text ?? plain.integer.map(String.init) else { return nil }
      for target in reference.targets {
        if let key = try naming(target, serverID) { return .string(key) }
      }
      return nil
    }
    guard let elements = value.array else { return try key(value) }
    var keys: [JSONValue] = []
    for element in elements {
      guard let key = try key(element) else { return nil }
      keys.append(key)
    }
    return .array(keys)
  }
}

extension RequestFieldRule.FieldRule {
  /// The value of the member of which the rule makes `value`; `nil` where several may be it.
  fileprivate func inverse(of value: JSONValue) -> JSONValue? {
    if value.isNull { return fallback == nil ? .null : nil }
    guard scale.isEmpty else { return nil }
    return RequestFieldRule.inverse(of: value, map, spellings, letters)
  }
}

extension RequestFieldRule.ListRule {
  /// The same for a list that one member makes: what of several members a value came from is not known.
  fileprivate func inverse(of value: JSONValue) -> JSONValue? {
    guard members.count == 1 else { return nil }
    if value.isNull { return .array([]) }
    guard let elements = value.array else { return nil }
    var found: [JSONValue] = []
    for element in elements {
      guard let one = RequestFieldRule.inverse(of: element, map, spellings, letters) else {
        return nil
      }
      found.append(one)
    }
    return .array(found)
  }
}

extension RequestFieldRule {
  fileprivate static func inverse(
    of value: JSONValue,
    _ map: [String: JSONValue],
    _ spellings: [String: String],
    _ letters: LetterCase
  ) -> JSONValue? {
    let keys = map.filter { $0.value == value }.map(\.key)
    if keys.count > 1 { return nil }
    if let key = keys.first { return plain(spellings[key] ?? key) }
    guard letters == .kept || value.text.map(hasCase) != true else { return nil }
    return value
  }

  /// Whether a text has letters that are written in upper and in lower case.
  private static func hasCase(_ text: String) -> Bool { text.lowercased() != text.uppercased() }

  /// The value that a key of a map means: true, false, a whole number, else a text.
  private static func plain(_ key: String) -> JSONValue {
    switch key {
    case "true": .boolean(true)
    case "false": .boolean(false)
    default: Int64(key).map { .number(JSONNumber($0)) } ?? .string(key)
    }
  }
}

extension MemberPath {
  /// An object in which the path leads to a value.
  fileprivate func object(holding value: JSONValue) -> JSONObject {
    var value = value
    for name in names.reversed() {
      var object = JSONObject()
      object[name] = value
      value = .object(object)
    }
    return value.object ?? JSONObject()
  }
}
