import JSONText
import ProfileDrafting
import Records
import Testing

/// Drafts of stores whose bytes hold values.
struct ContainedValueDraftTests {
  private static let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, body BLOB, uid BLOB);"

  private static let archive =
    "<plist version=\"1.0\"><dict><key>$archiver</key><string>NSKeyedArchiver</string>"
    + "<key>$version</key><integer>100000</integer><key>$top</key><dict><key>root</key>"
    + "<dict><key>CF$UID</key><integer>1</integer></dict></dict>"
    + "<key>$objects</key><array><string>$null</string><string>hi</string></array></dict></plist>"

  private static let list =
    "<plist version=\"1.0\"><dict><key>n</key><integer>1</integer></dict></plist>"

  @Test(arguments: [(archive, "archive"), (list, "plist"), ("{\"a\":[1]}", "json")])
  func `bytes that hold values are read as what they are`(content: String, reading: String) throws {
    let insert = "INSERT INTO t (body) VALUES (CAST('\(content)' AS BLOB)), (NULL);"
    let draft = try SQLiteDraft.make(of: Self.table + insert)
    #expect(
      draft.yaml.contains("\"body\": { attribute: \"body\", as: \(reading) }"),
      "\(draft.yaml)"
    )
    #expect(!draft.yaml.contains("\"uid\": {"))
  }

  @Test(arguments: [
    "(CAST('{\"a\":1}' AS BLOB)), (x'01')",
    "(CAST('{\"a\":1}' AS BLOB)), (CAST('\(list)' AS BLOB))",
    "(CAST('{\"a\":' AS BLOB))", "(x'')", "(CAST('bplist00' AS BLOB))", "('{\"a\":1}'), (x'00')",
    "(zeroblob(17000000))",
  ])
  func `an attribute of which a value is of no such form stays bytes`(rows: String) throws {
    let draft = try SQLiteDraft.make(of: Self.table + "INSERT INTO t (body) VALUES \(rows);")
    #expect(!draft.yaml.contains("as:"), "\(draft.yaml)")
  }

  @Test(arguments: ["$id", "a.", ".", "a..b"])
  func `an attribute that no field can name stays bytes`(name: String) throws {
    let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, \"\(name)\" BLOB);"
    let draft = try SQLiteDraft.make(
      of: table + "INSERT INTO t VALUES (1, CAST('{\"a\":1}' AS BLOB));"
    )
    #expect(!draft.yaml.contains("as:"), "\(draft.yaml)")
  }

  @Test func `an attribute with a point in its name is read as what it holds`() throws {
    let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, \"a.b\" BLOB);"
    let draft = try SQLiteDraft.make(
      of: table + "INSERT INTO t VALUES (1, CAST('{\"a\":1}' AS BLOB));"
    )
    #expect(draft.yaml.contains("\"a.b\": { attribute: \"a.b\", as: json }"), "\(draft.yaml)")
  }

  @Test func `UUIDs are recognised by an attribute's name, or where there are several`() throws {
    let one = "(x'0123456789AB4CDE8011223344556677')"
    let named = try SQLiteDraft.make(of: Self.table + "INSERT INTO t (uid) VALUES \(one);")
    #expect(named.yaml.contains("\"uid\": { attribute: \"uid\", as: uuid }"), "\(named.yaml)")
    let few = try SQLiteDraft.make(of: Self.table + "INSERT INTO t (body) VALUES \(one);")
    #expect(!few.yaml.contains("as:"), "\(few.yaml)")
    let rows = Array(repeating: one, count: 4).joined(separator: ", ")
    let many = try SQLiteDraft.make(of: Self.table + "INSERT INTO t (body) VALUES \(rows);")
    #expect(many.yaml.contains("\"body\": { attribute: \"body\", as: uuid }"), "\(many.yaml)")
    let digests = "(x'0123456789AB0CDE0011223344556677')"
    let other = try SQLiteDraft.make(of: Self.table + "INSERT INTO t (uid) VALUES \(digests);")
    #expect(!other.yaml.contains("as:"), "\(other.yaml)")
  }

  @Test func `the schema says what the bytes hold`() throws {
    let insert =
      "INSERT INTO t (body, uid) VALUES (CAST('{\"a\":1}' AS BLOB), "
      + "x'0123456789AB4CDE8011223344556677');"
    let draft = try SQLiteDraft.make(of: Self.table + insert)
    let schema = try JSONValue(parsing: #require(draft.schemas.first).bytes)
    let body = schema["properties"]?["body"]
    #expect(body?["properties"]?["a"] != nil, "\(schema)")
    #expect(schema["properties"]?["uid"]?["format"] == "uuid", "\(schema)")
    #expect(schema["properties"]?["uid"]?["contentEncoding"] == nil)
  }
}
