/// What every reading of one file shares.
final class FileContext {
  let pages: PageCache
  /// The file format: 2 to 11, 20, 22, 23 or 24.
  let format: Int
  /// The places of tables in ``RealmFile/tables`` by the keys that links name them with.
  var tablePlaces: [Int64: Int] = [:]

  init(_ pages: PageCache, format: Int) {
    self.pages = pages
    self.format = format
  }

  /// Whether tables are one tree a column, and rows have numbers: formats up to 9.
  var hasRowNumbers: Bool { format < 10 }

  /// The place of the table that a key names.
  func tablePlace(ofKey key: Int64) -> Int? {
    tablePlaces[key] ?? tablePlaces[key & 0x7FFF_FFFF]
  }
}

/// How many bytes a string or a binary may have to be held, where so many bytes of its row are held already.
package typealias MostHeld = (_ beside: Int) -> Int

/// One reading through a file, which ends whatever the file holds.
///
/// Every node of a sound file has one parent. A pass therefore reaches at most as many nodes, and reads
/// at most as many bytes of values, as fit into the file; a file that leads in circles, or to one
/// node many times, is found damaged.
final class ReadPass {
  let context: FileContext
  /// Says how many bytes a string or a binary may have to be held beside those of its row that are held already.
  let mostHeld: MostHeld
  private let share: Int
  private var nodesLeft = 0
  private var bytesLeft = 0
  private var rowBytes = 0
  private var valueBytesLeft = 0
  private(set) var valueElementsLeft = 0

  /// - Parameters:
  ///   - context: The file.
  ///   - columnCount: How many columns are read side by side; each may reach every node.
  ///   - mostHeld: A string or a binary with more bytes is ``RealmValue/large(_:isText:)``.
  init(
    _ context: FileContext,
    columnCount: Int = 1,
    holding mostHeld: @escaping MostHeld = { _ in .max }
  ) {
    self.context = context
    self.mostHeld = mostHeld
    share = columnCount + 1
    restart()
  }

  /// Begins a new reading, of the same row.
  func restart() {
    // Some trees are gone through twice, once for the places of their leaves.
    nodesLeft = 2 * share * (context.pages.size / Node.headerSize + 1)
    bytesLeft = share * (context.pages.size + 1)
    beginValue()
  }

  /// Begins a new row, of which nothing is held.
  func beginRow() { rowBytes = 0 }

  /// Begins a new value, which may be as large as one value may be.
  func beginValue() {
    valueBytesLeft = ReadLimits.valueBytes
    valueElementsLeft = ReadLimits.valueElements
  }

  /// Takes note of values that are held in memory, as parts of one value.
  func take(elements count: Int) throws(RealmError) {
    valueElementsLeft -= count
    guard valueElementsLeft >= 0 else {
      throw .tooLarge(RealmPlace(), cause: "it holds more than \(ReadLimits.valueElements) values")
    }
  }

  /// Whether bytes are too many to be held beside those of the row that are held already.
  func isLarge(_ bytes: RealmBytes) -> Bool { bytes.count > mostHeld(rowBytes) }

  /// Bytes of the file that are held in memory, as parts of one value.
  func held(_ bytes: RealmBytes) throws(RealmError) -> [UInt8] {
    rowBytes += bytes.count
    valueBytesLeft -= bytes.count
    guard valueBytesLeft >= 0 else { throw .tooLong(bytes.parts.first?.lowerBound) }
    return try context.pages.bytes(bytes)
  }

  /// The same value, held however many bytes it has.
  func held(_ value: RealmValue) throws(RealmError) -> RealmValue {
    guard case .large(let place, let isText) = value else { return value }
    let bytes = try held(place)
    return isText ? RealmValue(text: bytes) : .data(bytes)
  }
}

extension ReadPass {
  /// Reads the header of the node that a reference leads to.
  func node(at reference: Int64) throws(RealmError) -> Node {
    guard let offset = Int(exactly: reference), offset >= FileHeader.size, offset % 8 == 0,
      context.pages.contains(offset, count: Node.headerSize)
    else {
      throw .damaged(RealmPlace(), cause: "a reference leads to byte \(reference)")
    }
    nodesLeft -= 1
    guard nodesLeft >= 0 else { throw .repeated(offset) }
    guard let node = Node(header: try context.pages.word(at: offset), at: offset) else {
      throw .damaged(
        RealmPlace(offset: offset),
        cause: "a node is of a kind that no release writes"
      )
    }
    guard context.pages.contains(node.contentOffset, count: node.contentSize) else {
      throw .truncated(RealmPlace(offset: offset), cause: "a node has \(node.contentSize) bytes")
    }
    return node
  }

  /// The elements of a node as they are packed.
  func content(of node: Node) throws(RealmError) -> [UInt8] {
    guard node.count <= ReadLimits.elementCount else {
      throw .damaged(
        RealmPlace(offset: node.offset),
        cause: "a node has \(node.count) elements, and no release writes that many"
      )
    }
    return try context.pages.bytes(at: node.contentOffset, count: node.contentSize)
  }

  /// The whole numbers of a node.
  func integers(of node: Node, isSigned: Bool = true) throws(RealmError) -> [Int64] {
    guard node.kind == .bits || node.count == 0 else {
      throw .damaged(RealmPlace(offset: node.offset), cause: "whole numbers are expected in a node")
    }
    let bytes = try content(of: node)
    return PackedIntegers.unpack(bytes, width: node.width, count: node.count, isSigned: isSigned)
  }

  /// The whole numbers of the node that a reference leads to.
  func integers(at reference: Int64, isSigned: Bool = true) throws(RealmError) -> [Int64] {
    try integers(of: node(at: reference), isSigned: isSigned)
  }

  /// The elements of a node that leads to others.
  func elements(at reference: Int64) throws(RealmError) -> ElementList {
    try elements(of: node(at: reference))
  }

  /// The elements of a node that leads to others.
  func elements(of node: Node) throws(RealmError) -> ElementList {
    guard node.hasReferences else {
      throw .damaged(RealmPlace(offset: node.offset), cause: "references are expected in a node")
    }
    return ElementList(node: node, values: try integers(of: node))
  }

  /// Where a part of a blob's bytes lies.
  func bytes(of blob: Node, _ range: Range<Int>) throws(RealmError) -> RealmBytes {
    var bytes = RealmBytes()
    try add(blob, range, to: &bytes)
    return bytes
  }

  /// Where the bytes of the blob lie that a reference leads to; one beyond 16 MiB is in parts.
  func blob(at reference: Int64) throws(RealmError) -> RealmBytes {
    var bytes = RealmBytes()
    try add(blobAt: reference, to: &bytes, depth: 0)
    return bytes
  }

  private func add(
    blobAt reference: Int64,
    to bytes: inout RealmBytes,
    depth: Int
  ) throws(RealmError) {
    let node = try node(at: reference)
    guard node.hasContext, node.hasReferences else {
      guard node.kind == .blob else {
        throw .damaged(RealmPlace(offset: node.offset), cause: "a blob is expected in a node")
      }
      return try add(node, 0..<node.count, to: &bytes)
    }
    guard depth < ReadLimits.treeDepth else { throw .tooDeep(node.offset) }
    for part in try elements(of: node).values {
      try add(blobAt: part, to: &bytes, depth: depth + 1)
    }
  }

  private func add(
    _ blob: Node,
    _ range: Range<Int>,
    to bytes: inout RealmBytes
  ) throws(RealmError) {
    bytesLeft -= range.count
    guard bytesLeft >= 0 else { throw .repeated(blob.offset) }
    guard bytes.count + range.count <= ReadLimits.valueBytes else { throw .tooLong(blob.offset) }
    guard bytes.parts.count < ReadLimits.elementCount else {
      throw .damaged(
        RealmPlace(offset: blob.offset),
        cause: "a blob has \(bytes.parts.count) parts, and no release writes that many"
      )
    }
    bytes.add(blob.contentOffset + range.lowerBound, count: range.count)
  }
}

/// The elements of a node that has references.
struct ElementList {
  let node: Node
  let values: [Int64]

  var count: Int { values.count }

  /// An element; nothing where the node is shorter.
  func element(_ index: Int) -> Element {
    index < values.count ? Element(values[index]) : .nothing
  }

  /// The reference at a place where there has to be one.
  func reference(_ index: Int) throws(RealmError) -> Int64 {
    guard case .reference(let reference) = element(index) else {
      throw .damaged(
        RealmPlace(offset: node.offset),
        cause: "element \(index) of a node is not a reference"
      )
    }
    return reference
  }

  /// The reference at a place where there may be none.
  func optionalReference(_ index: Int) -> Int64? {
    if case .reference(let reference) = element(index) { reference } else { nil }
  }

  /// The number at a place, if it holds one.
  func number(_ index: Int) -> UInt64? {
    if case .number(let number) = element(index) { number } else { nil }
  }
}

extension RealmError {
  /// A node was reached more often than the file has nodes.
  static func repeated(_ offset: Int) -> RealmError {
    .damaged(RealmPlace(offset: offset), cause: "nodes are reached more than once")
  }

  /// A string or a binary, or what is held of one value, has too many bytes.
  static func tooLong(_ offset: Int?) -> RealmError {
    let limit = ReadLimits.valueBytes >> 20
    return .tooLarge(RealmPlace(offset: offset), cause: "it has more than \(limit) MiB")
  }

  static func tooDeep(_ offset: Int) -> RealmError {
    .damaged(RealmPlace(offset: offset), cause: "nodes are nested deeper than Realm writes them")
  }
}
