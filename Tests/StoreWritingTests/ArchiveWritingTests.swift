import PropertyLists
import StoreSamples
import StoreWriting
import Records
import TestSupport
import Testing

/// Values that a store keeps as keyed archives.
struct ArchiveWritingTests {
  /// The archive of an array of one text, of a class of these names.
  private static func archive(_ text: String, _ classes: [String]) -> PropertyList {
    let array: PropertyList = .dictionary([
      .init(name: "NS.objects", value: .array([.uid(2)])), .init(name: "$class", value: .uid(3)),
    ])
    let record: PropertyList = .dictionary([
      .init(name: "$classname", value: .string(classes[0])),
      .init(name: "$classes", value: .array(classes.map { .string($0) })),
    ])
    return .dictionary([
      .init(name: "$version", value: .integer(100_000)),
      .init(name: "$archiver", value: .string("NSKeyedArchiver")),
      .init(name: "$top", value: .dictionary([.init(name: "root", value: .uid(1))])),
      .init(name: "$objects", value: .array([.string("$null"), array, .string(text), record])),
    ])
  }

  /// The class of the outermost object of a member's tags in the copy.
  private func tagsClass(_ store: LinkedStore, _ member: String) throws -> String? {
    let hex = try store.rows("SELECT hex(ZTAGS) FROM ZMEMBER WHERE ZID = '\(member)'")[0]
    let digits = Array(hex)
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...($0 + 1)]), radix: 16)
    }
    let archive = try KeyedArchive(bytes: bytes)
    return try archive.classNames(of: archive.resolved(#require(archive.root)))?.first
  }

  @Test func `a list keeps the class that the row's archive has`() async throws {
    try await withTemporaryFolder { folder in
      let store = try LinkedStore(in: folder)
      try store.archive(Self.archive("old", ["NSMutableArray", "NSArray", "NSObject"]), of: "m1")
      let result = try store.apply(
        LinkedStore.entry("Member", "m1", #"{"tags":["peat","Früchte 👍🏽",3,true,null,1.5]}"#)
      )
      #expect(result.updatedCount == 1 && result.skipped.isEmpty && result.comparedCount == 10)
      #expect(try tagsClass(store, "m1") == "NSMutableArray")
    }
  }

  @Test func `a first list is archived as those of other rows are`() async throws {
    try await withTemporaryFolder { folder in
      let store = try LinkedStore(in: folder)
      try store.archive(Self.archive("old", ["NSMutableArray", "NSArray", "NSObject"]), of: "m2")
      let result = try store.apply(LinkedStore.entry("Member", "m1", #"{"tags":["peat"]}"#))
      #expect(result.skipped.isEmpty)
      #expect(try tagsClass(store, "m1") == "NSMutableArray")
    }
  }

  @Test func `a list is archived as an array where no row has one`() async throws {
    try await withTemporaryFolder { folder in
      let store = try LinkedStore(in: folder)
      let result = try store.apply(LinkedStore.entry("Member", "m1", #"{"tags":["peat"]}"#))
      #expect(result.skipped.isEmpty)
      #expect(try tagsClass(store, "m1") == "NSArray")
    }
  }

  @Test(arguments: [["App.Tags", "NSObject"], ["App.Tags", "NSArray", "NSObject"]])
  func `a value whose archive has objects of the app's own is named and not written`(
    classes: [String]
  ) async throws {
    try await withTemporaryFolder { folder in
      let store = try LinkedStore(in: folder)
      try store.archive(Self.archive("old", classes), of: "m1")
      let result = try store.apply(
        LinkedStore.entry("Member", "m1", #"{"tags":["peat"],"team":"t2"}"#)
      )
      #expect(result.skipped.map(\.reason) == ["tags cannot be written to its column"])
      #expect(try tagsClass(store, "m1") == "App.Tags")
      #expect(try store.rows("SELECT ZTEAM FROM ZMEMBER WHERE ZID = 'm1'") == ["2"])
    }
  }

  @Test func `a value of another kind than the row's archive is named and not written`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let store = try LinkedStore(in: folder)
      try store.archive(Self.archive("old", ["NSArray", "NSObject"]), of: "m1")
      let result = try store.apply(LinkedStore.entry("Member", "m1", #"{"tags":{"a":1}}"#))
      #expect(result.skipped.map(\.record.key) == ["m1"])
    }
  }
}
