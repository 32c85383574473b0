import RealmFiles
import TestSupport
import Testing

/// Files that claim what they do not hold, and lead in circles.
@Suite(.timeLimit(.minutes(2)))
struct HostileRealmTests {
  private static func column(
    _ type: Int64,
    _ attributes: Int64 = 0,
    count: Int64 = 1,
    format: UInt8 = 24,
    _ body: (inout RealmWriter) -> Int64
  ) -> RealmError? {
    var writer = RealmWriter()
    let root = writer.cluster(count: count, [body(&writer)])
    let table = writer.table([.init("value", type, attributes)], root: root)
    let bytes = writer.file(format: format, tables: [("class_A", table)])
    return refusal(bytes)
  }

  private static func refusal(_ bytes: [UInt8]) -> RealmError? {
    do throws(RealmError) {
      let file = try RealmFile(bytes: bytes)
      for place in file.tables.indices { _ = try file.values(ofTable: place) }
      return nil
    } catch { return error }
  }

  @Test func `eight bytes that claim 16 million elements are refused`() {
    let leaf = Self.column(0) { $0.node(.bits, width: 0, count: 0xFF_FFFF) }
    #expect(leaf?.description.contains("no release writes that many") == true)
    let list = Self.column(0, SampleColumn.list) { writer in
      let values = writer.node(.bits, width: 0, count: 0xFF_FFFF)
      return writer.references([values])
    }
    #expect(list?.description.contains("no release writes that many") == true)
  }

  @Test func `a cluster that claims many objects is refused`() {
    for count in [1001, 1 << 40, (1 << 62) - 1] as [Int64] {
      let error = Self.column(0, count: count) { $0.node(.bits, width: 0, count: 1000) }
      #expect(error?.description.contains("a cluster has \(count) objects") == true)
    }
  }

  @Test func `a list that leads to itself is refused`() {
    let error = Self.column(0, SampleColumn.list) { writer in
      let offset = Int64(writer.bytes.count)
      let inner = writer.references([3, offset, offset, 5], .inner)
      return writer.references([inner])
    }
    #expect(error?.description.contains("deeper") == true)
  }

  @Test func `a list whose nodes multiply is refused`() {
    let error = Self.column(0, SampleColumn.list) { writer in
      var node = writer.numbers([1])
      for _ in 0..<10 {
        node = writer.references([3] + Array(repeating: node, count: 30) + [5], .inner)
      }
      return writer.references([node])
    }
    #expect(error?.description.contains("more than once") == true)
  }

  @Test func `rows that share a long list are refused`() {
    let error = Self.column(0, SampleColumn.list, count: 1000) { writer in
      let leaf = writer.node(.bits, width: 0, count: 1000)
      let inner = writer.references([3] + Array(repeating: leaf, count: 200) + [5], .inner)
      return writer.references(Array(repeating: inner, count: 1000))
    }
    #expect(error?.description.contains("more than once") == true)
  }

  @Test func `mixed lists that lead to themselves are refused`() {
    let error = Self.column(6) { writer in
      let offset = Int64(writer.bytes.count)
      // Where the node with the parts will be: behind one of a number, and one of a reference.
      let composites = writer.numbers([1 << 5 | 20])
      let references = writer.references([offset + 32])
      #expect(references == offset + 16)
      return writer.references([composites, 0, 0, 0, references])
    }
    #expect(error?.description.contains("more than once") == true)
  }

  @Test func `a cluster tree that leads to itself is refused`() {
    var writer = RealmWriter()
    let offset = Int64(writer.bytes.count)
    let root = writer.references([0, 3, 5, offset, offset], .inner)
    let table = writer.table([.init("value", 0)], root: root)
    let error = Self.refusal(writer.file(tables: [("class_A", table)]))
    #expect(error?.description.contains("deeper") == true)
  }

  @Test func `keys that do not ascend are refused`() {
    for keys in [[5, 5], [5, 4]] as [[Int64]] {
      var writer = RealmWriter()
      let root = writer.references([writer.numbers(keys), writer.numbers([1, 2])])
      let table = writer.table([.init("value", 0)], root: root)
      let error = Self.refusal(writer.file(tables: [("class_A", table)]))
      #expect(error?.description.contains("do not ascend") == true)
    }
  }

  @Test func `keys beyond those where the next child begins are refused`() {
    var writer = RealmWriter()
    let value = writer.numbers([1])
    let inner = { (writer: inout RealmWriter, offsets: [Int64], children: [Int64]) in
      let numbers = [writer.numbers(offsets), RealmWriter.number(1), RealmWriter.number(2)]
      return writer.references(numbers + children, .inner)
    }
    let first = writer.cluster(count: 1, [value])
    // The keys 0, 300 and 400 ascend, but 300 would be looked for below the second child.
    let low = inner(&writer, [0, 300], [first, first])
    let high = writer.references([writer.numbers([300]), value])
    let numbers = [writer.numbers([0, 100]), RealmWriter.number(2), RealmWriter.number(3)]
    let root = writer.references(numbers + [low, high], .inner)
    let table = writer.table([.init("value", 0)], root: root)
    let error = Self.refusal(writer.file(tables: [("class_A", table)]))
    #expect(error?.description.contains("do not ascend") == true)
  }

  @Test func `a tree with fewer objects than its root says is refused`() {
    var writer = RealmWriter()
    let child = writer.cluster(count: 1, [writer.numbers([1])])
    let root = writer.references([0, 3, RealmWriter.number(2), child], .inner)
    let table = writer.table([.init("value", 0)], root: root)
    let error = Self.refusal(writer.file(tables: [("class_A", table)]))
    #expect(error?.description.contains("a tree has 1 objects, and its root says 2") == true)
  }

  @Test func `a leaf with another count than the cluster is refused`() {
    let error = Self.column(0, count: 2) { $0.numbers([1, 2, 3]) }
    #expect(error?.description.contains("3 values are of 2 rows") == true)
  }

  @Test(arguments: [-8, 4, 25, 1 << 20, 1 << 40, .max - 7] as [Int64])
  func `a reference that leads nowhere is refused`(reference: Int64) {
    #expect(Self.column(0, SampleColumn.list) { $0.references([reference]) } != nil)
  }

  @Test func `a value that many references make large is refused`() {
    let error = Self.column(4, SampleColumn.list) { writer in
      let blob = writer.blob([UInt8](repeating: 1, count: 4096))
      return writer.references([writer.references(Array(repeating: blob, count: 900), .context)])
    }
    #expect(error?.description.contains("more than once") == true)
  }

  @Test func `a dictionary with one key twice is refused`() {
    let error = Self.column(0, SampleColumn.dictionary) { writer in
      let values = writer.references([writer.numbers([1, 1]), 0, 0, 0, 0])
      let dictionary = writer.references([writer.strings(["a", "a"]), values])
      return writer.references([dictionary])
    }
    #expect(error?.description.contains("1 of them distinct") == true)
  }

  @Test func `columns of one leaf, of unknown types and with keys of other types are refused`() {
    var writer = RealmWriter()
    let root = writer.cluster(count: 0, [0, 0])
    let twice = writer.table([.init("a", 0), .init("b", 0)], root: root, leaves: [0, 0])
    #expect(Self.refusal(writer.file(tables: [("class_A", twice)])) != nil)
    for type in [16, 5, 40, 2 | 10 << 16] as [Int64] {
      var writer = RealmWriter()
      let table = writer.table([.init("a", type, SampleColumn.dictionary)], root: root)
      guard case .unsupported = Self.refusal(writer.file(tables: [("class_A", table)])) else {
        Issue.record("type \(type) was read")
        continue
      }
    }
  }

  @Test func `bytes that were changed at random end in values or an error`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("the seed of changed bytes: \(seed)")
    var random = SeededNumbers(seed: seed)
    let samples = [Self.sample(format: 24), Self.sample(format: 9)]
    for _ in 0..<2000 {
      var bytes = samples[Int.random(in: 0...1, using: &random)]
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] = UInt8.random(in: 0...255, using: &random)
      }
      _ = Self.refusal(bytes)
    }
  }

  /// A small file with several types of columns.
  private static func sample(format: UInt8) -> [UInt8] {
    var writer = RealmWriter()
    let columns: [SampleColumn] = [.init("a", 0, 16), .init("b", 2, 16), .init("c", 10)]
    let leaves = [
      writer.numbers([9, 1, 9, 300]), writer.medium([[97], [], [98, 99]], marks: [0, 0, 0]),
      writer.words([1, 2, 3], size: 8),
    ]
    let table =
      format < 10
      ? writer.oldTable(columns, slots: leaves)
      : writer.table(columns, root: writer.cluster(count: 3, leaves))
    return writer.file(format: format, tables: [("class_A", table)])
  }
}
