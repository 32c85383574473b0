/// Writes small Realm files node by node, so that a test says every byte that it is about.
package struct RealmWriter {
  package private(set) var bytes = [UInt8](repeating: 0, count: 24)

  package init() {}

  /// What is in a node's header beside its size.
  package struct Flags: OptionSet {
    package let rawValue: UInt8
    package static let inner = Flags(rawValue: 0x80)
    package static let references = Flags(rawValue: 0x40)
    package static let context = Flags(rawValue: 0x20)

    package init(rawValue: UInt8) { self.rawValue = rawValue }
  }

  /// How a node's width counts.
  package enum Kind: UInt8 {
    case bits, bytes, blob, unreleased
  }

  /// Writes a node with a header of any kind, and gives its offset.
  package mutating func node(
    _ kind: Kind,
    width: Int,
    count: Int,
    _ flags: Flags = [],
    content: [UInt8] = []
  ) -> Int64 {
    let offset = bytes.count
    let code = width == 0 ? 0 : width.trailingZeroBitCount + 1
    bytes += [0x41, 0x41, 0x41, 0x41, flags.rawValue | kind.rawValue << 3 | UInt8(code)]
    bytes += [UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
    bytes += content
    // What fills a node up is old memory, and never zero.
    while bytes.count % 8 != 0 { bytes.append(0xEE) }
    return Int64(offset)
  }

  /// Writes whole numbers in the smallest width that holds them all.
  package mutating func numbers(_ numbers: [Int64], _ flags: Flags = []) -> Int64 {
    let width = Self.width(of: numbers)
    var content = [UInt8](repeating: 0, count: (numbers.count * width + 7) / 8)
    for (index, number) in numbers.enumerated() where width > 0 {
      if width < 8 {
        content[index * width / 8] |= UInt8(number) << UInt8(index * width % 8)
      } else {
        for place in 0..<width / 8 {
          content[index * width / 8 + place] = UInt8(truncatingIfNeeded: number >> Int64(8 * place))
        }
      }
    }
    return node(.bits, width: width, count: numbers.count, flags, content: content)
  }

  private static func width(of numbers: [Int64]) -> Int {
    let widths: [(width: Int, range: ClosedRange<Int64>)] = [
      (0, 0...0), (1, 0...1), (2, 0...3), (4, 0...15), (8, -0x80...0x7F),
      (16, -0x8000...0x7FFF), (32, -0x8000_0000...0x7FFF_FFFF),
    ]
    return widths.first { candidate in numbers.allSatisfy(candidate.range.contains) }?.width ?? 64
  }

  /// Writes references.
  package mutating func references(_ references: [Int64], _ flags: Flags = []) -> Int64 {
    numbers(references, flags.union(.references))
  }

  /// Writes short strings in slots of a width.
  package mutating func strings(_ strings: [String?], width: Int = 32) -> Int64 {
    let content = strings.flatMap { string -> [UInt8] in
      let text = Array((string ?? "").utf8)
      let unused = string == nil ? width : width - 1 - text.count
      return text + [UInt8](repeating: 0, count: width - 1 - text.count) + [UInt8(unused)]
    }
    return node(.bytes, width: width, count: strings.count, content: content)
  }

  /// Writes a blob.
  package mutating func blob(_ content: [UInt8]) -> Int64 {
    node(.blob, width: 0, count: content.count, content: content)
  }

  /// Writes medium strings with their marks, or binaries, which have no zero behind them.
  package mutating func medium(_ values: [[UInt8]], marks: [Int64], isTerminated: Bool = true)
    -> Int64
  {
    var (ends, content): ([Int64], [UInt8]) = ([], [])
    for value in values {
      content += isTerminated ? value + [0] : value
      ends.append(Int64(content.count))
    }
    let parts = [numbers(ends), blob(content), numbers(marks)]
    return references(parts)
  }

  /// Writes big strings, each a blob of its own.
  package mutating func big(_ values: [[UInt8]?], isTerminated: Bool = true) -> Int64 {
    var parts: [Int64] = []
    for value in values {
      parts.append(value.map { blob(isTerminated ? $0 + [0] : $0) } ?? 0)
    }
    return references(parts, .context)
  }

  /// Writes floating-point numbers, decimals or other words of a size.
  package mutating func words(_ words: [UInt64], size: Int, _ flags: Flags = []) -> Int64 {
    let content = words.flatMap { word in
      (0..<size).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
    }
    return node(.bytes, width: size, count: words.count, flags, content: content)
  }

  /// A number among references.
  package static func number(_ number: Int64) -> Int64 { 2 * number + 1 }

  /// The file, ended by its top node, in the form of a file that is written in one go.
  package mutating func file(
    format: UInt8 = 24,
    tables: [(name: String, table: Int64)],
    size: Int64? = nil
  ) -> [UInt8] {
    let names = strings(tables.map(\.name))
    let list = references(tables.map(\.table))
    // The top node's own size does not count to what it says.
    let top = references([names, list, Self.number(size ?? Int64(bytes.count))])
    var whole = bytes
    whole.replaceSubrange(0..<8, with: repeatElement(0xFF, count: 8))
    whole.replaceSubrange(16..<24, with: Array("T-DB".utf8) + [format, 0, 0, 0])
    for place in 0..<8 { whole.append(UInt8(truncatingIfNeeded: top >> Int64(8 * place))) }
    return whole + [0xC8, 0x26, 0xE5, 0x37, 0x52, 0x12, 0x34, 0x30]
  }
}

/// A column of a table that a test writes.
package struct SampleColumn {
  package let name: String
  package let type: Int64
  package let attributes: Int64
  /// The key of the table that links lead to.
  package let target: Int64

  package init(_ name: String, _ type: Int64, _ attributes: Int64 = 0, target: Int64 = 0) {
    self.name = name
    self.type = type
    self.attributes = attributes
    self.target = target
  }

  package static let nullable: Int64 = 16
  package static let list: Int64 = 32
  package static let dictionary: Int64 = 64
  package static let set: Int64 = 128
}

extension RealmWriter {
  /// A column's key, whose lowest 16 bits are the number of its leaf.
  package static func columnKey(_ column: SampleColumn, leaf: Int) -> Int64 {
    Int64(leaf) | column.type << 16 | column.attributes << 22 | Int64(leaf + 1) << 30
  }

  /// Writes a table of formats from 10 on.
  ///
  /// - Parameters:
  ///   - columns: The columns in their order.
  ///   - root: The root of its objects.
  ///   - key: The key that links name it with.
  ///   - primaryKey: The place of the column that is the primary key.
  ///   - kind: 0 plain, 1 embedded, 2 asymmetric.
  ///   - leaves: The number of each column's leaf; their order where that is `nil`.
  /// - Returns: Where it is.
  package mutating func table(
    _ columns: [SampleColumn],
    root: Int64,
    key: Int64 = 0,
    primaryKey: Int? = nil,
    kind: Int64 = 0,
    leaves: [Int]? = nil
  ) -> Int64 {
    let leaves = leaves ?? Array(columns.indices)
    let keys = zip(columns, leaves).map { Self.columnKey($0, leaf: $1) }
    let specification = references([
      numbers(columns.map(\.type)), strings(columns.map(\.name)),
      numbers(columns.map(\.attributes)), 0, 0, numbers(keys),
    ])
    var targets = [Int64](repeating: 0, count: (leaves.max() ?? -1) + 1)
    for (column, leaf) in zip(columns, leaves) { targets[leaf] = column.target }
    let opposites = numbers(targets)
    let primary = primaryKey.map { Self.number(keys[$0]) } ?? 0
    return references([
      specification, 0, root, Self.number(key), 0, 1, 1, opposites, 0, 1, 0, primary,
      Self.number(kind), 0,
    ])
  }

  /// Writes a cluster of objects with the keys 0, 1, 2 ….
  package mutating func cluster(count: Int64, _ leaves: [Int64]) -> Int64 {
    references([Self.number(count)] + leaves)
  }

  /// Writes a table of formats up to 9.
  package mutating func oldTable(
    _ columns: [SampleColumn],
    slots: [Int64],
    subordinates: [Int64] = [],
    strings keys: [Int64] = []
  ) -> Int64 {
    let data = references(slots)
    return references([oldSpecification(columns, subordinates, keys), data])
  }

  /// Writes the specification of a table or sub-table of formats up to 9.
  package mutating func oldSpecification(
    _ columns: [SampleColumn],
    _ subordinates: [Int64] = [],
    _ keys: [Int64] = []
  ) -> Int64 {
    let names = columns.filter { $0.type != 14 }.map(\.name)
    var parts = [numbers(columns.map(\.type)), strings(names), numbers(columns.map(\.attributes))]
    if !subordinates.isEmpty || !keys.isEmpty {
      parts.append(subordinates.isEmpty ? 0 : references(subordinates))
      if !keys.isEmpty { parts.append(references(keys)) }
    }
    return references(parts)
  }
}
