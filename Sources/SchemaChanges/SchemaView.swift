import JSONText

/// A schema as the comparison sees it: references followed, words for people left out.
struct SchemaView {
  let node: SchemaNode
  /// The keywords that say something about data.
  let keywords: JSONObject
  /// Whether nothing obeys the schema.
  let isNever: Bool
  /// What a value has to obey besides: `allOf`, and a reference beside other keywords.
  let conditions: [SchemaNode]
  /// A reference that leads nowhere, or in a circle.
  let lostReference: String?

  private static let remarks: Set<String> = [
    "$id", "$schema", "$anchor", "$dynamicAnchor", "$comment", "$defs", "definitions",
    "$vocabulary", "title", "description", "default", "examples", "deprecated", "readOnly",
    "writeOnly", "contentEncoding", "contentMediaType", "contentSchema",
  ]

  init(_ start: SchemaNode, in library: SchemaLibrary) {
    var node = start
    var lost: String?
    var steps = 0
    while true {
      guard case .object(let object) = node.value else { break }
      let meant = Self.meant(object)
      guard meant.count == 1, let reference = Self.reference(meant) else { break }
      steps += 1
      guard steps < 32, let target = library.target(of: reference, in: node) else {
        lost = reference
        break
      }
      node = target
    }
    self.node = node
    var keywords = node.value.object.map(Self.meant) ?? JSONObject()
    var conditions: [SchemaNode] = []
    for (index, part) in (keywords["allOf"]?.array ?? []).enumerated() {
      conditions.append(node.inner(["allOf", String(index)], part))
    }
    if lost == nil, let reference = Self.reference(keywords) {
      if let target = library.target(of: reference, in: node) {
        conditions.append(target)
      } else {
        lost = reference
      }
    }
    for name in ["allOf", "$ref", "$dynamicRef"] { keywords[name] = nil }
    self.keywords = keywords
    self.conditions = conditions
    lostReference = lost
    isNever = node.value.boolean == false
  }

  private static func meant(_ object: JSONObject) -> JSONObject {
    var meant = JSONObject()
    for member in object.members
    where !remarks.contains(member.name) && !member.name.hasPrefix("x-") {
      meant[member.name] = member.value
    }
    return meant
  }

  private static func reference(_ object: JSONObject) -> String? {
    object["$ref"]?.text ?? object["$dynamicRef"]?.text
  }

  subscript(_ keyword: String) -> JSONValue? { keywords[keyword] }

  /// The schema that a keyword holds.
  func schema(_ keyword: String) -> SchemaNode? {
    keywords[keyword].map { node.inner([keyword], $0) }
  }

  /// The schemas that a keyword holds by name.
  func schemas(_ keyword: String) -> [String: SchemaNode] {
    var found: [String: SchemaNode] = [:]
    for member in keywords[keyword]?.object?.members ?? [] {
      found[member.name] = node.inner([keyword, member.name], member.value)
    }
    return found
  }

  /// The schemas that a keyword holds as a list.
  func list(_ keyword: String) -> [SchemaNode] {
    (keywords[keyword]?.array ?? []).enumerated().map { index, value in
      node.inner([keyword, String(index)], value)
    }
  }

  /// A schema that lets everything through, for a keyword that is not there.
  func anything(_ keyword: String) -> SchemaNode { node.inner([keyword], true) }

  /// Whether everything obeys the schema.
  var isAnything: Bool {
    !isNever && keywords.isEmpty && conditions.isEmpty && lostReference == nil
  }

  /// Whether other keywords look at the members or elements of the same value.
  var looksTwice: Bool {
    !conditions.isEmpty
      || ["anyOf", "oneOf", "if", "not", "dependentSchemas", "dependencies"]
        .contains { keywords[$0] != nil }
  }
}

// MARK: - Kinds and values

extension SchemaView {
  /// The kinds of values there are; an integer and a number that is not one are two of them.
  static let allKinds: Set<String> = [
    "null", "boolean", "integer", "fraction", "string", "array", "object",
  ]

  /// The kinds that `type` allows.
  var declaredKinds: Set<String> {
    let names: [String]
    switch keywords["type"] {
    case .string(let name): names = [name]
    case .array(let list): names = list.compactMap(\.text)
    default: return Self.allKinds
    }
    var kinds = Set(names)
    if kinds.remove("number") != nil { kinds.formUnion(["integer", "fraction"]) }
    return kinds
  }

  /// The only values there are, where they are listed; `nil` where they are not.
  var values: [JSONValue]? {
    if let constant = keywords["const"] {
      guard let choices = keywords["enum"]?.array else { return [constant] }
      return choices.contains(constant) ? [constant] : []
    }
    if let choices = keywords["enum"]?.array { return choices }
    let kinds = declaredKinds
    guard kinds.isSubset(of: ["null", "boolean"]) else { return nil }
    return (kinds.contains("null") ? [.null] : [])
      + (kinds.contains("boolean") ? [true, false] : [])
  }

  /// The kinds that values may have, as far as it is plain to see.
  func kinds(in library: SchemaLibrary, depth: Int = 0) -> Set<String> {
    guard !isNever else { return [] }
    var kinds = declaredKinds
    if let values { kinds.formIntersection(values.map(Self.kind)) }
    guard depth < 5 else { return kinds }
    for condition in conditions {
      kinds.formIntersection(
        SchemaView(condition, in: library).kinds(in: library, depth: depth + 1)
      )
    }
    for keyword in ["anyOf", "oneOf"] where keywords[keyword] != nil {
      var union: Set<String> = []
      for branch in list(keyword) {
        union.formUnion(SchemaView(branch, in: library).kinds(in: library, depth: depth + 1))
      }
      kinds.formIntersection(union)
    }
    return kinds
  }

  private static func kind(_ value: JSONValue) -> String {
    guard case .number(let number) = value else { return value.kind.description }
    return number.decimalForm?.isInteger == true ? "integer" : "fraction"
  }
}
