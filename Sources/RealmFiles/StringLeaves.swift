/// Strings or binaries of one leaf, as bytes.
///
/// | form | header | elements |
/// |---|---|---|
/// | short | kind bytes | slots of `width` bytes, the last of which counts those that are unused |
/// | medium | references, no context | ends of the values, their bytes, marks for null |
/// | big | references and context | a blob a value, 0 for null |
///
/// The bytes of a medium or big string have a zero behind them, which is not the string's.
struct ByteStringLeaf {
  private enum Storage {
    case nothing
    case short([UInt8], width: Int)
    case medium(ends: [Int64], bytes: Node?, isNull: [Bool])
    case big([Int64])
  }

  let count: Int
  private let storage: Storage
  private let pass: ReadPass
  private let isTerminated: Bool

  /// Reads strings.
  ///
  /// - Returns: `nil` for a leaf of another form that has elements: numbers of keys.
  init?(strings node: Node, _ pass: ReadPass) throws(RealmError) {
    if !node.hasReferences, node.kind == .bits, node.count > 0 { return nil }
    try self.init(node, pass, isTerminated: true)
  }

  /// Reads binaries.
  init(binaries node: Node, _ pass: ReadPass) throws(RealmError) {
    guard node.hasReferences || node.count == 0 else {
      throw .damaged(RealmPlace(offset: node.offset), cause: "binaries are expected in a node")
    }
    try self.init(node, pass, isTerminated: false)
  }

  private init(_ node: Node, _ pass: ReadPass, isTerminated: Bool) throws(RealmError) {
    self.pass = pass
    self.isTerminated = isTerminated
    if node.hasReferences, node.hasContext {
      let references = try pass.elements(of: node).values
      (count, storage) = (references.count, .big(references))
    } else if node.hasReferences {
      storage = try Self.medium(node, pass, isTerminated: isTerminated)
      guard case .medium(let ends, _, _) = storage else { preconditionFailure("it is medium") }
      count = ends.count
    } else if node.kind == .bytes {
      (count, storage) = (node.count, .short(try pass.content(of: node), width: node.width))
    } else if node.count == 0 {
      (count, storage) = (0, .nothing)
    } else {
      throw .damaged(RealmPlace(offset: node.offset), cause: "strings are expected in a node")
    }
  }

  private static func medium(
    _ node: Node,
    _ pass: ReadPass,
    isTerminated: Bool
  ) throws(RealmError) -> Storage {
    let parts = try pass.elements(of: node)
    let ends = try pass.integers(at: parts.reference(0))
    var bytes: Node?
    if let reference = parts.optionalReference(1) { bytes = try pass.node(at: reference) }
    var isNull: [Bool] = []
    if let reference = parts.optionalReference(2) {
      // Of strings, formats up to 9 mark those that are not null.
      let mark: Int64 = isTerminated && pass.context.hasRowNumbers ? 0 : 1
      isNull = try pass.integers(at: reference).map { ($0 == 0 ? 0 : 1) == mark }
    }
    let size = bytes?.contentSize ?? 0
    guard isNull.isEmpty || isNull.count >= ends.count,
      ends.allSatisfy({ $0 >= 0 && $0 <= size }), zip(ends, ends.dropFirst()).allSatisfy(<=)
    else {
      throw .damaged(RealmPlace(offset: node.offset), cause: "the ends of values do not ascend")
    }
    return .medium(ends: ends, bytes: bytes, isNull: isNull)
  }

  /// The bytes of a value, or `nil` for null.
  func bytes(at index: Int) throws(RealmError) -> [UInt8]? {
    if case .short(let bytes, let width) = storage { return try Self.short(bytes, width, index) }
    return try place(of: index).map(pass.held)
  }

  /// A value as a string, or as a binary; `nil` for null.
  func value(at index: Int, isText: Bool) throws(RealmError) -> RealmValue? {
    let held: [UInt8]?
    if case .short = storage {
      held = try bytes(at: index)
    } else {
      guard let place = try place(of: index) else { return nil }
      if pass.isLarge(place) { return .large(place, isText: isText) }
      held = try pass.held(place)
    }
    return held.map { isText ? RealmValue(text: $0) : .data($0) }
  }

  /// Where the bytes of a value lie that is not short, or `nil` for null.
  private func place(of index: Int) throws(RealmError) -> RealmBytes? {
    switch storage {
    case .nothing, .short: return nil
    case .medium(let ends, let bytes, let isNull):
      if index < isNull.count, isNull[index] { return nil }
      let start = index == 0 ? 0 : Int(ends[index - 1])
      let end = Int(ends[index]) - (isTerminated ? 1 : 0)
      guard let bytes, end > start else { return RealmBytes() }
      return try pass.bytes(of: bytes, start..<end)
    case .big(let references):
      if references[index] == 0 { return nil }
      var bytes = try pass.blob(at: references[index])
      if isTerminated { bytes.removeLast() }
      return bytes
    }
  }

  /// A slot with as many unused bytes as it has bytes is null.
  private static func short(
    _ bytes: [UInt8],
    _ width: Int,
    _ index: Int
  ) throws(RealmError) -> [UInt8]? {
    if width == 0 { return nil }
    let start = index * width
    let length = width - 1 - Int(bytes[start + width - 1])
    guard length >= -1 else {
      throw .damaged(RealmPlace(), cause: "a string's slot has more unused bytes than it has bytes")
    }
    return length < 0 ? nil : Array(bytes[start..<start + length])
  }
}

/// Strings; where null is not possible, an empty one may be written as null.
struct StringLeaf: Leaf {
  private enum Storage {
    case bytes(ByteStringLeaf)
    case keys([Int64], EnumeratedKeys)
  }

  private let storage: Storage
  private let isOptional: Bool
  private let pass: ReadPass

  init(
    _ node: Node,
    _ pass: ReadPass,
    isOptional: Bool,
    keys: EnumeratedKeys?
  ) throws(RealmError) {
    self.isOptional = isOptional
    self.pass = pass
    if let bytes = try ByteStringLeaf(strings: node, pass) {
      storage = .bytes(bytes)
    } else if let keys {
      storage = .keys(try pass.integers(of: node), keys)
    } else {
      throw .damaged(RealmPlace(offset: node.offset), cause: "strings are expected in a node")
    }
  }

  var count: Int {
    switch storage {
    case .bytes(let bytes): bytes.count
    case .keys(let numbers, _): numbers.count
    }
  }

  func value(at index: Int) throws(RealmError) -> RealmValue {
    switch storage {
    case .bytes(let leaf):
      try leaf.value(at: index, isText: true) ?? (isOptional ? .null : .string(""))
    case .keys(let numbers, let keys): try keys.value(at: numbers[index], for: pass)
    }
  }
}

/// Binaries.
struct DataLeaf: Leaf {
  let bytes: ByteStringLeaf

  var count: Int { bytes.count }

  func value(at index: Int) throws(RealmError) -> RealmValue {
    try bytes.value(at: index, isText: false) ?? .null
  }
}

/// The distinct strings of a column whose leaves hold their numbers.
final class EnumeratedKeys {
  private let column: TreeColumn
  private let pass: ReadPass

  init(at reference: Int64, isOptional: Bool, _ survey: ReadPass) throws(RealmError) {
    // Keys are reached many times, so each of them is a reading of its own. The reading of a row holds them.
    pass = ReadPass(survey.context, holding: { _ in 0 })
    column = try TreeColumn(
      at: reference,
      .strings(isOptional: isOptional, keys: nil),
      pass,
      inAnyOrderAfter: survey
    )
  }

  func value(at number: Int64, for reader: ReadPass) throws(RealmError) -> RealmValue {
    guard number >= 0, number < Int64(column.count) else {
      throw .damaged(
        RealmPlace(),
        cause: "a string is number \(number) of \(column.count) distinct ones"
      )
    }
    pass.restart()
    let value = try column.value(at: Int(number))
    if case .large(let place, _) = value, reader.isLarge(place) { return value }
    return try reader.held(value)
  }
}
