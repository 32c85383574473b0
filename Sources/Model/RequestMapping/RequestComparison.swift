package import JSONText
package import Profiles
package import Records
import RequestBodies
import TextCodecs

extension RequestProgram {
  /// The names of the members in which the destination's record differs from ours.
  ///
  /// A member that is absent counts as `null`, inside of objects too.
  package func difference(
    of members: [RequestField],
    from remote: JSONNode,
    in document: JSONDocument
  ) -> [String] {
    members.compactMap { member in
      let rule = api.compare[member.name]
      if rule == .ignored { return nil }
      let node = document.member(of: remote, named: member.name)
      if let node, document.isSpelled(member.value, at: node) { return nil }
      let theirs = node.map { document.value(of: $0) } ?? .null
      return Self.agree(JSONValue(checked: member.value), theirs, rule) ? nil : member.name
    }
  }

  /// Those of `members` that a patch has to bring, in the form that brings them.
  ///
  /// A patch may merge objects: <https://www.rfc-editor.org/rfc/rfc7396>. What the destination's
  /// object has and ours has not is therefore named, as `null`.
  package func patch(
    of members: [RequestField],
    over remote: JSONNode,
    in document: JSONDocument
  ) -> [RequestField] {
    let names = Set(difference(of: members, from: remote, in: document))
    return members.filter { names.contains($0.name) }.map { member in
      guard let node = document.member(of: remote, named: member.name),
        document.kind(of: node) == .object
      else { return member }
      let patch = JSONValue(checked: member.value).clearing(document.value(of: node))
      return RequestField(name: member.name, value: patch.canonicalBytes)
    }
  }

  /// Whether the destination's record holds everything we would send.
  package func isSame(
    _ members: [RequestField],
    _ remote: JSONNode,
    in document: JSONDocument
  ) -> Bool {
    difference(of: members, from: remote, in: document).isEmpty
  }

  /// What distinguishes the record from others at the account; `nil` where the profile names nothing.
  package func naturalKey(of members: [RequestField]) -> Digest? {
    guard !api.naturalKey.isEmpty else { return nil }
    return naturalKey { name in
      members.first { $0.name == name }.map { JSONValue(checked: $0.value) }
    }
  }

  /// The same of a record of the destination.
  package func naturalKey(of remote: JSONNode, in document: JSONDocument) -> Digest? {
    guard !api.naturalKey.isEmpty else { return nil }
    return naturalKey { name in
      document.member(of: remote, named: name).map { document.value(of: $0) }
    }
  }

  /// How many of some members both sides say something in, and in how many of these not the same, not even in
  /// another way to write it.
  package func disagreement(
    of members: [RequestField],
    with remote: JSONObject
  ) -> (shown: Int, differing: Int) {
    var shown = 0
    var differing = 0
    for member in members where api.compare[member.name] != .ignored {
      let ours = JSONValue(checked: member.value)
      guard let theirs = remote[member.name], !theirs.isNull, !ours.isNull else { continue }
      shown += 1
      let isSame =
        api.agree(ours, theirs, of: member.name)
        || compared(ours, of: member.name) == compared(theirs, of: member.name)
        || Self.mayBeRewritten(ours, theirs)
      if !isSame { differing += 1 }
    }
    return (shown, differing)
  }

  /// Whether a destination that trims texts, writes them in another case, or rounds moments to
  /// seconds and numbers to hundredths may have made one of the other, where `compare` does not say so.
  private static func mayBeRewritten(_ ours: JSONValue, _ theirs: JSONValue) -> Bool {
    if let left = ours.text, let right = theirs.text {
      if let left = Timestamp.microseconds(left), let right = Timestamp.microseconds(right) {
        let (gap, isTooWide) = left.subtractingReportingOverflow(right)
        return !isTooWide && gap.magnitude < 1_000_000
      }
      return trimmed(left).lowercased() == trimmed(right).lowercased()
    }
    // Whole numbers number things.
    guard ours.integer == nil, let left = ours.double, let right = theirs.double else {
      return false
    }
    return (left - right).magnitude < 0.01
  }

  private func naturalKey(_ value: (String) -> JSONValue?) -> Digest {
    var writer = JSONWriter()
    writer.beginArray()
    for name in api.naturalKey { writer.value(compared(value(name) ?? .null, of: name)) }
    writer.endArray()
    return Digest(sha256: writer.bytes)
  }

  /// What distinguishes some members of a record of the destination's from any others.
  package func contentDigest(of names: [String], in remote: JSONObject) -> Digest {
    var writer = JSONWriter()
    writer.beginObject()
    for name in names {
      writer.name(name)
      writer.value(canonical(remote[name] ?? .null, of: name).withoutNulls)
    }
    writer.endObject()
    return Digest(sha256: writer.bytes)
  }

  /// A value of a member by which a record is found; a list has it in any order and case, unless the
  /// profile says how it is compared.
  private func compared(_ value: JSONValue, of name: String) -> JSONValue {
    let isBare = api.compare[name] == nil
    return canonical(isBare ? Self.normalized(value, by: .caselessSet) : value, of: name)
  }

  /// A value of a member in one spelling: values that say the same have equal bytes.
  private func canonical(_ value: JSONValue, of name: String) -> JSONValue {
    var normal = Self.normalized(value, api.compare[name])
    if value.text != nil, let width = api.compare[name]?.momentWidth, let micros = normal.integer {
      // What is finer is not kept everywhere.
      normal = .number(JSONNumber(micros / width - (micros % width < 0 ? 1 : 0)))
    }
    return Self.spelled(normal)
  }

  /// Whether two values of a member say the same.
  ///
  /// Texts alone are moments: two numbers are as near to each other as they are equal.
  static func agree(
    _ left: JSONValue,
    _ right: JSONValue,
    _ rule: EntityApi.Comparison?
  ) -> Bool {
    if rule == .ignored { return true }
    let (ours, theirs) = (normalized(left, rule), normalized(right, rule))
    if ours.isSame(as: theirs) { return true }
    guard left.text != nil, right.text != nil else { return false }
    if rule?.rules.contains(.spelling) == true, let ours = ours.text, let theirs = theirs.text {
      return ours == theirs
    }
    guard let width = rule?.momentWidth, let ours = ours.integer, let theirs = theirs.integer
    else { return false }
    let (gap, isTooWide) = ours.subtractingReportingOverflow(theirs)
    return !isTooWide && gap.magnitude < width
  }

  /// The value in the form in which it is compared.
  private static func normalized(_ value: JSONValue, _ rule: EntityApi.Comparison?) -> JSONValue {
    guard let rules = rule?.rules, rules.count > 1 else {
      return rule?.rules.first.map { normalized(value, by: $0) } ?? value
    }
    // Beside a rule for a list, one for single values is for each element.
    let isOfElements = rules.contains(.set) || rules.contains(.caselessSet)
    return rules.reduce(value) { value, rule in
      guard isOfElements, rule.isOfOne, let elements = value.array else {
        return normalized(value, by: rule)
      }
      return .array(elements.map { normalized($0, by: rule) })
    }
  }

  private static func normalized(
    _ value: JSONValue,
    by rule: EntityApi.Comparison.Rule
  ) -> JSONValue {
    switch rule {
    case .ignored: return value
    case .blank: return Self.isBlank(value) ? .null : value
    case .present: return Self.isBlank(value) || value.isNull ? .null : .boolean(true)
    case .json: return value.text.flatMap { try? JSONValue(parsing: $0) } ?? value
    case .trimmed: return value.text.map { .string(Self.trimmed($0)) } ?? value
    case .identity:
      let plain = value["id"] ?? value
      guard let text = plain.text, text.isPlainNumber, let number = Int64(text) else {
        return plain
      }
      return .number(JSONNumber(number))
    case .address:
      guard let text = value.text, let query = text.firstIndex(of: "?") else { return value }
      return .string(String(text[..<query]))
    case .path: return value.text.map { .string(Self.path(of: $0)) } ?? value
    case .caseless: return Self.lowercased(value)
    case .spelling: return value.text.map { .string($0.identitySpelling) } ?? value
    case .uuid:
      guard let text = value.text, UUIDText.isUUID(text.utf8) else { return value }
      return Self.lowercased(value)
    case .asset:
      guard let mention = value.text.flatMap({ CloudAsset(text: $0) })?.mention else {
        return value
      }
      return .string(mention.text)
    case .instant, .second:
      guard let text = value.text, let micros = Timestamp.microseconds(text) else { return value }
      return .number(JSONNumber(micros))
    case .set, .caselessSet:
      guard let elements = value.array else { return value }
      let plain = rule == .set ? elements : elements.map(Self.lowercased)
      let sorted = Dictionary(
        plain.map { (JSONName(bytes: Self.spelled($0).canonicalBytes), $0) },
        uniquingKeysWith: { first, _ in first }
      )
      .sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
      return .array(sorted.map(\.value))
    }
  }

  /// Whether a value says no more than that it does not exist: an empty text or list, or `false`.
  private static func isBlank(_ value: JSONValue) -> Bool {
    value.text?.isEmpty == true || value.array?.isEmpty == true || value.boolean == false
  }

  private static func lowercased(_ value: JSONValue) -> JSONValue {
    value.text.map { .string($0.lowercased()) } ?? value
  }

  /// The path of an address, or the text for one, without its query and the slash that begins it.
  private static func path(of address: String) -> String {
    var path = address.prefix { $0 != "?" }
    if let scheme = path.firstRange(of: "://") {
      path = path[scheme.upperBound...].drop { $0 != "/" }
    }
    return String(path.first == "/" ? path.dropFirst() : path)
  }

  private static func trimmed(_ text: String) -> String {
    var rest = text[...]
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return String(rest)
  }

  /// The value with every number in its one spelling, so that equal values have equal bytes.
  private static func spelled(_ value: JSONValue) -> JSONValue {
    switch value {
    case .number(let number):
      if let integer = number.int64 { return .number(JSONNumber(integer)) }
      return number.double.map { .number(JSONNumber($0)) } ?? value
    case .array(let elements): return .array(elements.map(spelled))
    case .object(let object):
      var copy = JSONObject()
      for member in object.members { copy[member.name] = spelled(member.value) }
      return .object(copy)
    case .null, .boolean, .string: return value
    }
  }
}

extension JSONValue {
  /// Whether the values are the same, where `null` and an absent member say the same.
  fileprivate func isSame(as other: JSONValue) -> Bool {
    switch (self, other) {
    case (.object(let left), .object(let right)):
      return left.members.allSatisfy { member in
        member.value.isSame(as: right[member.name] ?? .null)
      }
        && right.members.allSatisfy { left[$0.name] != nil || $0.value.isNull }
    case (.array(let left), .array(let right)):
      return left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
    default: return self == other
    }
  }

  /// The value with `null` for each member that only `other` has, at every depth.
  fileprivate func clearing(_ other: JSONValue) -> JSONValue {
    guard case .object(var object) = self, let others = other.object else { return self }
    for member in others.members {
      object[member.name] = object[member.name]?.clearing(member.value) ?? .null
    }
    return .object(object)
  }

  /// The value without the members that are `null`, at every depth.
  fileprivate var withoutNulls: JSONValue {
    switch self {
    case .array(let elements): return .array(elements.map(\.withoutNulls))
    case .object(let object):
      var copy = JSONObject()
      for member in object.members where !member.value.isNull {
        copy[member.name] = member.value.withoutNulls
      }
      return .object(copy)
    case .null, .boolean, .number, .string: return self
    }
  }

  /// Reads bytes that this program wrote.
  package init(checked bytes: [UInt8]) {
    do throws(JSONError) {
      try self.init(parsing: bytes)
    } catch {
      preconditionFailure("a request field is one JSON value")
    }
  }
}

extension EntityApi.Comparison {
  /// How many microseconds apart two moments no longer say the same; `nil` where none are compared.
  fileprivate var momentWidth: Int64? { rules.compactMap(\.momentWidth).max() }
}

extension EntityApi.Comparison.Rule {
  /// Whether it is a rule for a single value, and not for a list.
  fileprivate var isOfOne: Bool {
    switch self {
    case .trimmed, .caseless, .spelling, .uuid, .identity, .address, .path, .instant, .second,
      .json:
      true
    case .asset, .caselessSet, .set, .blank, .present, .ignored: false
    }
  }

  fileprivate var momentWidth: Int64? {
    switch self {
    case .instant: 1_000
    case .second: 1_000_000
    case .set, .caseless, .caselessSet, .spelling, .uuid, .address, .path, .blank, .trimmed,
      .identity,
      .asset, .json, .present, .ignored:
      nil
    }
  }
}

extension EntityApi {
  /// Whether a member has a field's own values, none of which is a moment: an empty text is one of them.
  package func isKeptAsItIs(_ name: String) -> Bool {
    compare[name]?.momentWidth == nil && body.contains { $0.name == name && $0.hasOwnValues }
  }

  /// Whether two values of a member of the destination's say the same, as the profile compares them.
  package func agree(_ left: JSONValue, _ right: JSONValue, of name: String) -> Bool {
    RequestProgram.agree(left, right, compare[name])
  }
}
