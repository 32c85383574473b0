import RealmFiles
import TestSupport
import Testing

/// Tables of formats up to 9: one tree a column, and rows that are numbers.
struct OldTableTests {
  private static func read(
    _ column: SampleColumn,
    format: UInt8 = 9,
    subordinates: [Int64] = [],
    _ body: (inout RealmWriter) -> Int64
  ) throws -> [RealmValue] {
    var writer = RealmWriter()
    let slot = body(&writer)
    let table = writer.oldTable([column], slots: [slot], subordinates: subordinates)
    let bytes = writer.file(format: format, tables: [("class_A", table)])
    return try RealmFile(bytes: bytes).column()
  }

  @Test func `an indexed column takes two slots`() throws {
    var writer = RealmWriter()
    let columns: [SampleColumn] = [.init("id", 0, 1), .init("name", 2)]
    let index = writer.references([0])
    let slots = [writer.numbers([4, 5]), index, writer.strings(["a", "b"])]
    let table = writer.oldTable(columns, slots: slots)
    let file = try RealmFile(bytes: writer.file(format: 8, tables: [("class_A", table)]))
    #expect(file.tables[0].properties.map(\.isIndexed) == [true, false])
    #expect(file.tables[0].hasRowNumbers)
    #expect(try file.rowCount(ofTable: 0) == 2)
    #expect(try file.values() == [0: [.int(4), .string("a")], 1: [.int(5), .string("b")]])
    #expect(try file.values(after: 0) == [1: [.int(5), .string("b")]])
  }

  @Test func `the marks of medium strings are those of values that are not null`() throws {
    let values = try Self.read(.init("text", 2, SampleColumn.nullable)) {
      $0.medium([Array("a".utf8), []], marks: [1, 0])
    }
    #expect(values == [.string("a"), .null])
  }

  @Test func `the marks of binaries are those of nulls`() throws {
    let values = try Self.read(.init("data", 4, SampleColumn.nullable)) {
      $0.medium([[1], []], marks: [0, 1], isTerminated: false)
    }
    #expect(values == [.data([1]), .null])
  }

  @Test func `a truth value has its column's mark for null`() throws {
    let values = try Self.read(.init("flag", 1, SampleColumn.nullable)) {
      $0.numbers([2, 1, 2, 0])
    }
    #expect(values == [.bool(true), .null, .bool(false)])
  }

  @Test func `dates are seconds, and instants are two trees`() throws {
    let dates = try Self.read(.init("date", 7), format: 2) { $0.numbers([1_000_000_000]) }
    #expect(dates == [.timestamp(seconds: 1_000_000_000, nanoseconds: 0)])
    let instants = try Self.read(.init("date", 8, SampleColumn.nullable)) { writer in
      let leaves = [writer.numbers([9, 5]), writer.numbers([9, 9])]
      let seconds = writer.references([3] + leaves + [RealmWriter.number(2)], .inner)
      return writer.references([seconds, writer.numbers([7, 0])])
    }
    #expect(instants == [.timestamp(seconds: 5, nanoseconds: 7), .null])
  }

  @Test func `links are row numbers, and their target is a position among all tables`() throws {
    var writer = RealmWriter()
    let columns: [SampleColumn] = [.init("one", 12), .init("many", 13)]
    let many = writer.references([0, writer.numbers([1, 0])])
    let target = RealmWriter.number(2)
    let table = writer.oldTable(
      columns,
      slots: [writer.numbers([0, 2]), many],
      subordinates: [target, target]
    )
    let other = writer.oldTable([.init("age", 0)], slots: [writer.numbers([7, 8])])
    let tables = [("class_A", table), ("class_Gone", 0), ("class_B", other)]
    let file = try RealmFile(bytes: writer.file(format: 9, tables: tables))
    let link = { (row: Int64) in RealmValue.link(RealmLink(table: 1, key: row)) }
    #expect(
      try file.values() == [0: [.null, .list([])], 1: [link(1), .list([link(1), link(0)])]]
    )
  }

  @Test func `a list of values is a sub-table, and other sub-tables are rows`() throws {
    var writer = RealmWriter()
    let list = writer.oldSpecification([.init("!ARRAY_VALUE", 0)])
    let pairs = writer.oldSpecification([.init("x", 0), .init("y", 2)])
    let lists = writer.references([writer.references([writer.numbers([4, 5])]), 0])
    let rows = writer.references([
      0, writer.references([writer.numbers([1]), writer.strings(["z"])]),
    ])
    let table = writer.oldTable(
      [.init("scores", 5), .init("pairs", 5)],
      slots: [lists, rows],
      subordinates: [list, pairs]
    )
    let file = try RealmFile(bytes: writer.file(format: 9, tables: [("class_A", table)]))
    #expect(file.tables[0].properties.map(\.collection) == [.list, nil])
    #expect(file.tables[0].properties[0].kind == .int)
    #expect(
      try file.values() == [
        0: [.list([.int(4), .int(5)]), .rows([])],
        1: [.list([]), .rows([[.int(1), .string("z")]])],
      ]
    )
  }

  @Test func `numbers of distinct strings are in a column of a type of its own`() throws {
    var writer = RealmWriter()
    let keys = writer.strings(["red", "green"])
    let table = writer.oldTable(
      [.init("colour", 3)],
      slots: [writer.numbers([1, 1, 0])],
      strings: [keys]
    )
    let file = try RealmFile(bytes: writer.file(format: 6, tables: [("class_A", table)]))
    #expect(try file.column() == [.string("green"), .string("green"), .string("red")])
  }

  @Test func `old mixed values have their kinds in a tree of their own`() throws {
    let values = try Self.read(.init("any", 6), format: 5) { writer in
      let kinds = writer.numbers([0, 12, 1, 2, 7, 11])
      // -1 as a number below zero, and -2.5 without its sign.
      let double = Int64(bitPattern: (2.5).bitPattern << 1)
      let data = writer.numbers([5 << 1, -2, 2, 0, 9 << 1, double])
      let binary = writer.medium([Array("text".utf8) + [0]], marks: [0], isTerminated: false)
      return writer.references([kinds, data, binary])
    }
    #expect(
      values == [
        .int(5), .int(-1), .bool(true), .string("text"), .timestamp(seconds: 9, nanoseconds: 0),
        .double(-2.5),
      ]
    )
  }

  @Test func `primary keys are in a table of their own`() throws {
    var writer = RealmWriter()
    let columns: [SampleColumn] = [.init("pk_table", 2), .init("pk_property", 2)]
    let slots = [writer.strings(["A"]), writer.strings(["name"])]
    let keys = writer.oldTable(columns, slots: slots)
    let table = writer.oldTable(
      [.init("age", 0), .init("name", 2)],
      slots: [writer.numbers([1]), writer.strings(["x"])]
    )
    let tables = [("pk", keys), ("class_A", table)]
    let file = try RealmFile(bytes: writer.file(format: 9, tables: tables))
    #expect(file.tables[1].primaryKey == 1)
    #expect(file.tables[0].className == nil)
  }

  @Test func `columns of different lengths are damage`() throws {
    var writer = RealmWriter()
    let slots = [writer.numbers([1, 2]), writer.numbers([1])]
    let table = writer.oldTable([.init("a", 0), .init("b", 0)], slots: slots)
    let file = try RealmFile(bytes: writer.file(format: 9, tables: [("class_A", table)]))
    let error = #expect(throws: RealmError.self) { try file.values() }
    #expect(error?.description.contains("class_A.b") == true)
  }

  @Test func `a row is found by its number`() throws {
    var writer = RealmWriter()
    let table = writer.oldTable([.init("a", 0)], slots: [writer.numbers([7, 9])])
    let file = try RealmFile(bytes: writer.file(format: 9, tables: [("class_A", table)]))
    let lookup = file.lookup(inTable: 0, properties: [0])
    #expect(try lookup.find(1))
    #expect(try lookup.value(0) == .int(9))
    #expect(try !lookup.find(2))
  }
}
