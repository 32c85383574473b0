/// Whole numbers; where null is possible, the first element is the number that means it.
struct IntegerLeaf: Leaf {
  private let numbers: [Int64]
  private let hasMarker: Bool

  init(_ node: Node, _ pass: ReadPass, hasMarker: Bool) throws(RealmError) {
    numbers = try pass.integers(of: node)
    self.hasMarker = hasMarker
    guard !hasMarker || !numbers.isEmpty else {
      throw .damaged(RealmPlace(offset: node.offset), cause: "a leaf lacks its mark for null")
    }
  }

  var count: Int { numbers.count - (hasMarker ? 1 : 0) }

  /// The number at a place, or `nil` for null.
  func number(at index: Int) -> Int64? {
    guard hasMarker else { return numbers[index] }
    let number = numbers[index + 1]
    return number == numbers[0] ? nil : number
  }

  func value(at index: Int) -> RealmValue { number(at: index).map(RealmValue.int) ?? .null }
}

/// Truth values of formats up to 9, which are whole numbers with their mark for null.
struct MarkedBoolLeaf: Leaf {
  let numbers: IntegerLeaf

  var count: Int { numbers.count }

  func value(at index: Int) -> RealmValue {
    numbers.number(at: index).map { .bool($0 != 0) } ?? .null
  }
}

/// Truth values of formats from 10 on: 0, 1, and 3 for null.
struct BoolLeaf: Leaf {
  let numbers: [Int64]
  /// Where the node is, for messages.
  let offset: Int

  var count: Int { numbers.count }

  func value(at index: Int) throws(RealmError) -> RealmValue {
    switch numbers[index] {
    case 0: .bool(false)
    case 1: .bool(true)
    case 3: .null
    case let other:
      throw .damaged(RealmPlace(offset: offset), cause: "a truth value is \(other)")
    }
  }
}

/// Dates of formats up to 4: whole seconds since 1970.
struct DateTimeLeaf: Leaf {
  let seconds: IntegerLeaf

  var count: Int { seconds.count }

  func value(at index: Int) -> RealmValue {
    seconds.number(at: index).map { .timestamp(seconds: $0, nanoseconds: 0) } ?? .null
  }
}

/// Numbers with 32 bits; one NaN means null.
struct FloatLeaf: Leaf {
  private let patterns: [UInt32]
  private static let null: UInt32 = 0x7FC0_00AA

  init(_ node: Node, _ pass: ReadPass) throws(RealmError) {
    patterns = try pass.patterns(of: node, size: 4).map { UInt32(truncatingIfNeeded: $0) }
  }

  var count: Int { patterns.count }

  func value(at index: Int) -> RealmValue {
    let pattern = patterns[index]
    return pattern == Self.null ? .null : .float(Float(bitPattern: pattern))
  }
}

/// Numbers with 64 bits; one NaN means null.
struct DoubleLeaf: Leaf {
  private let patterns: [UInt64]
  private static let null: UInt64 = 0x7FF8_0000_0000_00AA

  init(_ node: Node, _ pass: ReadPass) throws(RealmError) {
    patterns = try pass.patterns(of: node, size: 8)
  }

  var count: Int { patterns.count }

  func value(at index: Int) -> RealmValue {
    let pattern = patterns[index]
    return pattern == Self.null ? .null : .double(Double(bitPattern: pattern))
  }
}

extension ReadPass {
  /// The bits of floating-point numbers, each of `size` bytes.
  fileprivate func patterns(of node: Node, size: Int) throws(RealmError) -> [UInt64] {
    if node.count == 0 { return [] }
    guard node.kind == .bytes, node.width == size else {
      throw .damaged(
        RealmPlace(offset: node.offset),
        cause: "numbers of \(size) bytes are expected in a node"
      )
    }
    let bytes = try content(of: node)
    return (0..<node.count).map { Bytes.unsigned(bytes, $0 * size, size) }
  }
}

/// Keys of objects: where one is added, 0 is null; below zero, the object was deleted.
struct LinkLeaf: Leaf {
  let keys: [Int64]
  let table: Int?
  let isShifted: Bool

  var count: Int { keys.count }

  func value(at index: Int) -> RealmValue {
    let key = isShifted ? keys[index].subtractingReportingOverflow(1).partialValue : keys[index]
    guard keys[index] >= 0, key >= 0 else { return .null }
    return .link(RealmLink(table: table, key: key))
  }
}

/// Instants: a leaf of seconds with its mark for null, and one of nanoseconds.
struct TimestampLeaf: Leaf {
  private let seconds: IntegerLeaf
  private let nanoseconds: [Int64]

  init(_ node: Node, _ pass: ReadPass) throws(RealmError) {
    let parts = try pass.elements(of: node)
    seconds = try IntegerLeaf(pass.node(at: parts.reference(0)), pass, hasMarker: true)
    nanoseconds = try pass.integers(at: parts.reference(1))
    guard seconds.count == nanoseconds.count else {
      throw .damaged(
        RealmPlace(offset: node.offset),
        cause: "\(seconds.count) seconds have \(nanoseconds.count) nanoseconds"
      )
    }
  }

  var count: Int { nanoseconds.count }

  func value(at index: Int) throws(RealmError) -> RealmValue {
    try RealmValue.instant(seconds.number(at: index), nanoseconds[index])
  }
}

extension RealmValue {
  /// An instant from its two parts; both have one sign, and the second is below a whole second.
  static func instant(_ seconds: Int64?, _ nanoseconds: Int64) throws(RealmError) -> RealmValue {
    guard let seconds else { return .null }
    guard nanoseconds.magnitude < 1_000_000_000, let small = Int32(exactly: nanoseconds) else {
      throw .damaged(RealmPlace(), cause: "an instant has \(nanoseconds) nanoseconds")
    }
    return .timestamp(seconds: seconds, nanoseconds: small)
  }
}
