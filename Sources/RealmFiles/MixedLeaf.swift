/// Values of any kind (formats from 22 on).
///
/// The node leads to composites, whole numbers, pairs of whole numbers, strings and references. A
/// composite is 0 for null; else its lowest five bits are the kind plus one, the next three say where the
/// value is, and the rest, a signed number, is the value itself or its place.
struct MixedLeaf: Leaf {
  private let composites: [Int64]
  private let numbers: [Int64]
  private let pairs: [Int64]
  private let strings: ByteStringLeaf?
  private let references: [Int64]
  private let pass: ReadPass
  private let offset: Int
  /// How many lists and dictionaries this leaf is inside of.
  private let depth: Int

  init(_ node: Node, _ pass: ReadPass, depth: Int = 0) throws(RealmError) {
    guard depth <= ReadLimits.nesting else { throw .tooDeep(node.offset) }
    let parts = try pass.elements(of: node)
    let part = { (index: Int) throws(RealmError) -> [Int64] in
      guard let reference = parts.optionalReference(index) else { return [] }
      return try pass.integers(at: reference)
    }
    composites = try part(0)
    numbers = try part(1)
    pairs = try part(2)
    references = try part(4)
    if let reference = parts.optionalReference(3) {
      strings = try ByteStringLeaf(strings: pass.node(at: reference), pass)
    } else {
      strings = nil
    }
    self.pass = pass
    self.depth = depth
    offset = node.offset
  }

  var count: Int { composites.count }

  func value(at index: Int) throws(RealmError) -> RealmValue {
    let composite = composites[index]
    if composite == 0 { return .null }
    let (kind, place) = (composite & 31 - 1, composite >> 8)
    switch kind {
    case 0: return .int(composite >> 5 & 7 == 0 ? place : try number(place))
    case 1: return .bool(place != 0)
    case 2: return try string(place).value(at: Int(place), isText: true) ?? .string("")
    case 4: return try string(place).value(at: Int(place), isText: false) ?? .data([])
    case 8: return try .instant(pair(place).0, pair(place).1)
    case 9: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: try number(place))))
    case 10: return .double(Double(bitPattern: UInt64(bitPattern: try number(place))))
    case 11: return try decimal(place)
    case 12: return .link(RealmLink(table: nil, key: try number(place)))
    case 15: return .objectID(try bytes(place, count: 12))
    case 16: return try typedLink(place)
    case 17: return .uuid(try bytes(place, count: 16))
    case 19: return .list(try pass.mixedValues(inTree: reference(place), depth: depth + 1))
    case 21: return .dictionary(try pass.entries(inDictionary: reference(place), depth: depth + 1))
    case let other: throw damaged("a value is of the unknown kind \(other)")
    }
  }

  private func damaged(_ cause: String) -> RealmError {
    .damaged(RealmPlace(offset: offset), cause: cause)
  }

  private func element(_ place: Int64, of numbers: [Int64]) throws(RealmError) -> Int64 {
    guard place >= 0, place < Int64(numbers.count) else {
      throw damaged("a value is number \(place) of \(numbers.count)")
    }
    return numbers[Int(place)]
  }

  private func number(_ place: Int64) throws(RealmError) -> Int64 {
    try element(place, of: numbers)
  }

  private func reference(_ place: Int64) throws(RealmError) -> Int64 {
    try element(place, of: references)
  }

  private func pair(_ place: Int64) throws(RealmError) -> (Int64, Int64) {
    guard place >= 0, place < Int64(pairs.count / 2) else {
      throw damaged("a value is pair \(place) of \(pairs.count / 2)")
    }
    return (pairs[2 * Int(place)], pairs[2 * Int(place) + 1])
  }

  /// The strings, of which there is one with this number.
  private func string(_ place: Int64) throws(RealmError) -> ByteStringLeaf {
    guard let strings, place >= 0, place < Int64(strings.count) else {
      throw damaged("a value is string \(place) of \(strings?.count ?? 0)")
    }
    return strings
  }

  private func bytes(_ place: Int64, count: Int) throws(RealmError) -> [UInt8] {
    let bytes = try string(place).bytes(at: Int(place)) ?? []
    guard bytes.count == count else { throw damaged("an identifier has \(bytes.count) bytes") }
    return bytes
  }

  private func decimal(_ place: Int64) throws(RealmError) -> RealmValue {
    let (low, high) = try pair(place)
    let bits = UInt128(UInt64(bitPattern: high)) << 64 | UInt128(UInt64(bitPattern: low))
    return RealmDecimal.reading(bits, byteCount: 16).map(RealmValue.decimal) ?? .null
  }

  /// A link that names its table; a key below zero is that of a deleted object.
  private func typedLink(_ place: Int64) throws(RealmError) -> RealmValue {
    let (table, key) = try pair(place)
    if key < 0 { return .null }
    guard let tablePlace = pass.context.tablePlace(ofKey: table) else {
      throw damaged("a link leads to the table with the key \(table), which is not there")
    }
    return .link(RealmLink(table: tablePlace, key: key))
  }
}
