import PropertyLists
import Records
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// Preferences whose keys or values cannot become entities, and values that are not what they seem.
struct `Preferences that stay values` {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  private func open(_ bytes: [UInt8]) throws -> any Store {
    try folder.write("app.plist", bytes)
    return try Source(folder.path + "/app.plist", into: folder.path + "/private").store
  }

  private func open(_ members: [PropertyList.Member]) throws -> any Store {
    try open(PropertyListWriter.bytes(.dictionary(members)))
  }

  private static let rows = PropertyList.array([
    .dictionary([.init(name: "n", value: .integer(1))])
  ])

  @Test func `records under a key that cannot name an entity stay one value, with a finding`()
    throws
  {
    let store = try open([
      .init(name: "recent songs", value: Self.rows), .init(name: "Preferences", value: Self.rows),
    ])
    #expect(store.model.entities.map(\.name) == ["Preferences"])
    #expect(
      try Rows.text(of: "Preferences", in: store) == [#"json [{"n":1}], json [{"n":1}]"#]
    )
    let finding = try #require(store.findings.first { $0.code == "preferences.entity-name" })
    #expect(finding.cause.hasPrefix("2 keys hold records and cannot name an entity: "))
    #expect(finding.cause.contains("“recent songs”"))
  }

  @Test func `records with too many names in all stay one value, with a finding`() throws {
    let wide = PropertyList.dictionary(
      (0...2000).map { .init(name: "n\($0)", value: .integer(1)) }
    )
    let store = try open([.init(name: "wide", value: .array([wide]))])
    #expect(store.model.entities.map(\.name) == ["Preferences"])
    #expect(store.findings.map(\.code) == ["preferences.too-many-names"])
    #expect(try Rows.text(of: "Preferences", in: store).first?.hasPrefix("json [{\"n0\":1") == true)
  }

  @Test func `a key without a name is called by its place, with a note`() throws {
    let store = try open([
      .init(name: "", value: .integer(1)), .init(name: "a", value: .integer(2)),
    ])
    let names = store.model.entity(named: "Preferences")?.attributes.map(\.name)
    #expect(names == ["a", "column1"])
    #expect(try Rows.text(of: "Preferences", in: store) == ["2, 1"])
    #expect(store.findings.map(\.cause) == ["a member has no name"])
  }

  @Test func `keys that are one text in different bytes have each its value`() throws {
    let text = """
      <plist version="1.0"><dict><key>caf\u{E9}</key><integer>1</integer>
      <key>cafe\u{301}</key><integer>2</integer></dict></plist>
      """
    let store = try open(Array(text.utf8))
    #expect(try Rows.text(of: "Preferences", in: store) == ["1, 2"])
    #expect(store.findings.map { $0.code } == ["preferences.field-renamed"])
  }

  @Test func `members whose names are one text in different bytes have each its value`() throws {
    let store = try rows("[{\"\u{E9}\":\"one\",\"e\u{301}\":\"two\"}]")
    let text = try Rows.text(of: "rows", in: store).joined()
    #expect(text.contains("one") && text.contains("two"), "\(text)")
  }

  private func rows(_ json: String) throws -> any Store {
    try open([.init(name: "rows", value: .data(Array(json.utf8)))])
  }

  @Test func `a member that is called like another is, percent-encoded, keeps its value`() throws {
    let store = try rows("[{\"e\u{301}\":1,\"\u{E9}\":2,\"%C3%A9\":3}]")
    #expect(try Rows.text(of: "rows", in: store) == ["3, 2, 1"])
  }

  @Test func `a member is the same attribute in every row`() throws {
    let store = try rows("[{\"\u{E9}\":1},{\"\u{E9}\":2,\"e\u{301}\":3}]")
    #expect(try Rows.text(of: "rows", in: store) == ["1, null", "2, 3"])
  }

  /// Rows that spell the name of their one member in one way or the other, and never in both.
  private static let apart = "[{\"\u{E9}\":1},{\"\u{E9}\":2},{\"e\u{301}\":3}]"

  @Test func `spellings of a name that share no row are one attribute`() throws {
    let store = try rows(Self.apart)
    #expect(try Rows.text(of: "rows", in: store) == ["1", "2", "3"])
  }

  @Test func `spellings of a name that share no row need no finding`() throws {
    #expect(try rows(Self.apart).findings.map(\.code) == [])
  }

  @Test func `an attribute that each row has in some spelling is never missing`() throws {
    let attributes = try rows(Self.apart).model.entity(named: "rows")?.attributes
    #expect(attributes?.map(\.isOptional) == [false])
  }

  @Test func `spellings of a name that share no row have one type`() throws {
    let store = try rows("[{\"\u{E9}\":1},{\"e\u{301}\":\"two\"}]")
    #expect(try Rows.text(of: "rows", in: store) == ["json 1", "json \"two\""])
  }

  @Test func `a split name does not split another name`() throws {
    let store = try rows(
      "[{\"\u{E9}\":1,\"e\u{301}\":2,\"\u{FC}\":3},{\"u\u{308}\":4}]"
    )
    #expect(try Rows.text(of: "rows", in: store) == ["1, 2, 3", "null, null, 4"])
  }

  @Test func `spellings of a name that share no row count as one name`() throws {
    let wide = ["\u{E9}", "e\u{301}"].map { spelling in
      PropertyList.dictionary(
        (0...1000).map { .init(name: "\(spelling)\($0)", value: .integer(1)) }
      )
    }
    let store = try open([.init(name: "wide", value: .array(wide))])
    #expect(store.model.entity(named: "wide")?.attributes.count == 1001)
  }

  @Test func `a member is the same attribute under every key of a name and a UUID`() throws {
    let keys = ["A", "B"].map { "result_6F1A2B3C-0000-4000-8000-00000000000\($0)" }
    let store = try open([
      .init(name: keys[0], value: .data(Array("{\"\u{E9}\":1}".utf8))),
      .init(name: keys[1], value: .data(Array("{\"\u{E9}\":2,\"e\u{301}\":3}".utf8))),
    ])
    #expect(
      try Rows.text(of: "result", in: store) == ["\(keys[0]), 1, null", "\(keys[1]), 2, 3"]
    )
  }

  @Test func `a member with another name than in its rows is reported once`() throws {
    let row = "{\"\u{E9}\":1,\"e\u{301}\":2}"
    let findings = try rows("[\(row),\(row)]").findings
    #expect(findings.map(\.code) == ["preferences.field-renamed"])
    #expect(findings.first?.cure.contains("%C3%A9") == true)
  }

  @Test func `a keyed archive that is damaged stays bytes`() throws {
    let archive = PropertyListWriter.bytes(
      .dictionary([.init(name: "$archiver", value: .string("NSKeyedArchiver"))])
    )
    let store = try open([.init(name: "kept", value: .data(archive))])
    let kinds = store.model.entity(named: "Preferences")?.attributes.map(\.kind)
    #expect(kinds == [.binary])
  }

  @Test func `a text in another encoding is read, and reported as a guess`() throws {
    var bytes = PropertyListWriter.bytes(
      .dictionary([.init(name: "name", value: .string("Caf#"))])
    )
    let place = try #require(bytes.firstIndex(of: UInt8(ascii: "#")))
    bytes[place] = 0xE9
    let store = try open(bytes)
    #expect(try Rows.text(of: "Preferences", in: store) == ["Café"])
    let finding = try #require(store.findings.first { $0.code == "preferences.value-changed" })
    #expect(finding.cause.contains("was read as Latin-1"))
    #expect(!finding.cause.contains("Caf"))
  }

  @Test func `half a surrogate pair is replaced, and reported`() throws {
    // A dictionary of one key and a text of one UTF-16 unit.
    let bytes =
      Array("bplist00".utf8) + [0xD1, 1, 2, 0x51, UInt8(ascii: "a"), 0x61, 0xD8, 0x3D]
      + [8, 11, 13] + [0, 0, 0, 0, 0, 0, 1, 1] + Self.number(3) + Self.number(0) + Self.number(16)
    let store = try open(bytes)
    #expect(try Rows.text(of: "Preferences", in: store) == ["\u{FFFD}"])
    #expect(store.findings.contains { $0.cause.contains("half a surrogate pair") })
  }

  private static func number(_ number: UInt8) -> [UInt8] { [0, 0, 0, 0, 0, 0, 0, number] }
}
