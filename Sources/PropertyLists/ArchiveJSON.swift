import JSONText

extension KeyedArchive {
  /// The archive's content as one line of JSON.
  ///
  /// | class | becomes |
  /// |---|---|
  /// | strings, numbers, booleans, `NSNull` | themselves |
  /// | arrays, sets, ordered sets | an array |
  /// | dictionaries whose keys are all text | an object |
  /// | other dictionaries | an array of `{"key": …, "value": …}` |
  /// | `NSDate` | text, as RFC 3339 has it |
  /// | `NSUUID`, `NSURL`, `NSDecimalNumber` | text |
  /// | data | text in base 64 |
  /// | `NSIndexSet` | an array of `{"length": …, "location": …}` |
  /// | any other | an object of its keys, with its name under `$class` |
  ///
  /// A subclass is read like its nearest known ancestor. Where an object holds itself,
  /// `{"$cycle": n}` stands for it, `n` being its number in the archive.
  package func json(limits: PropertyListLimits = .archive) throws(PropertyListError) -> [UInt8] {
    var writer = ArchiveJSONWriter(archive: self, limits: limits)
    if let root {
      try writer.write(root, depth: 0)
    } else {
      try writer.writeObject(top.map { ($0.name, $0.value) }, depth: 0)
    }
    return writer.out.bytes
  }
}

extension PropertyListLimits {
  /// For archives in a store's rows: a value of an app, not a document.
  package static let archive = PropertyListLimits(depth: 100, nodeCount: 1 << 18)
}

/// The walk that writes an archive as JSON.
struct ArchiveJSONWriter {
  let archive: KeyedArchive
  let limits: PropertyListLimits
  var out = JSONWriter()
  private var nodeCount = 0
  private var inProgress: Set<Int> = []

  init(archive: KeyedArchive, limits: PropertyListLimits) {
    self.archive = archive
    self.limits = limits
  }

  mutating func write(_ value: PropertyList, depth: Int) throws(PropertyListError) {
    nodeCount += 1
    guard nodeCount <= limits.nodeCount else {
      throw .beyondLimit("more than \(limits.nodeCount) values in the archive")
    }
    guard depth <= limits.depth else {
      throw .beyondLimit("objects of the archive lie more than \(limits.depth) deep")
    }
    guard case .uid(let number) = value else {
      return try writeResolved(value, depth: depth)
    }
    let object = try archive.resolved(value)
    guard object["$class"] != nil else { return try writeResolved(object, depth: depth) }
    guard inProgress.insert(number).inserted else {
      out.beginObject()
      out.name("$cycle")
      out.integer(Int64(number))
      return out.endObject()
    }
    defer { inProgress.remove(number) }
    try writeResolved(object, depth: depth)
  }

  /// Writes an object of these members, sorted by the bytes of their names.
  mutating func writeObject(
    _ members: [(name: String, value: PropertyList)],
    className: String? = nil,
    depth: Int
  ) throws(PropertyListError) {
    out.beginObject()
    if let className {
      out.name("$class")
      out.string(className)
    }
    for member in members.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
      out.name(member.name)
      try write(member.value, depth: depth + 1)
    }
    out.endObject()
  }

  mutating func writeArray(
    _ elements: [PropertyList],
    depth: Int
  ) throws(PropertyListError) {
    out.beginArray()
    for element in elements { try write(element, depth: depth + 1) }
    out.endArray()
  }

  private mutating func writeResolved(
    _ value: PropertyList,
    depth: Int
  ) throws(PropertyListError) {
    switch value {
    case .null: out.null()
    case .boolean(let flag): out.boolean(flag)
    case .integer(let number): out.integer(number)
    case .unsignedInteger(let number): out.unsigned(number)
    case .real(let number) where number.isFinite: out.double(number)
    case .real(let number):
      out.string(number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")
    case .date(let seconds): out.string(ReferenceDate.text(seconds: seconds))
    case .data(let bytes): out.string(Base64.text(bytes))
    case .string(let text): out.string(text)
    case .array(let elements), .set(let elements): try writeArray(elements, depth: depth)
    case .uid(let number):
      throw .malformedArchive(object: number, reason: "a reference leads to a reference")
    case .dictionary(let members):
      guard let names = try archive.classNames(of: value) else {
        return try writeObject(members.map { ($0.name, $0.value) }, depth: depth)
      }
      for name in names where try writeKnown(name, object: value, depth: depth) { return }
      let kept = members.filter { $0.name != "$class" }.map { ($0.name, $0.value) }
      try writeObject(kept, className: names.first, depth: depth)
    }
  }

  /// Writes an object of a class that is known; says `false` when this one is not.
  private mutating func writeKnown(
    _ className: String,
    object: PropertyList,
    depth: Int
  ) throws(PropertyListError) -> Bool {
    switch className {
    case "NSArray", "NSSet", "NSOrderedSet":
      guard let elements = try archive.elements(of: object) else {
        // An empty ordered set has no key at all.
        guard object.members?.count == 1 else { return false }
        try writeArray([], depth: depth)
        return true
      }
      try writeArray(elements, depth: depth)
    case "NSDictionary":
      guard let pairs = try archive.pairs(of: object) else { return false }
      try writePairs(pairs, depth: depth)
    case "NSNull":
      out.null()
    default:
      guard let text = try ArchivedScalar.text(of: object, class: className, in: archive) else {
        return try writeIndexSet(className, object: object)
      }
      out.string(text)
    }
    return true
  }

  private mutating func writePairs(
    _ pairs: [(key: PropertyList, value: PropertyList)],
    depth: Int
  ) throws(PropertyListError) {
    var members: [(name: String, value: PropertyList)] = []
    var names: Set<String> = []
    for pair in pairs {
      guard let name = try archive.resolved(pair.key).text, names.insert(name).inserted else {
        return try writeKeysAndValues(pairs, depth: depth)
      }
      members.append((name, pair.value))
    }
    try writeObject(members, depth: depth)
  }

  private mutating func writeKeysAndValues(
    _ pairs: [(key: PropertyList, value: PropertyList)],
    depth: Int
  ) throws(PropertyListError) {
    out.beginArray()
    for pair in pairs {
      try writeObject([("key", pair.key), ("value", pair.value)], depth: depth + 1)
    }
    out.endArray()
  }

  private mutating func writeIndexSet(
    _ className: String,
    object: PropertyList
  ) throws(PropertyListError) -> Bool {
    guard className == "NSIndexSet",
      let ranges = try ArchivedScalar.ranges(of: object, in: archive)
    else { return false }
    out.beginArray()
    for range in ranges {
      out.beginObject()
      out.name("length")
      out.integer(range.length)
      out.name("location")
      out.integer(range.location)
      out.endObject()
    }
    out.endArray()
    return true
  }
}
