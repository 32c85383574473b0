import RealmFiles
import TestSupport
import Testing

/// What a file is recognised by, and refused for, before a row is read.
struct RealmHeaderTests {
  private static func pets() -> [UInt8] {
    var writer = RealmWriter()
    let ages = writer.numbers([15, 7, 15])
    let root = writer.cluster(count: 2, [writer.strings(["Rex", "Ida"]), ages])
    let table = writer.table([.init("name", 2), .init("age", 0, 16)], root: root)
    return writer.file(tables: [("class_Pet", table)])
  }

  private static func refusal(_ bytes: [UInt8], key: [UInt8]? = nil) -> RealmError? {
    do throws(RealmError) {
      _ = try RealmFile(bytes: bytes, key: key)
      return nil
    } catch { return error }
  }

  @Test func `a file that was written in one go is opened`() throws {
    let file = try RealmFile(bytes: Self.pets())
    #expect(file.format == 24)
    #expect(file.isStreaming)
    #expect(!file.isEncrypted)
    #expect(file.tables.map(\.className) == ["Pet"])
    #expect(file.tables[0].properties.map(\.name) == ["name", "age"])
    #expect(file.tables[0].properties.map(\.isOptional) == [false, true])
    #expect(try file.rowCount(ofTable: 0) == 2)
    #expect(try file.values() == [0: [.string("Rex"), .int(7)], 1: [.string("Ida"), .null]])
  }

  @Test func `the slot in force decides about the format and the top node`() throws {
    var bytes = Self.pets()
    let top = bytes[(bytes.count - 16)..<(bytes.count - 8)]
    bytes.replaceSubrange(0..<8, with: repeatElement(0, count: 8))
    bytes.replaceSubrange(8..<16, with: top)
    bytes.replaceSubrange(20..<24, with: [9, 24, 0, 1])
    let file = try RealmFile(bytes: bytes)
    #expect(file.format == 24)
    #expect(!file.isStreaming)
    #expect(try file.rowCount(ofTable: 0) == 2)
  }

  @Test func `a file without a top node has no table`() throws {
    let header = [UInt8](repeating: 0, count: 16) + Array("T-DB".utf8) + [0, 0, 0, 0]
    #expect(try RealmFile(bytes: header).tables.isEmpty)
  }

  @Test func `an empty file and one without a mark are refused differently`() {
    #expect(Self.refusal([]) == .empty)
    #expect(Self.refusal(Array("not a database".utf8)) == .notRealm)
    #expect(Self.refusal([UInt8](repeating: 7, count: 8192)) == .notRealm)
  }

  @Test(arguments: [1, 12, 19, 21, 25, 99] as [UInt8])
  func `a format that is not read is refused with its number`(format: UInt8) {
    var bytes = Self.pets()
    bytes[20] = format
    #expect(Self.refusal(bytes) == .unsupportedFormat(Int(format)))
  }

  @Test func `a cut file is refused wherever it is cut`() {
    let bytes = Self.pets()
    for size in 24..<bytes.count {
      guard case .truncated = Self.refusal(Array(bytes[..<size])) else {
        Issue.record("a file of \(size) bytes was not refused as cut")
        continue
      }
    }
  }

  @Test func `a file that says that it is longer is refused`() throws {
    var writer = RealmWriter()
    let table = writer.table([.init("age", 0)], root: writer.cluster(count: 0, [0]))
    let bytes = writer.file(tables: [("class_Pet", table)], size: 1 << 20)
    guard case .truncated(_, let cause) = Self.refusal(bytes) else {
      Issue.record("it was opened")
      return
    }
    #expect(cause.contains("says \(1 << 20)"))
  }

  @Test func `a removed table and its name are passed over`() throws {
    var writer = RealmWriter()
    let root = writer.cluster(count: 1, [writer.numbers([5])])
    let table = writer.table([.init("age", 0)], root: root, key: 2)
    let bytes = writer.file(tables: [("class_Gone", 0), ("class_Old", 5), ("class_Pet", table)])
    let file = try RealmFile(bytes: bytes)
    #expect(file.tables.map(\.name) == ["class_Pet"])
    #expect(try file.column() == [.int(5)])
  }

  @Test func `tables of Realm itself are not classes`() throws {
    var writer = RealmWriter()
    let table = writer.table([.init("version", 0)], root: writer.cluster(count: 0, [0]))
    let names = ["metadata", "pk", "class___User", "sync_subscriptions", "class_Dog"]
    let file = try RealmFile(bytes: writer.file(tables: names.map { ($0, table) }))
    #expect(file.tables.map(\.className) == [nil, nil, nil, nil, "Dog"])
  }

  @Test func `an interrupted upgrade is refused by the table's name`() throws {
    var writer = RealmWriter()
    let specification = writer.oldSpecification([.init("age", 0)])
    let table = writer.references([specification, 0, 0, 0])
    let bytes = writer.file(format: 9, tables: [("pk", table)])
    #expect(Self.refusal(bytes) == .interruptedUpgrade(table: "pk"))
  }

  @Test func `an error says where and why, and what to do`() throws {
    var writer = RealmWriter()
    let root = writer.cluster(count: 1, [writer.node(.unreleased, width: 8, count: 1)])
    let table = writer.table([.init("age", 0)], root: root)
    let file = try RealmFile(bytes: writer.file(tables: [("class_Pet", table)]))
    let error = #expect(throws: RealmError.self) { try file.column() }
    #expect(
      error?.description
        == "the file is damaged (class_Pet.age, byte 24): a node is of a kind that no release writes"
    )
    #expect(error?.cure.isEmpty == false)
  }
}
