import RealmFiles
import TestSupport
import Testing

/// Tables of formats from 10 on: their columns, trees and links.
struct ClusterRowTests {
  /// Four objects in two clusters below an inner node with the depth 1.
  private static func tree(keys: Bool) -> [UInt8] {
    var writer = RealmWriter()
    let first = writer.cluster(count: 2, [writer.numbers([10, 11])])
    let second = writer.references([writer.numbers([1, 200]), writer.numbers([12, 13])])
    let offsets = keys ? writer.numbers([0, 1 << 40]) : 0
    let (depth, count) = (RealmWriter.number(1), RealmWriter.number(4))
    let root = writer.references([offsets, depth, count, first, second], .inner)
    let table = writer.table([.init("age", 0)], root: root)
    return writer.file(tables: [("class_Pet", table)])
  }

  @Test func `a tree's keys are counted from the offsets of its children`() throws {
    let file = try RealmFile(bytes: Self.tree(keys: true))
    let far: Int64 = 1 << 40
    #expect(
      try file.values() == [
        0: [.int(10)], 1: [.int(11)], far + 1: [.int(12)], far + 200: [.int(13)],
      ]
    )
  }

  @Test func `without offsets a child has 256 keys to the depth`() throws {
    let file = try RealmFile(bytes: Self.tree(keys: false))
    #expect(Set(try file.values().keys) == [0, 1, 257, 456])
  }

  @Test(arguments: [(-1, 4), (0, 3), (1, 2), (256, 2), (257, 1), (456, 0), (1 << 50, 0)])
  func `reading goes on behind a key`(after: Int64, count: Int) throws {
    let file = try RealmFile(bytes: Self.tree(keys: false))
    #expect(try file.values(after: after).count == count)
  }

  @Test func `a row is found by its key`() throws {
    let file = try RealmFile(bytes: Self.tree(keys: true))
    let lookup = file.lookup(inTable: 0, properties: [0])
    for (key, value) in [(1, 11), ((1 << 40) + 200, 13), (0, 10)] as [(Int64, Int64)] {
      #expect(try lookup.find(key))
      #expect(try lookup.value(0) == .int(value))
    }
    for key in [2, 1 << 40, (1 << 40) + 201, -1, .max] as [Int64] {
      #expect(try !lookup.find(key))
    }
  }

  @Test func `the number of a column's leaf is not its place`() throws {
    var writer = RealmWriter()
    let root = writer.cluster(count: 1, [writer.numbers([1]), writer.strings(["x"]), 0])
    let columns: [SampleColumn] = [.init("text", 2), .init("number", 0)]
    let table = writer.table(columns, root: root, leaves: [1, 0])
    let file = try RealmFile(bytes: writer.file(tables: [("class_A", table)]))
    #expect(try file.values() == [0: [.string("x"), .int(1)]])
  }

  @Test func `primary key and kind of a table are read`() throws {
    var writer = RealmWriter()
    let root = writer.cluster(count: 0, [0, 0])
    let columns: [SampleColumn] = [.init("id", 0), .init("name", 2)]
    let plain = writer.table(columns, root: root, primaryKey: 0)
    let embedded = writer.table(columns, root: root, key: 1, kind: 1)
    let asymmetric = writer.table(columns, root: root, key: 2, primaryKey: 1, kind: 2)
    let file = try RealmFile(
      bytes: writer.file(
        tables: [("class_A", plain), ("class_B", embedded), ("class_C", asymmetric)]
      )
    )
    #expect(file.tables.map(\.primaryKey) == [0, nil, 1])
    #expect(file.tables.map(\.kind) == [.plain, .embedded, .asymmetric])
  }

  @Test func `links name their table, and those to deleted objects are null`() throws {
    var writer = RealmWriter()
    let one = writer.numbers([1, 0, -5])
    let many = writer.references([writer.numbers([2, -3, 0]), 0, writer.numbers([])])
    let root = writer.cluster(count: 3, [one, many])
    let columns: [SampleColumn] = [
      .init("friend", 12, target: 7), .init("friends", 12, SampleColumn.list, target: 7),
    ]
    let other = writer.table([.init("age", 0)], root: writer.cluster(count: 0, [0]), key: 7)
    let table = writer.table(columns, root: root)
    let file = try RealmFile(bytes: writer.file(tables: [("class_A", table), ("class_B", other)]))
    #expect(file.tables[0].properties.map(\.kind) == [.link(table: 1), .link(table: 1)])
    #expect(file.tables[0].properties.map(\.isOptional) == [true, false])
    let link = { (key: Int64) in RealmValue.link(RealmLink(table: 1, key: key)) }
    #expect(
      try file.values() == [
        0: [link(0), .list([link(2), link(0)])], 1: [.null, .list([])], 2: [.null, .list([])],
      ]
    )
  }

  @Test func `a list may be a tree of leaves`() throws {
    var writer = RealmWriter()
    let leaves = [writer.numbers([15, 1, 15]), writer.numbers([127, 100])]
    let inner = writer.references([5] + leaves + [RealmWriter.number(3)], .inner)
    let set = writer.strings(["b", "a"])
    let root = writer.cluster(count: 1, [writer.references([inner]), writer.references([set])])
    let columns: [SampleColumn] = [
      .init("scores", 0, SampleColumn.list | SampleColumn.nullable),
      .init("tags", 2, SampleColumn.set),
    ]
    let table = writer.table(columns, root: root)
    let file = try RealmFile(bytes: writer.file(tables: [("class_A", table)]))
    #expect(file.tables[0].properties.map(\.collection) == [.list, .set])
    #expect(
      try file.values() == [
        0: [.list([.int(1), .null, .int(100)]), .set([.string("b"), .string("a")])]
      ]
    )
  }

  @Test(arguments: [22, 24] as [UInt8])
  func `a dictionary is two trees, and a tree of objects in format 22`(format: UInt8) throws {
    var writer = RealmWriter()
    let keys = writer.strings(["b", "a"])
    // The whole numbers 3 and -1, each with its kind plus one.
    let values = writer.references([writer.numbers([3 << 8 | 1, -1 << 8 | 1]), 0, 0, 0, 0])
    let dictionary =
      format >= 23
      ? writer.references([keys, values])
      : writer.references([writer.numbers([5, 9]), keys, values])
    let root = writer.cluster(count: 2, [writer.references([dictionary, 0])])
    let table = writer.table([.init("map", 0, SampleColumn.dictionary)], root: root)
    let file = try RealmFile(bytes: writer.file(format: format, tables: [("class_A", table)]))
    let entries = [("b", 3), ("a", -1)].map {
      RealmEntry(key: .string($0.0), value: .int($0.1))
    }
    #expect(try file.column() == [.dictionary(entries), .dictionary([])])
  }

  @Test func `a table without a tree has no rows`() throws {
    var writer = RealmWriter()
    let table = writer.table([.init("age", 0)], root: 0)
    let file = try RealmFile(bytes: writer.file(tables: [("class_A", table)]))
    #expect(try file.rowCount(ofTable: 0) == 0)
    #expect(try file.column().isEmpty)
  }
}
