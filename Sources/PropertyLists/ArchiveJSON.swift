import JSONText
import TextCodecs

extension KeyedArchive {
  /// The archive's content as one line of JSON, from which a reader can know every value back.
  ///
  /// | archived | JSON |
  /// |---|---|
  /// | strings, booleans, integers | themselves |
  /// | reals | the shortest digits, always with a fraction or an exponent |
  /// | nil, `NSNull` in a collection | `null` |
  /// | arrays | an array |
  /// | dictionaries whose keys are all text | an object |
  /// | sets, ordered sets | `{"$set": […]}`, `{"$orderedSet": […]}` |
  /// | counted sets | `{"$countedSet": [{"count": …, "value": …}]}` |
  /// | other dictionaries | `{"$dictionary": [{"key": …, "value": …}]}` |
  /// | dates | `{"$date": …}`, as RFC 3339 has it, else as seconds since 2001 |
  /// | data | `{"$base64": …}` |
  /// | reals that are not finite | `{"$real": "NaN" \| "Infinity" \| "-Infinity"}` |
  /// | `NSUUID`, `NSURL` without a base, `NSDecimalNumber` | `$uuid`, `$url`, `$decimal`: text |
  /// | `NSLocale` | `{"$locale": …}`, its identifier |
  /// | `NSIndexSet` | `{"$indexSet": [{"length": …, "location": …}]}` |
  /// | `NSIndexPath` | `{"$indexPath": […]}` |
  /// | `NSValue` of a range | `{"$range": {"length": …, "location": …}}` |
  /// | `NSValue` of a point, size or rectangle | `$point`, `$size`, `$rect`: text as archived |
  /// | attributed strings | `{"$attributedString": {"runs": […], "string": …}}`, see below |
  /// | any other object | its class under `$class`, its keys beside it |
  /// | an object inside of itself | `{"$cycle": n}`: the n-th object outwards, 1 the nearest |
  /// | an archive whose only top is not `root` | `{"$top": {…}}` |
  ///
  /// A run is `{"attributes": …, "length": …}`, its length in UTF-16 units. A name that begins with
  /// `$` in the archive has one `$` more here. A subclass by Apple (`NS…`) is written like its
  /// nearest known ancestor; one of an app as `{"$class": …, "$value": …}`. An object of a known
  /// class with a key that its row does not account for is written as any other object.
  ///
  /// Not distinguished: mutable from immutable, the width of numbers, and one object that two places
  /// share from two equal ones.
  package func json(limits: PropertyListLimits = .archive) throws(PropertyListError) -> [UInt8] {
    var writer = ArchiveJSONWriter(archive: self, limits: limits)
    if top.count == 1, top[0].name == "root" {
      try writer.write(top[0].value, depth: 0)
    } else {
      writer.out.beginObject()
      writer.out.name("$top")
      try writer.writeObject(top.map { ($0.name, $0.value) }, depth: 0)
      writer.out.endObject()
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
  /// The numbers of the objects around the current one, the outermost first.
  private var around: [Int] = []

  init(archive: KeyedArchive, limits: PropertyListLimits) {
    self.archive = archive
    self.limits = limits
  }

  mutating func write(_ value: PropertyList, depth: Int) throws(PropertyListError) {
    try count()
    guard depth <= limits.depth else {
      throw .beyondLimit("objects of the archive lie more than \(limits.depth) deep")
    }
    guard case .uid(let number) = value else {
      return try writeResolved(value, depth: depth)
    }
    let object = try archive.resolved(value)
    guard object.members != nil || object.elements != nil else {
      return try writeResolved(object, depth: depth)
    }
    if let place = around.lastIndex(of: number) {
      out.beginObject()
      out.name("$cycle")
      out.integer(Int64(around.count - place))
      return out.endObject()
    }
    around.append(number)
    try writeResolved(object, depth: depth)
    around.removeLast()
  }

  private mutating func count() throws(PropertyListError) {
    nodeCount += 1
    guard nodeCount <= limits.nodeCount else {
      throw .beyondLimit("more than \(limits.nodeCount) values in the archive")
    }
  }

  /// Makes sure that there is space for so many bytes more.
  func reserve(_ size: Int) throws(PropertyListError) {
    guard size <= limits.textSize - out.count else {
      throw .beyondLimit("the archive unfolds to more than \(limits.textSize) bytes")
    }
  }

  mutating func writeText(_ text: String) throws(PropertyListError) {
    try reserve(text.utf8.count)
    out.string(text)
  }

  /// Writes `{"$name": text}`.
  mutating func writeWrapped(_ name: String, _ text: String) throws(PropertyListError) {
    out.beginObject()
    out.name(name)
    try writeText(text)
    out.endObject()
  }

  mutating func writeDate(_ seconds: Double) throws(PropertyListError) {
    let text = ReferenceDate.text(seconds: seconds)
    guard text.utf8.last != UInt8(ascii: "Z") else { return try writeWrapped("$date", text) }
    guard seconds.isFinite else { return try writeWrapped("$date", Self.infinite(seconds)) }
    out.beginObject()
    out.name("$date")
    out.raw(Array(seconds.description.utf8))
    out.endObject()
  }

  private static func infinite(_ number: Double) -> String {
    number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity"
  }

  mutating func writeData(_ bytes: [UInt8]) throws(PropertyListError) {
    try reserve(bytes.count / 3 * 4 + 4)
    try writeWrapped("$base64", Base64.text(bytes))
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
      try writeText(className)
    }
    for member in members.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
      try reserve(member.name.utf8.count)
      out.name(member.name.utf8.first == UInt8(ascii: "$") ? "$" + member.name : member.name)
      if className != nil, try isNSNull(member.value) {
        // Under a key of an object, unlike in a collection, there may also be nil.
        try writeWrapped("$class", "NSNull")
      } else {
        try write(member.value, depth: depth + 1)
      }
    }
    out.endObject()
  }

  mutating func writeArray(_ elements: [PropertyList], depth: Int) throws(PropertyListError) {
    out.beginArray()
    for element in elements { try write(element, depth: depth + 1) }
    out.endArray()
  }

  private func isNSNull(_ value: PropertyList) throws(PropertyListError) -> Bool {
    guard case .uid = value else { return false }
    return try archive.classNames(of: archive.resolved(value))?.first == "NSNull"
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
    case .real(let number) where number.isFinite: out.raw(Array(number.description.utf8))
    case .real(let number): try writeWrapped("$real", Self.infinite(number))
    case .date(let seconds): try writeDate(seconds)
    case .data(let bytes): try writeData(bytes)
    case .string(let text): try writeText(text)
    case .long: preconditionFailure("a list that is an archive is held")
    case .array(let elements): try writeArray(elements, depth: depth)
    case .set(let elements):
      out.beginObject()
      out.name("$set")
      try writeArray(elements, depth: depth)
      out.endObject()
    case .uid(let number):
      throw .malformedArchive(object: number, reason: "a reference leads to a reference")
    case .dictionary(let members):
      guard let names = try archive.classNames(of: value) else {
        return try writeObject(members.map { ($0.name, $0.value) }, depth: depth)
      }
      try writeInstance(of: names, value, members, depth: depth)
    }
  }

  private mutating func writeInstance(
    of names: [String],
    _ object: PropertyList,
    _ members: [PropertyList.Member],
    depth: Int
  ) throws(PropertyListError) {
    let own = names.first ?? ""
    if let kind = names.lazy.compactMap({ ArchivedClass(name: $0) }).first,
      kind.accounts(for: members),
      let content = try ArchivedContent(of: object, kind, in: archive)
    {
      guard !ArchivedClass.isOfApple(own) else { return try write(content, depth: depth) }
      out.beginObject()
      out.name("$class")
      try writeText(own)
      out.name("$value")
      try write(content, depth: depth)
      return out.endObject()
    }
    let kept = members.filter { $0.name != "$class" }.map { ($0.name, $0.value) }
    try writeObject(kept, className: own, depth: depth)
  }
}
