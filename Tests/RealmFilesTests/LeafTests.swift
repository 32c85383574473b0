import RealmFiles
import TestSupport
import Testing

/// How values of each type are written in the leaves of formats from 10 on.
struct LeafTests {
  /// The values of one column, whose leaf `body` writes.
  private static func read(
    _ type: Int64,
    isOptional: Bool = true,
    count: Int64,
    format: UInt8 = 24,
    _ body: (inout RealmWriter) -> Int64
  ) throws -> [RealmValue] {
    var writer = RealmWriter()
    let root = writer.cluster(count: count, [body(&writer)])
    let column = SampleColumn("value", type, isOptional ? SampleColumn.nullable : 0)
    let table = writer.table([column], root: root)
    let bytes = writer.file(format: format, tables: [("class_A", table)])
    return try RealmFile(bytes: bytes).column()
  }

  @Test(
    arguments: [
      [0, 0], [1, 0], [3, 2], [15, 9], [127, -128], [0x7FFF, -0x8000], [0x7FFF_FFFF, -0x8000_0000],
      [.max, .min],
    ] as [[Int64]]
  )
  func `whole numbers are read in every width`(numbers: [Int64]) throws {
    let values = try Self.read(0, isOptional: false, count: 2) { $0.numbers(numbers) }
    #expect(values == numbers.map(RealmValue.int))
  }

  @Test func `the first number of a leaf means null`() throws {
    let values = try Self.read(0, count: 2) { $0.numbers([3, 3, 2]) }
    #expect(values == [.null, .int(2)])
  }

  @Test func `a truth value is 0, 1, or 3 for null`() throws {
    #expect(
      try Self.read(1, count: 3) { $0.numbers([1, 0, 3]) } == [.bool(true), .bool(false), .null]
    )
    #expect(throws: RealmError.self) { try Self.read(1, count: 1) { $0.numbers([2]) } }
  }

  @Test func `one NaN of floating-point numbers is null`() throws {
    let floats = try Self.read(9, count: 2) { $0.words([0x7FC0_00AA, 0x3FC0_0000], size: 4) }
    #expect(floats == [.null, .float(1.5)])
    let doubles = try Self.read(10, count: 3) {
      $0.words([0x7FF8_0000_0000_00AA, 0xBFF8_0000_0000_0000, 0x7FF8_0000_0000_0000], size: 8)
    }
    #expect(doubles.prefix(2) == [.null, .double(-1.5)])
    guard case .double(let number) = doubles[2] else {
      Issue.record("another NaN is not a number")
      return
    }
    #expect(number.isNaN)
  }

  @Test func `short strings are read in every width`() throws {
    for width in [4, 8, 16, 32, 64] {
      let long = String(repeating: "x", count: width - 1)
      let values = try Self.read(2, count: 3) { $0.strings(["", nil, long], width: width) }
      #expect(values == [.string(""), .null, .string(long)])
    }
    let write = { (writer: inout RealmWriter) in writer.node(.bytes, width: 0, count: 2) }
    #expect(try Self.read(2, count: 2, write) == [.null, .null])
    #expect(try Self.read(2, isOptional: false, count: 2, write) == [.string(""), .string("")])
  }

  @Test func `medium and big strings end with a zero that is not theirs`() throws {
    let medium = try Self.read(2, count: 3) {
      $0.medium([Array("é".utf8), [], []], marks: [0, 0, 1])
    }
    #expect(medium == [.string("é"), .string(""), .null])
    let big = try Self.read(2, count: 3) { $0.big([Array("a\u{0}b".utf8), nil, []]) }
    #expect(big == [.string("a\u{0}b"), .null, .string("")])
  }

  @Test func `a string that is not UTF-8 keeps its bytes`() throws {
    let values = try Self.read(2, count: 1) { $0.big([[0xC3, 0x28]]) }
    #expect(values == [.malformedString([0xC3, 0x28])])
  }

  @Test func `binaries have no zero behind them`() throws {
    let medium = try Self.read(4, count: 3) {
      $0.medium([[1, 2], [], []], marks: [0, 1, 0], isTerminated: false)
    }
    #expect(medium == [.data([1, 2]), .null, .data([])])
    let big = try Self.read(4, count: 2) { $0.big([nil, [9, 0]], isTerminated: false) }
    #expect(big == [.null, .data([9, 0])])
  }

  @Test func `a blob in parts is joined`() throws {
    let values = try Self.read(4, count: 1) { writer in
      let parts = [writer.blob([1, 2]), writer.blob([3])]
      return writer.references([writer.references(parts, .context)], .context)
    }
    #expect(values == [.data([1, 2, 3])])
  }

  @Test func `an instant has seconds and nanoseconds of one sign`() throws {
    let values = try Self.read(8, count: 3) { writer in
      let seconds = writer.numbers([99, -1, 99, .max])
      return writer.references([seconds, writer.numbers([-500_000_000, 0, 999_999_999])])
    }
    #expect(
      values == [
        .timestamp(seconds: -1, nanoseconds: -500_000_000), .null,
        .timestamp(seconds: .max, nanoseconds: 999_999_999),
      ]
    )
  }

  @Test func `decimals are read in every width`() throws {
    let four = try Self.read(11, count: 3) {
      $0.words([0x3280_0001, 0xB200_007B, 0x7C00_00AA], size: 4)
    }
    let minus = RealmDecimal(isNegative: true, significand: 123, exponent: -1)
    #expect(four == [.decimal(RealmDecimal(significand: 1)), .decimal(minus), .null])
    #expect(minus.description == "-12.3")
    let sixteen = try Self.read(11, count: 1) { writer in
      let low = (0..<8).map { UInt8($0 == 0 ? 5 : 0) }
      let high: [UInt8] = [0, 0, 0, 0, 0, 0, 0x46, 0x30]
      return writer.node(.bytes, width: 16, count: 1, content: low + high)
    }
    #expect(sixteen == [.decimal(RealmDecimal(significand: 5, exponent: 3))])
    let none = try Self.read(11, count: 1) { $0.node(.bytes, width: 0, count: 1) }
    #expect(none == [.null])
    let zero = try Self.read(11, count: 1) { $0.node(.bytes, width: 0, count: 1, .context) }
    #expect(zero == [.decimal(RealmDecimal())])
  }

  @Test(arguments: [
    (RealmDecimal(significand: 1_250, exponent: -2), "12.50"),
    (RealmDecimal(significand: 7, exponent: 30), "7E+30"),
    (RealmDecimal(significand: 75, exponent: 30), "7.5E+31"),
    (RealmDecimal(isNegative: true, significand: 5, exponent: -3), "-0.005"),
    (RealmDecimal(significand: 5, exponent: -9), "5E-9"),
    (RealmDecimal(class: .infinite, isNegative: true), "-Infinity"),
    (RealmDecimal(class: .notANumber), "NaN"),
  ])
  func `a decimal's text keeps every digit`(decimal: RealmDecimal, text: String) {
    #expect(decimal.description == text)
  }

  @Test func `identifiers are in blocks of eight behind their null bits`() throws {
    let identifiers = (0..<9).map { number in (0..<12).map { UInt8(number * 16 + $0) } }
    let values = try Self.read(15, count: 9) { writer in
      let content = [0b10] + identifiers[..<8].flatMap(\.self) + [0] + identifiers[8]
      return writer.node(.bytes, width: 1, count: content.count, content: content)
    }
    var expected = identifiers.map(RealmValue.objectID)
    expected[1] = .null
    #expect(values == expected)
    let uuid = (0..<16).map(UInt8.init)
    #expect(
      try Self.read(17, count: 1) { $0.node(.bytes, width: 1, count: 17, content: [0] + uuid) }
        == [.uuid(uuid)]
    )
  }

  @Test func `a mixed value is of any kind`() throws {
    let values = try Self.read(6, count: 9) { writer in
      let inPlace = { (kind: Int64, value: Int64) in value << 8 | kind + 1 }
      let elsewhere = { (kind: Int64, place: Int64) in place << 8 | 1 << 5 | kind + 1 }
      let inner = writer.references([writer.numbers([inPlace(0, 4)]), 0, 0, 0, 0])
      let composites = writer.numbers([
        0, inPlace(0, -7), elsewhere(0, 0), inPlace(1, 1), elsewhere(2, 0), elsewhere(8, 0),
        elsewhere(10, 1), elsewhere(16, 1), elsewhere(19, 0),
      ])
      let numbers = writer.numbers([1 << 60, 0x3FF8_0000_0000_0000])
      let pairs = writer.numbers([5, 6, 0, 77])
      return writer.references([
        composites, numbers, pairs, writer.strings(["text"]), writer.references([inner]),
      ])
    }
    #expect(
      values == [
        .null, .int(-7), .int(1 << 60), .bool(true), .string("text"),
        .timestamp(seconds: 5, nanoseconds: 6), .double(1.5),
        .link(RealmLink(table: 0, key: 77)), .list([.int(4)]),
      ]
    )
  }

  @Test func `a leaf may hold numbers of the column's distinct strings`() throws {
    var writer = RealmWriter()
    let keys = writer.references([writer.strings(["red", "green"])])
    let root = writer.cluster(count: 3, [writer.numbers([1, 0, 1])])
    let column = SampleColumn("colour", 2)
    let specification = writer.references([
      writer.numbers([2]), writer.strings(["colour"]), writer.numbers([0]), 0, keys,
      writer.numbers([RealmWriter.columnKey(column, leaf: 0)]),
    ])
    let table = writer.references([
      specification, 0, root, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1,
    ])
    let file = try RealmFile(bytes: writer.file(tables: [("class_A", table)]))
    #expect(try file.column() == [.string("green"), .string("red"), .string("green")])
  }

  @Test func `a leaf of another type is damage, and names the property`() throws {
    for type in [0, 1, 2, 4, 6, 8, 9, 10, 11] as [Int64] {
      let error = #expect(throws: RealmError.self) {
        try Self.read(type, count: 1) { $0.node(.blob, width: 0, count: 3, content: [1, 2, 3]) }
      }
      #expect(error?.description.contains("class_A.value") == true, "\(type)")
    }
  }
}
