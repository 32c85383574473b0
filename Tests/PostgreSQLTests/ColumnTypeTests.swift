import JSONText
import Testing

import PostgreSQL

@Suite struct ColumnTypeTests {
  private static let fitting: [(ColumnType, JSONValue, String)] = [
    (.boolean, true, "t"), (.boolean, false, "f"), (.integer(bits: 16), -32_768, "-32768"),
    (.integer(bits: 64), .number(JSONNumber(Int64.min)), "-9223372036854775808"),
    (.numeric, 12.5, "12.5"), (.float, 0.1, "0.1"),
    (.float, "NaN", "NaN"), (.text, "a\"b\\c\nd", "a\"b\\c\nd"), (.text, "", ""),
    (.uuid, "98a19660-06b3-5b0b-9595-b605ec1155f3", "98a19660-06b3-5b0b-9595-b605ec1155f3"),
    (.date, "2026-11-28", "2026-11-28"), (.bytes, "AP8=", "\\x00ff"), (.bytes, "", "\\x"),
    (.json, ["a": [1, .null]], #"{"a":[1,null]}"#), (.other, "10.0.0.1", "10.0.0.1"),
    (.array(.text), ["a", .null, "NULL", "q\"", ""], #"{"a",NULL,"NULL","q\"",""}"#),
    (.array(.integer(bits: 32)), [1, 2], #"{"1","2"}"#), (.array(.text), [], "{}"),
  ]

  @Test(arguments: fitting.indices)
  func `a value that fits a column comes back as it was`(row: Int) throws {
    let (type, value, text) = Self.fitting[row]
    #expect(try type.text(of: value) == text)
    #expect(type.value(of: text) == value)
  }

  @Test func `a numeric keeps its digits`() throws {
    let digits = "123456789012345678901234567890.50"
    let value = try JSONValue(parsing: digits)
    #expect(try ColumnType.numeric.text(of: value) == digits)
    #expect(ColumnType.numeric.value(of: digits) == value)
  }

  @Test func `null is null in every column`() throws {
    for (type, _, _) in Self.fitting {
      #expect(try type.text(of: .null) == nil)
      #expect(type.value(of: nil) == .null)
    }
  }

  private static let misfits: [(ColumnType, JSONValue)] = [
    (.boolean, 1), (.boolean, "true"), (.integer(bits: 16), 32_768), (.integer(bits: 32), 1.5),
    (.integer(bits: 64), "7"), (.numeric, "12.50"), (.float, true), (.text, 7), (.text, ["a"]),
    (.text, "a\u{0}b"), (.uuid, "no"), (.instant(hasZone: true), "yesterday"),
    (.instant(hasZone: false), "2026-11-28T10:00:00+01:00"), (.date, "2026-11-28T10:00:00Z"),
    (.bytes, "AP8"), (.json, ["a": "\u{0}"]), (.array(.text), "a"),
    (.array(.integer(bits: 32)), ["a"]), (.array(.text), [["a"]]),
  ]

  @Test(arguments: misfits.indices)
  func `a value that would come back as another is refused`(row: Int) {
    let (type, value) = Self.misfits[row]
    #expect(throws: ColumnType.Misfit.self) { try type.text(of: value) }
  }

  @Test func `a UUID is kept in lower case`() throws {
    let text = try ColumnType.uuid.text(of: "98A19660-06B3-5B0B-9595-B605EC1155F3")
    #expect(text == "98a19660-06b3-5b0b-9595-b605ec1155f3")
  }

  @Test(arguments: [
    ("bool", "B", ColumnType.boolean), ("int4", "N", .integer(bits: 32)), ("varchar", "S", .text),
    ("mood", "E", .text), ("inet", "I", .other), ("timestamp", "D", .instant(hasZone: false)),
    ("jsonb", "U", .json), ("interval", "T", .other),
  ])
  func `the type is known by its name and category`(
    name: String,
    category: String,
    type: ColumnType
  ) {
    #expect(ColumnType(name: name, category: category, element: nil) == type)
    #expect(ColumnType(name: "_\(name)", category: "A", element: type) == .array(type))
  }

  @Test(arguments: [
    ("2026-11-28T10:00:00Z", "2026-11-28 10:00:00+00"),
    ("2026-11-28T10:00:00.123456Z", "2026-11-28 10:00:00.123456+00"),
    ("0000-12-31T23:59:59Z", "0001-12-31 23:59:59+00 BC"),
    ("-000043-03-15T12:00:00Z", "0044-03-15 12:00:00+00 BC"),
    ("+012345-01-01T00:00:00Z", "12345-01-01 00:00:00+00"),
  ])
  func `an instant is written as the database does, and read as a record has it`(
    record: String,
    column: String
  ) {
    #expect(InstantText.column(record, hasZone: true) == column)
    #expect(InstantText.record(column) == record)
    let plain = column.replacing("+00", with: "")
    #expect(InstantText.column(record, hasZone: false) == plain)
    #expect(InstantText.record(plain) == record)
  }

  @Test func `an instant in another zone keeps it where the column has one`() {
    let text = InstantText.column("2026-11-28T10:00:00.5+01:30", hasZone: true)
    #expect(text == "2026-11-28 10:00:00.5+01:30")
  }

  @Test func `an instant that no calendar has stays the database's own text`() {
    #expect(ColumnType.instant(hasZone: true).value(of: "infinity") == "infinity")
    #expect(ColumnType.date.value(of: "0044-03-15 BC") == "-000043-03-15")
    #expect(InstantText.columnDate("-000043-03-15") == "0044-03-15 BC")
  }

  @Test(arguments: ["{{1,2}}", "[0:1]={1,2}", "{1", "{\"a}", "{\"a\"b}"])
  func `an array of another form is no list`(text: String) {
    #expect(ArrayText.elements(text) == nil)
  }
}
