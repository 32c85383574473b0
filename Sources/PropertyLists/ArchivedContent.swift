/// What an archived object of a known class holds.
enum ArchivedContent {
  case null
  case text(String)
  /// A value that is one text, with the name that says what kind of value.
  case wrapped(String, String)
  case data([UInt8])
  case date(Double)
  /// Elements with the name that says what they form; an array has none.
  case elements([PropertyList], name: String?)
  case counted([(value: PropertyList, count: Int64)])
  case members([(name: String, value: PropertyList)])
  case pairs([(key: PropertyList, value: PropertyList)])
  case ranges([(location: Int64, length: Int64)], name: String)
  case numbers([Int64], name: String)
  case attributed(String, runs: [(length: Int64, attributes: PropertyList)])

  /// Reads an object, or gives `nil` when it is not what its class promises.
  init?(
    of object: PropertyList,
    _ kind: ArchivedClass,
    in archive: KeyedArchive
  ) throws(PropertyListError) {
    let content: Self?
    switch kind {
    case .null: content = .null
    case .array: content = try Self.collection(object, nil, archive)
    case .set: content = try Self.collection(object, "$set", archive)
    case .orderedSet: content = try Self.collection(object, "$orderedSet", archive)
    case .countedSet: content = Self.countedSet(object)
    case .dictionary:
      content = try Self.dictionary(object, archive)
    case .string: content = try ArchivedScalar.string(of: object, in: archive).map { .text($0) }
    case .data:
      let bytes = try ArchivedScalar.bytes("NS.data", of: object, in: archive)
      let others = try archive.value("NS.bytes", of: object)?.bytes
      content = (bytes ?? others).map { .data($0) }
    case .date, .uuid, .url, .decimal, .locale, .value:
      content = try ArchivedScalar.wrapped(of: object, kind, in: archive)
    case .indexSet:
      content = try ArchivedScalar.ranges(of: object, in: archive)
        .map { .ranges($0, name: "$indexSet") }
    case .indexPath:
      content = try ArchivedScalar.indexPath(of: object, in: archive)
        .map { .numbers($0, name: "$indexPath") }
    case .attributedString: content = try Self.attributedString(object, archive)
    }
    guard let content else { return nil }
    self = content
  }

  private static func collection(
    _ object: PropertyList,
    _ name: String?,
    _ archive: KeyedArchive
  ) throws(PropertyListError) -> Self? {
    if let elements = try archive.elements(of: object) { return .elements(elements, name: name) }
    // An empty ordered set has no key at all.
    return object.members?.count == 1 ? .elements([], name: name) : nil
  }

  private static func countedSet(_ object: PropertyList) -> Self? {
    guard let count = object["NS.count"]?.wholeNumber, let members = object.members,
      members.count % 2 == 0, count == members.count / 2 - 1
    else { return nil }
    let places = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
    var counted: [(value: PropertyList, count: Int64)] = []
    for index in 0..<count {
      guard let value = places["NS.object\(index)"],
        let times = places["NS.count\(index)"]?.wholeNumber
      else { return nil }
      counted.append((value, times))
    }
    return .counted(counted)
  }

  private static func dictionary(
    _ object: PropertyList,
    _ archive: KeyedArchive
  ) throws(PropertyListError) -> Self? {
    guard let pairs = try archive.pairs(of: object) else { return nil }
    var members: [(name: String, value: PropertyList)] = []
    var names: Set<String> = []
    for pair in pairs {
      guard let name = try archive.resolved(pair.key).text, names.insert(name).inserted else {
        return .pairs(pairs)
      }
      members.append((name, pair.value))
    }
    return .members(members)
  }

  /// A text with either one dictionary of attributes, or several and the runs they belong to.
  private static func attributedString(
    _ object: PropertyList,
    _ archive: KeyedArchive
  ) throws(PropertyListError) -> Self? {
    guard let value = try archive.value("NSString", of: object) else { return nil }
    guard let text = try ArchivedScalar.text(value, in: archive) else { return nil }
    let length = Int64(text.utf16.count)
    guard let attributes = object["NSAttributes"] else {
      return object["NSAttributeInfo"] == nil ? .attributed(text, runs: []) : nil
    }
    guard let runTable = try ArchivedScalar.bytes("NSAttributeInfo", of: object, in: archive) else {
      return object["NSAttributeInfo"] == nil
        ? .attributed(text, runs: [(length, attributes)]) : nil
    }
    let numbers = ArchivedScalar.variableLengthNumbers(runTable)
    let table = try archive.resolved(attributes)
    guard let list = try archive.elements(of: table) ?? table.elements,
      numbers.count % 2 == 0
    else { return nil }
    var runs: [(length: Int64, attributes: PropertyList)] = []
    var rest = length
    for place in stride(from: 0, to: numbers.count, by: 2) {
      guard numbers[place] <= rest, let index = Int(exactly: numbers[place + 1]),
        list.indices.contains(index)
      else { return nil }
      rest -= numbers[place]
      runs.append((numbers[place], list[index]))
    }
    return rest == 0 ? .attributed(text, runs: runs) : nil
  }
}
