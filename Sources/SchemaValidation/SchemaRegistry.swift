import JSONText

/// Where a schema lies: the number of its document, and the way into it.
struct SchemaLocation: Hashable {
  let document: Int
  let pointer: JSONPointer

  func appending(_ tokens: [String]) -> Self {
    Self(document: document, pointer: JSONPointer(tokens: pointer.tokens + tokens))
  }
}

/// Every schema that references may lead to, by address.
///
/// Nothing is ever fetched.
struct SchemaRegistry {
  /// A schema in its place.
  struct Subschema {
    let value: JSONValue
    /// The address of the resource it belongs to, which its references are seen from.
    let base: String
    let dialect: SchemaDialect
  }

  private(set) var documents: [(address: String, value: JSONValue)] = []
  private var resources: [String: SchemaLocation] = [:]
  private var anchors: [String: SchemaLocation] = [:]
  /// Dynamic anchors by name, each with the address of its resource.
  private(set) var dynamicAnchors: [String: [String: SchemaLocation]] = [:]
  private var subschemas: [SchemaLocation: Subschema] = [:]
  let unknownKeywords: UnknownKeywordMeaning
  private let draft: SchemaDraft
  /// The drafts that a schema may name.
  private let drafts: Set<SchemaDraft>
  /// Where schemas are that are read when a reference leads to them.
  private let finder: (any SchemaFinder)?
  /// How many metaschemas of metaschemas are being read.
  private var depth = 0
  private static let greatestDepth = 16

  /// The most schemas that are known at once.
  private let limit: Int

  init(
    unknownKeywords: UnknownKeywordMeaning,
    draft: SchemaDraft,
    drafts: Set<SchemaDraft>,
    limit: Int,
    finder: (any SchemaFinder)?
  ) {
    self.unknownKeywords = unknownKeywords
    self.draft = draft
    self.drafts = drafts
    self.limit = limit
    self.finder = finder
  }

  /// Makes a document known under `address` and under every `$id` in it.
  mutating func add(_ value: JSONValue, at address: String) throws(SchemaError) {
    let base = SchemaAddress(address).withoutFragment
    let number = documents.count
    documents.append((base, value))
    let location = SchemaLocation(document: number, pointer: JSONPointer())
    guard resources.updateValue(location, forKey: base) == nil else {
      throw SchemaError(address: base, location: "", reason: .repeated(base))
    }
    try walk(value, location, base: base, dialect: draft.dialect)
  }

  func subschema(at location: SchemaLocation) -> Subschema? {
    subschemas[location]
  }

  /// The address by which a document calls itself, or under which it was added.
  func address(ofDocument number: Int) -> String {
    let root = SchemaLocation(document: number, pointer: JSONPointer())
    return subschemas[root]?.base ?? documents[number].address
  }

  func location(ofResource address: String) -> SchemaLocation? {
    resources[SchemaAddress(address).withoutFragment]
  }

  func error(_ location: SchemaLocation, _ reason: SchemaError.Reason) -> SchemaError {
    SchemaError(
      address: documents[location.document].address,
      location: location.pointer.description,
      reason: reason
    )
  }

  /// What `reference` means when it is at `location`.
  mutating func resolve(
    _ reference: String,
    from base: String,
    at location: SchemaLocation
  ) throws(SchemaError) -> (target: SchemaLocation, address: String, anchor: String?) {
    let full = SchemaAddress(reference).resolved(against: SchemaAddress(base))
    let address = known(full.withoutFragment)
    try load(address)
    guard let resource = resources[address], let fragment = full.decodedFragment else {
      throw error(location, .unresolved(reference: reference))
    }
    if fragment.isEmpty { return (resource, address, nil) }
    if !fragment.hasPrefix("/") {
      guard let target = anchors[address + "#" + fragment] else {
        throw error(location, .unresolved(reference: reference))
      }
      return (target, address, fragment)
    }
    guard let pointer = JSONPointer(fragment) else {
      throw error(location, .unresolved(reference: reference))
    }
    let target = resource.appending(pointer.tokens)
    if subschemas[target] == nil {
      guard let value = documents[target.document].value.value(at: target.pointer) else {
        throw error(location, .unresolved(reference: reference))
      }
      let around = nearest(target)
      try walk(
        value,
        target,
        base: around?.base ?? address,
        dialect: around?.dialect ?? draft.dialect
      )
    }
    return (target, address, nil)
  }

  /// Makes the schema at an address known, where it is one of JSON Schema itself or the finder has it.
  private mutating func load(_ address: String) throws(SchemaError) {
    guard resources[address] == nil else { return }
    if let metaschema = Metaschemas.value(at: address) { return try add(metaschema, at: address) }
    guard let finder, let found = try finder.document(with: address),
      resources[found.address] == nil
    else { return }
    let value = try Self.value(of: found.bytes, at: found.address)
    // A schema may be there already under an address that it gives itself.
    let dialect = (value["$schema"]?.text.flatMap { named(by: $0) } ?? draft).dialect
    if let id = value[dialect.identifier.rawValue]?.text {
      let own = SchemaAddress(id).resolved(against: SchemaAddress(found.address)).withoutFragment
      if let place = resources[own], place.pointer.tokens.isEmpty,
        documents[place.document].value == value
      {
        resources[found.address] = place
        return
      }
    }
    try add(value, at: found.address)
  }

  static func value(of bytes: [UInt8], at address: String) throws(SchemaError) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue(parsing: bytes)
    } catch {
      throw SchemaError(address: address, location: "", reason: .notJSON(error))
    }
  }

  /// The address as a resource has it, also where a reference leaves unescaped what none may have.
  private func known(_ address: String) -> String {
    guard resources[address] == nil else { return address }
    let escaped = SchemaAddress.escapedAddress(address)
    return resources[escaped] == nil ? address : escaped
  }

  /// The innermost known schema around a place that no keyword of JSON Schema leads to.
  private func nearest(_ location: SchemaLocation) -> Subschema? {
    var tokens = location.pointer.tokens
    while !tokens.isEmpty {
      tokens.removeLast()
      let outer = SchemaLocation(document: location.document, pointer: JSONPointer(tokens: tokens))
      if let subschema = subschemas[outer] { return subschema }
    }
    return nil
  }

  // MARK: Walking

  private mutating func walk(
    _ value: JSONValue,
    _ location: SchemaLocation,
    base: String,
    dialect: SchemaDialect
  ) throws(SchemaError) {
    guard subschemas.count < limit else {
      throw error(location, .tooMany(limit: limit))
    }
    var base = base
    var dialect = dialect
    if case .object(let object) = value {
      if let schema = object[SchemaKeyword.schema.rawValue] {
        guard let text = schema.text else {
          throw error(location, .malformed(keyword: "$schema", reason: "must be a text"))
        }
        dialect = try self.dialect(text, location)
      }
      let ignoresSiblings = dialect.isBefore2019 && object[SchemaKeyword.ref.rawValue] != nil
      if let id = object[dialect.identifier.rawValue], !ignoresSiblings {
        base = try identify(id, location, base, dialect)
      }
      try noteAnchors(object, location, base, dialect)
      subschemas[location] = Subschema(value: value, base: base, dialect: dialect)
      for member in object.members {
        try walk(member, of: location, base: base, dialect: dialect)
      }
    } else {
      subschemas[location] = Subschema(value: value, base: base, dialect: dialect)
    }
  }

  private mutating func walk(
    _ member: JSONObject.Member,
    of location: SchemaLocation,
    base: String,
    dialect: SchemaDialect
  ) throws(SchemaError) {
    guard let keyword = SchemaKeyword(rawValue: member.name) else { return }
    // Where remarks are let through, the older name of `$defs` is understood in any dialect.
    let isOlder = keyword == .olderDefinitions && unknownKeywords == .ignore
    guard dialect.has(keyword) || isOlder || !dialect.lacks.contains(keyword) else { return }
    let isTuple = keyword == .items && dialect.hasTuples && member.value.array != nil
    switch (isTuple ? .list : keyword.holding, member.value) {
    case (.one, let value):
      try walk(value, location.appending([member.name]), base: base, dialect: dialect)
    case (.list, .array(let values)):
      for (index, value) in values.enumerated() {
        let place = location.appending([member.name, String(index)])
        try walk(value, place, base: base, dialect: dialect)
      }
    case (.named, .object(let object)):
      for inner in object.members {
        let place = location.appending([member.name, inner.name])
        try walk(inner.value, place, base: base, dialect: dialect)
      }
    case (.none, _), (.list, _), (.named, _): break
    }
  }

  private mutating func identify(
    _ id: JSONValue,
    _ location: SchemaLocation,
    _ base: String,
    _ dialect: SchemaDialect
  ) throws(SchemaError) -> String {
    guard let text = id.text else {
      let keyword = dialect.identifier.rawValue
      throw error(location, .malformed(keyword: keyword, reason: "must be a text"))
    }
    let address = SchemaAddress(text)
    let resolved = address.resolved(against: SchemaAddress(base)).withoutFragment
    if let anchor = address.decodedFragment, !anchor.isEmpty {
      guard dialect.isBefore2019 else {
        throw error(location, .malformed(keyword: "$id", reason: "must have no fragment"))
      }
      try note(anchor: anchor, of: resolved, at: location)
      if address.withoutFragment.isEmpty { return base }
    }
    if let other = resources.updateValue(location, forKey: resolved), other != location {
      throw error(location, .repeated(resolved))
    }
    return resolved
  }

  private mutating func noteAnchors(
    _ object: JSONObject,
    _ location: SchemaLocation,
    _ base: String,
    _ dialect: SchemaDialect
  ) throws(SchemaError) {
    for keyword in [SchemaKeyword.anchor, .dynamicAnchor] where dialect.has(keyword) {
      guard let value = object[keyword.rawValue] else { continue }
      guard let name = value.text, !name.isEmpty else {
        throw error(location, .malformed(keyword: keyword.rawValue, reason: "must be a name"))
      }
      try note(anchor: name, of: base, at: location)
      if keyword == .dynamicAnchor { dynamicAnchors[name, default: [:]][base] = location }
    }
    // It counts at the root of a resource alone.
    if dialect.has(.recursiveAnchor), resources[base] == location,
      object[SchemaKeyword.recursiveAnchor.rawValue]?.boolean == true
    {
      dynamicAnchors[Self.recursiveAnchor, default: [:]][base] = location
    }
  }

  private mutating func note(
    anchor: String,
    of base: String,
    at location: SchemaLocation
  ) throws(SchemaError) {
    let key = base + "#" + anchor
    if let other = anchors.updateValue(location, forKey: key), other != location {
      throw error(location, .repeated(key))
    }
  }

  /// The name under which the resources lie that `$recursiveRef` may mean: no anchor has it.
  static let recursiveAnchor = "\u{0}"

  // MARK: Dialects

  /// The draft whose address it is.
  private func named(by address: String) -> SchemaDraft? {
    SchemaDraft(address: SchemaAddress(address).withoutFragment)
  }

  /// The dialect that the metaschema at `address` describes.
  private mutating func dialect(
    _ address: String,
    _ location: SchemaLocation
  ) throws(SchemaError) -> SchemaDialect {
    let address = SchemaAddress(address).withoutFragment
    if let draft = SchemaDraft(address: address) {
      guard drafts.contains(draft) else { throw error(location, .otherDraft(address)) }
      return draft.dialect
    }
    depth += 1
    defer { depth -= 1 }
    guard depth < Self.greatestDepth else { throw error(location, .otherDraft(address)) }
    try load(address)
    guard let metaschema = resources[address],
      let value = subschemas[metaschema]?.value
        ?? documents[metaschema.document].value.value(at: metaschema.pointer)
    else { throw error(location, .otherDraft(address)) }
    guard let list = value["$vocabulary"]?.object else {
      // A metaschema without vocabularies has the keywords of the draft that it is written in.
      guard let schema = value["$schema"]?.text,
        SchemaAddress(schema).withoutFragment != address
      else { throw error(location, .otherDraft(address)) }
      return try dialect(schema, location)
    }
    var (drafts, vocabularies) = (Set<SchemaDraft>(), Set([SchemaDialect.Vocabulary.core]))
    for member in list.members {
      if let known = SchemaDialect.Vocabulary.known(member.name) {
        drafts.insert(known.draft)
        vocabularies.formUnion(known.vocabularies)
      } else if member.value.boolean == true {
        throw error(location, .unknownDialect(member.name))
      }
    }
    guard drafts.count <= 1, self.drafts.isSuperset(of: drafts) else {
      throw error(location, .otherDraft(address))
    }
    var dialect = (drafts.first ?? .draft2020).dialect
    dialect.vocabularies = vocabularies
    return dialect
  }
}
