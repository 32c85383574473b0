import Files
import Records
import StoreFiles
import StoreReading
import TestSupport
import Testing
import StoreSamples

/// What an Android app leaves behind: Room's databases and shared preferences.
struct `Stores of Android` {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  private func open(_ name: String) throws -> any Store {
    try Source(folder.path + "/" + name, into: folder.path + "/private").store
  }

  private func preferences(_ content: String) throws -> any Store {
    let text =
      "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<map>\n\(content)\n</map>\n"
    try folder.write("com.example_preferences.xml", Array(text.utf8))
    return try open("com.example_preferences.xml")
  }

  // MARK: - Room

  private static let room = """
    CREATE TABLE android_metadata (locale TEXT);
    INSERT INTO android_metadata VALUES ('en_US');
    CREATE TABLE room_master_table (id INTEGER PRIMARY KEY,identity_hash TEXT);
    INSERT INTO room_master_table (id,identity_hash) VALUES(42, '0123456789abcdef0123456789abcdef');
    CREATE TABLE note (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, title TEXT NOT NULL);
    INSERT INTO note (title) VALUES ('one');
    """

  @Test func `tables of Android and Room are named and left out, and the hash is the version`()
    throws
  {
    try SampleDatabase(folder.path + "/app.db").run(Self.room)
    let store = try open("app.db")
    #expect(store.model.entities.map(\.name) == ["note"])
    #expect(store.otherTables == ["android_metadata", "room_master_table"])
    #expect(store.model.versionIdentifiers == ["0123456789abcdef0123456789abcdef"])
    #expect(store.identity.modelVersionIdentifiers == ["0123456789abcdef0123456789abcdef"])
    #expect(store.identity.kind == .sqlite)
  }

  @Test func `tables of an app that only share a name are read`() throws {
    try SampleDatabase(folder.path + "/app.db").run(
      "CREATE TABLE room_master_table (id INTEGER PRIMARY KEY, owner TEXT); "
        + "CREATE TABLE android_metadata (locale TEXT, note TEXT)"
    )
    let store = try open("app.db")
    #expect(store.model.entities.map(\.name) == ["android_metadata", "room_master_table"])
    #expect(store.model.versionIdentifiers.isEmpty)
  }

  @Test(arguments: ["'short'", "x'00'", "NULL", "'0123456789abcdef0123456789abcdeg'"])
  func `a hash that Room does not write is no version`(hash: String) throws {
    let text = Self.room.replacing("'0123456789abcdef0123456789abcdef'", with: hash)
    try SampleDatabase(folder.path + "/app.db").run(text)
    #expect(try open("app.db").model.versionIdentifiers.isEmpty)
  }

  // MARK: - SharedPreferences

  @Test func `each type of a preference keeps its kind and value`() throws {
    let store = try preferences(
      """
        <string name="name">Ada &amp; Grace&#10;&#128512;</string>
        <int name="count" value="-7" />
        <long name="last" value="1714521600000" />
        <float name="ratio" value="0.1" />
        <boolean name="dark" value="true" />
        <set name="tags">
            <string>b</string>
            <string>a</string>
        </set>
        <null name="gone" />
        <string name="empty"></string>
      """
    )
    #expect(store.identity.kind == .preferences)
    #expect(store.identity.uuid == "com.example_preferences")
    #expect(store.model.entities.map(\.name) == ["Preferences"])
    let attributes = store.model.entities[0].attributes
    let kinds = Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, $0.kind) })
    #expect(kinds["name"] == .string && kinds["empty"] == .string)
    #expect(kinds["count"] == .integer64 && kinds["last"] == .integer64)
    #expect(kinds["ratio"] == .double && kinds["dark"] == .boolean)
    let names = ["name", "count", "last", "ratio", "dark", "tags", "empty"]
    let values = try Rows.text(
      of: "Preferences",
      names.map { .attribute(path: [$0]) },
      in: store
    )
    #expect(values == ["Ada & Grace\n😀, -7, 1714521600000, 0.1, 1, json [\"a\",\"b\"], "])
  }

  /// The texts of the only row, of which those that are not held are called long.
  private func texts(_ names: [String], _ store: any Store) throws -> [String] {
    let reader = try store.rows(
      RowRequest(entity: "Preferences", fields: names.map { .attribute(path: [$0]) })
    )
    guard try reader.next() else { return [] }
    return try reader.row.cells.map { (cell: Cell) throws -> String in
      guard let large = cell.large else { return described(cell) }
      guard let json = large.json else {
        return "long " + String(decoding: try #require(large.bytes()), as: UTF8.self)
      }
      let texts = try json.texts.map { text in
        String(decoding: try #require(text.value.bytes()), as: UTF8.self)
      }
      return String(decoding: json.bytes, as: UTF8.self) + " with " + texts.joined(separator: ", ")
    }
  }

  @Test func `a string of more than 64 KiB is read in pieces, and a shorter one is held`() throws {
    let line = "a \"b\", \\ \u{20AC}\u{1F600}\n\u{8}"
    let escaped = line.replacing("\u{8}", with: "&#8;")
    let held = String(repeating: "y", count: 1 << 16)
    let store = try preferences(
      "<string name=\"a\">\(String(repeating: escaped, count: 100_000))</string>"
        + "<string name=\"b\">\(held)</string><string name=\"c\">\(held)y</string>"
    )
    #expect(
      try texts(["a", "b", "c"], store)
        == ["long " + String(repeating: line, count: 100_000), held, "long \(held)y"]
    )
  }

  @Test func `a short string that reads as the place of a long one is itself`() throws {
    // U+FDD0, which a literal may not have.
    let text = String(decoding: [0xEF, 0xB7, 0x90], as: UTF8.self) + "text of 3 bytes"
    let store = try preferences(
      "<string name=\"a\">\(text)</string><set name=\"b\"><string>\(text)</string></set>"
    )
    #expect(
      try texts(["a", "b"], store) == ["long " + text, "[\"\"] with \(text)"]
    )
  }

  @Test func `a string beyond one MiB in a set is read in pieces`() throws {
    let long = String(repeating: "x", count: 2 << 20)
    let store = try preferences(
      "<set name=\"a\"><string>\(long)</string><string>b</string></set>"
    )
    #expect(try texts(["a"], store) == ["[\"b\",\"\"] with \(long)"])
  }

  @Test func `a character that is written as two surrogates is one`() throws {
    let store = try preferences("<string name=\"a\">&#55357;&#56832;</string>")
    #expect(try Rows.text(of: "Preferences", in: store) == ["😀"])
  }

  @Test func `the later of two preferences of one name counts, and is reported`() throws {
    let store = try preferences("<int name=\"a\" value=\"1\"/><int name=\"a\" value=\"2\"/>")
    #expect(try Rows.text(of: "Preferences", in: store) == ["2"])
    #expect(store.findings.map(\.code) == ["preferences.value-changed"])
  }

  @Test func `keys that begin as Apple's do are an Android app's own`() throws {
    let store = try preferences("<string name=\"AppleLocale\">de</string>")
    #expect(try Rows.text(of: "Preferences", in: store) == ["de"])
    #expect(store.otherTables.isEmpty)
  }

  @Test(arguments: [
    ("<int name=\"a\" value=\"x\" />", "line 3: the value of an element “int” cannot be read"),
    ("<int name=\"a\" />", "cannot be read"),
    ("<long name=\"a\" value=\"9223372036854775808\" />", "cannot be read"),
    ("<boolean name=\"a\" value=\"1\" />", "cannot be read"),
    ("<int value=\"1\" />", "has no name"), ("<list name=\"a\" />", "is no preference of Android"),
    ("<set name=\"a\"><int name=\"b\" value=\"1\" /></set>", "in a set of strings"),
    ("<string name=\"a\"><b/></string>", "inside of text"), ("loose", "outside of a preference"),
    ("<string name=\"a\">cut", "line"), ("<set name=\"a\"><string>b", "line"),
  ])
  func `preferences that cannot be read are refused with the place`(
    content: String,
    words: String
  ) throws {
    let error = #expect(throws: StoreError.self) { try preferences(content) }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains(words), "\(text)")
    #expect(text.hasPrefix(folder.path + "/com.example_preferences.xml"), "\(text)")
  }

  @Test func `a file that is cut behind its root is refused`() throws {
    try folder.write("a.xml", Array("<map><string name=\"a\">b</string>".utf8))
    #expect(throws: StoreError.self) { try open("a.xml") }
  }

  @Test func `entities that a file declares itself are refused`() throws {
    let text =
      "<?xml version='1.0'?><!DOCTYPE map [<!ENTITY a \"b\">]><map><string name='x'>&a;</string></map>"
    try folder.write("a.xml", Array(text.utf8))
    #expect(throws: StoreError.self) { try open("a.xml") }
  }

  // MARK: - The folder of an app

  @Test func `databases and preferences of an app's folder are one source`() throws {
    for name in ["databases", "shared_prefs", "files", "cache"] {
      try Folder.make(folder.path + "/app/" + name)
    }
    try SampleDatabase(folder.path + "/app/databases/notes").run(Self.room)
    let map = Array("<map><int name=\"a\" value=\"1\" /></map>".utf8)
    try folder.write("app/shared_prefs/settings.xml", map)
    try folder.write("app/files/level.xml", map)
    try folder.write("app/cache/old.db", Array("x".utf8))
    let found = try SourceFinder(folder.path + "/app", into: folder.path + "/private").inspection
    #expect(found.form == .appContainer)
    #expect(found.readable.map(\.path) == ["databases/notes", "shared_prefs/settings.xml"])
    #expect(found.stores.filter { $0.refusal != nil }.map(\.path) == ["files/level.xml"])
    #expect(found.skipped.map(\.path) == ["cache"])
    let store = try open("app")
    #expect(store.model.entities.map(\.name) == ["note", "Preferences"])
    #expect(!store.findings.contains { $0.severity > .note })
  }
}
