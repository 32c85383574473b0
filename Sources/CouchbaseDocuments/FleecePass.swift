/// One reading of one value, with what of the limits is left.
struct FleecePass {
  /// Where a value may lie.
  private struct Bounds {
    /// The first byte behind it.
    let end: Int
    /// Pointers lead to before this place.
    let floor: Int
    let depth: Int
  }

  private let bytes: DocumentBytes
  private let keys: [String]
  private let limits: FleeceLimits
  private let mostHeld: MostHeld
  private let mostItems: Int
  /// The arrays that are not held, as they were found in the array whose items are read; else `nil`.
  private var known: ArraySlice<FleeceItems>?
  /// The same as this pass finds them, without those inside of one another.
  private var longArrays: [FleeceItems] = []
  private var valuesLeft: Int
  private var bytesLeft: Int
  /// The texts and data that are not held, each once however many values lead to it.
  private var long: Set<Range<Int>> = []
  /// How many bytes those may yet have: apart from one another, they have no more than all bytes.
  private var longBytesLeft: Int

  /// The name of the member that leads to the dictionary which another one goes on from.
  private static let parentKey: Int64 = -2048
  /// A count of items that more of it follows.
  private static let longCount = 2047
  /// A count of bytes that is to be found behind it.
  private static let longSize = 15
  /// What is counted of a text or data that is not held.
  private static let placeSize = 1 << 10

  init(
    _ bytes: DocumentBytes,
    _ keys: [String],
    _ limits: FleeceLimits,
    holding mostHeld: @escaping MostHeld,
    mostItems: Int,
    inside array: FleeceItems? = nil
  ) {
    self.bytes = bytes
    self.keys = keys
    self.limits = limits
    self.mostHeld = mostHeld
    self.mostItems = mostItems
    valuesLeft = limits.valueCount
    bytesLeft = limits.byteCount - (array?.byteCount ?? 0)
    known = array?.longArrays[...]
    longBytesLeft = bytes.count
  }

  mutating func root() throws(FleeceError) -> FleeceValue {
    guard bytes.count >= 2 else { throw .truncated(offset: 0, cause: "a value has two bytes") }
    guard bytes.count.isMultiple(of: 2) else {
      throw .damaged(offset: bytes.count - 1, cause: "the number of bytes is odd")
    }
    var place = bytes.count - 2
    guard isPointer(place) else {
      return try value(at: place, Bounds(end: bytes.count, floor: place, depth: 0))
    }
    let last = place
    place = try target(of: place, isWide: false, before: place)
    if isPointer(place) {
      let end = last
      guard place + 4 <= end else { throw .truncated(offset: place, cause: "it ends in a pointer") }
      place = try target(of: place, isWide: true, before: place)
    }
    return try value(at: place, Bounds(end: last, floor: place, depth: 0))
  }

  // MARK: - Values

  /// The value at a place, where no pointer is.
  private mutating func value(at place: Int, _ bounds: Bounds) throws(FleeceError) -> FleeceValue {
    valuesLeft -= 1
    guard valuesLeft >= 0 else {
      throw .tooLarge(cause: "it has more than \(limits.valueCount) values")
    }
    let first = bytes[place]
    switch first >> 4 {
    case 0: return .integer(Int64(Int16(bitPattern: UInt16(first) << 12 | next(place) << 4) >> 4))
    case 1: return try number(at: place, bounds)
    case 2: return try real(at: place, bounds)
    case 3: return Self.special[Int(first >> 2 & 3)]
    case 4: return try content(at: place, bounds, isText: true)
    case 5: return try content(at: place, bounds, isText: false)
    case 6: return try array(at: place, bounds)
    case 7: return .dictionary(try members(at: place, bounds))
    case let other:
      throw .damaged(offset: place, cause: "a value of the type \(other) is in a pointer's place")
    }
  }

  private static let special: [FleeceValue] = [.null, .boolean(false), .boolean(true), .undefined]

  private func next(_ place: Int) -> UInt16 { UInt16(bytes[place + 1]) }

  private func number(at place: Int, _ bounds: Bounds) throws(FleeceError) -> FleeceValue {
    let count = Int(bytes[place] & 7) + 1
    try expect(count, at: place + 1, bounds, "a whole number")
    let number = unsigned(place + 1, count)
    guard bytes[place] & 8 == 0 else { return .unsigned(number) }
    let unused = UInt64(64 - 8 * count)
    return .integer(Int64(bitPattern: number << unused) >> Int64(unused))
  }

  private func real(at place: Int, _ bounds: Bounds) throws(FleeceError) -> FleeceValue {
    let count = bytes[place] & 8 == 0 ? 4 : 8
    try expect(count, at: place + 2, bounds, "a number")
    let pattern = unsigned(place + 2, count)
    if count == 8 { return .double(Double(bitPattern: pattern)) }
    let float = Float(bitPattern: UInt32(truncatingIfNeeded: pattern))
    // A double that 32 bits hold exactly.
    return bytes[place] & 4 == 0 ? .float(float) : .double(Double(float))
  }

  /// A text or data.
  private mutating func content(
    at place: Int,
    _ bounds: Bounds,
    isText: Bool
  ) throws(FleeceError) -> FleeceValue {
    var start = place + 1
    var count = Int(bytes[place] & 15)
    if count == Self.longSize { (count, start) = try varint(at: start, bounds) }
    try expect(count, at: start, bounds, "a text or data")
    let isLong = count > mostHeld(limits.byteCount - bytesLeft)
    bytesLeft -= isLong ? Self.placeSize : count
    guard bytesLeft >= 0 else {
      throw .tooLarge(cause: "its texts and data have more than \(limits.byteCount >> 20) MiB")
    }
    if isLong {
      let range = start..<start + count
      if long.insert(range).inserted { longBytesLeft -= count }
      guard longBytesLeft >= 0 else {
        throw .damaged(offset: place, cause: "texts or data lie in one another")
      }
      return .long(range, isText: isText)
    }
    let content = bytes.bytes(start..<start + count)
    guard isText else { return .data(content) }
    return String(validating: content, as: UTF8.self).map { .text($0) } ?? .malformedText(content)
  }

  private mutating func array(at place: Int, _ bounds: Bounds) throws(FleeceError) -> FleeceValue {
    let items = try items(at: place, perItem: 1, bounds)
    guard items.count <= mostItems else { return .longArray(try checked(items)) }
    var values: [FleeceValue] = []
    values.reserveCapacity(min(items.count, valuesLeft))
    for number in 0..<items.count {
      values.append(try item(items.start + number * items.width, items))
    }
    return .array(values)
  }

  /// Items that are not held, with what their values have together; those of a known array are not looked at again.
  private mutating func checked(_ items: FleeceItems) throws(FleeceError) -> FleeceItems {
    if known != nil {
      guard let found = known?.popFirst(), found.isPlaced(like: items) else {
        throw .damaged(offset: items.start, cause: "an array is another than when it was found")
      }
      bytesLeft = limits.byteCount - found.endByteCount
      return found
    }
    let outer = longArrays
    longArrays = []
    for number in 0..<items.count { _ = try item(items.start + number * items.width, items) }
    var items = items
    items.longArrays = longArrays
    items.endByteCount = limits.byteCount - bytesLeft
    longArrays = outer + [items]
    return items
  }

  // MARK: - Dictionaries

  /// The members with those of the dictionary that this one goes on from, without the deleted ones.
  private mutating func members(
    at place: Int,
    _ bounds: Bounds
  ) throws(FleeceError) -> [FleeceMember] {
    let items = try items(at: place, perItem: 2, bounds)
    var members: [FleeceMember] = []
    var inherited: [FleeceMember] = []
    for number in 0..<items.count {
      let key = items.start + number * 2 * items.width
      let value = try item(key + items.width, items)
      if let name = try name(at: key, items) {
        members.append(FleeceMember(name, value))
      } else if number == 0, case .dictionary(let parent) = value {
        inherited = parent
      } else {
        throw .damaged(offset: key, cause: "a dictionary goes on from what is no dictionary")
      }
    }
    let names = Set(members.map { ExactBytes($0.name) })
    guard names.count == members.count else {
      throw .damaged(offset: place, cause: "two members of a dictionary have one name")
    }
    return (inherited.filter { !names.contains(ExactBytes($0.name)) } + members)
      .filter { $0.value != .undefined }
  }

  /// The name of a member; `nil` for the one that leads to another dictionary.
  private mutating func name(at place: Int, _ items: FleeceItems) throws(FleeceError) -> String? {
    switch try item(place, items) {
    case .text(let name): return name
    case .integer(Self.parentKey): return nil
    case .integer(let number):
      guard number >= 0, number < keys.count else {
        throw .unknownKey(number, keyCount: keys.count)
      }
      let name = keys[Int(number)]
      bytesLeft -= name.utf8.count
      return name
    case .long(_, isText: true):
      throw .tooLarge(cause: "the name of a member is too long to be held")
    case .null, .undefined, .boolean, .unsigned, .float, .double, .malformedText, .data, .long,
      .array, .longArray, .dictionary:
      throw .damaged(offset: place, cause: "the name of a member is no text in UTF-8")
    }
  }

  // MARK: - Items

  private func items(
    at place: Int,
    perItem: Int,
    _ bounds: Bounds
  ) throws(FleeceError) -> FleeceItems {
    let width = bytes[place] & 8 != 0 ? 4 : 2
    var start = place + 2
    var count = Int(bytes[place] & 7) << 8 | Int(bytes[place + 1])
    if count == Self.longCount {
      let (more, end) = try varint(at: start, bounds)
      count += more
      start = end + (end - start) % 2
    }
    guard start <= bounds.end, count <= (bounds.end - start) / (width * perItem) else {
      throw .truncated(offset: place, cause: "it ends in a collection of \(count) items")
    }
    guard bounds.depth < limits.depth else {
      throw .tooLarge(cause: "more than \(limits.depth) collections lie in one another")
    }
    return FleeceItems(
      start: start,
      count: count,
      width: width,
      floor: bounds.floor,
      depth: bounds.depth + 1,
      byteCount: limits.byteCount - bytesLeft
    )
  }

  /// The value in an item's place, or that to which it points.
  mutating func item(_ place: Int, _ items: FleeceItems) throws(FleeceError) -> FleeceValue {
    guard isPointer(place) else {
      let bounds = Bounds(end: place + items.width, floor: items.floor, depth: items.depth)
      return try value(at: place, bounds)
    }
    let target = try target(of: place, isWide: items.isWide, before: items.floor)
    guard !isPointer(target) else {
      throw .damaged(offset: target, cause: "a pointer leads to a pointer")
    }
    return try value(at: target, Bounds(end: bytes.count, floor: target, depth: items.depth))
  }

  private func isPointer(_ place: Int) -> Bool { bytes[place] & 0x80 != 0 }

  /// Where a pointer leads to, which is before `floor`.
  private func target(
    of place: Int,
    isWide: Bool,
    before floor: Int
  ) throws(FleeceError) -> Int {
    guard bytes[place] & 0x40 == 0 else { throw .externalPointer(offset: place) }
    var offset = Int(bytes[place] & 0x3F)
    for place in place + 1..<place + (isWide ? 4 : 2) { offset = offset << 8 | Int(bytes[place]) }
    let target = place - 2 * offset
    guard target >= 0, target < floor else {
      throw .damaged(offset: place, cause: "a pointer does not lead to an earlier value")
    }
    return target
  }

  // MARK: - Bytes

  private func expect(
    _ count: Int,
    at start: Int,
    _ bounds: Bounds,
    _ what: String
  ) throws(FleeceError) {
    guard start <= bounds.end, count <= bounds.end - start else {
      throw .truncated(offset: start, cause: "it ends in \(what) of \(count) bytes")
    }
  }

  private func unsigned(_ start: Int, _ count: Int) -> UInt64 {
    (start..<start + count).reversed().reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
  }

  /// A count of at most 32 bits, seven of them a byte, and the place behind it.
  private func varint(
    at start: Int,
    _ bounds: Bounds
  ) throws(FleeceError) -> (count: Int, end: Int) {
    guard let found = Varint(in: bytes, at: start, before: bounds.end),
      found.value <= UInt64(UInt32.max)
    else { throw .truncated(offset: start, cause: "a count is not whole, or too large") }
    return (Int(found.value), found.end)
  }
}

/// A name by its bytes: two texts of other bytes are two names, be they one to a reader.
private struct ExactBytes: Hashable {
  private let bytes: [UInt8]

  init(_ text: String) { bytes = Array(text.utf8) }
}
