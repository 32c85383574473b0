import Records
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// Tables as CSV and TSV, as programs and spreadsheets write them.
struct DelimitedFileTests {
  private let folder: SampleFolder

  init() throws {
    folder = try SampleFolder()
  }

  private func open(
    _ text: String,
    named name: String = "people.csv",
    readsDamaged: Bool = false
  ) throws -> any Store {
    try open(Array(text.utf8), named: name, readsDamaged: readsDamaged)
  }

  private func open(
    _ bytes: [UInt8],
    named name: String = "people.csv",
    readsDamaged: Bool = false
  ) throws -> any Store {
    try folder.write(name, bytes)
    return try Source(
      folder.path + "/" + name,
      options: Source.Options(readsDamaged: readsDamaged),
      into: folder.path + "/private"
    ).store
  }

  private func rows(_ text: String, named name: String = "people.csv") throws -> [String] {
    try Rows.text(of: "people", in: open(text, named: name))
  }

  @Test func `each column is an attribute of the kind that all of its values are of`() throws {
    let store = try open(
      "id,share,isOn,code,day\n1,0.50,true,007,2024-01-02\n-2,3,FALSE,12,2024-01-03\n"
    )
    let attributes = try #require(store.model.entity(named: "people")).attributes
    #expect(
      attributes.map { "\($0.name) \($0.kind)" } == [
        "id integer64", "share double", "isOn boolean", "code string", "day string",
      ]
    )
    #expect(
      try Rows.text(of: "people", in: store) == [
        "1, json 0.50, 1, 007, 2024-01-02", "-2, json 3, 0, 12, 2024-01-03",
      ]
    )
  }

  @Test func `a whole number beyond 64 bits stays a text`() throws {
    #expect(try rows("id\n123456789012345678901\n") == ["123456789012345678901"])
  }

  @Test func `an empty value is null, and an empty text in quotes is one`() throws {
    #expect(try rows("a,b,n\nx,,1\ny,\"\",\"\"\n") == ["x, null, 1", "y, , null"])
  }

  @Test func `quotes hold separators, line ends and doubled quotes`() throws {
    #expect(try rows("a,b\r\n\"x,y\",\"1\r\n\"\"2\"\"\"\r\n") == ["x,y, 1\r\n\"2\""])
  }

  @Test func `a quote inside a value without quotes is a letter`() throws {
    #expect(try rows("a,b\n5\" pipe,x\n") == ["5\" pipe, x"])
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func `rows end with any line end, and empty lines are none`(end: String) throws {
    let text = ["", "a,b", "1,2", "", "3,4", ""].joined(separator: end)
    #expect(try rows(text) == ["1, 2", "3, 4"])
  }

  @Test func `the last row needs no line end`() throws {
    #expect(try rows("a,b\n1,") == ["1, null"])
  }

  @Test(arguments: [
    "\u{FEFF}a;b\r\n1;2,5\r\n", "sep=;\r\na;b\r\n1;2,5\r\n", "\u{FEFF}SEP=;\na;b\n1;2,5",
  ])
  func `what Excel writes with semicolons is read`(text: String) throws {
    #expect(try rows(text) == ["1, 2,5"])
  }

  @Test func `tabs separate the values of a TSV file, whatever the header has`() throws {
    #expect(try rows("a,x,y\tb\n1\t2\n", named: "people.tsv") == ["1, 2"])
  }

  @Test func `a column without a name is called by its number, with a note`() throws {
    let store = try open(",name\n0,Ada\n")
    #expect(store.model.entity(named: "people")?.attributes.map(\.name) == ["column1", "name"])
    #expect(store.findings.map(\.code) == ["store.column-renamed"])
  }

  @Test func `two columns of one name are refused by their numbers`() throws {
    let error = #expect(throws: StoreError.self) { try open("id,name,id\n1,Ada,2\n") }
    #expect(error?.description.contains("columns 1 and 3 are both called “id”") == true)
  }

  @Test func `a text in UTF-16 is refused with the command that converts it`() throws {
    let error = #expect(throws: StoreError.self) { try open([0xFF, 0xFE, 0x61, 0, 0x0A, 0]) }
    #expect(error?.cure.contains("iconv -f UTF-16 -t UTF-8") == true)
  }

  @Test(arguments: ["id,name\n1,Ren\u{E9}\n", "id,pr\u{E9}nom\n1,Ada\n"])
  func `a text in Latin-1 is refused with the command that converts it`(text: String) throws {
    let bytes = text.unicodeScalars.map { UInt8($0.value) }
    let error = #expect(throws: StoreError.self) { try open(bytes) }
    #expect(error?.cure.contains("iconv -f ISO-8859-1 -t UTF-8") == true)
  }

  @Test func `rows of UTF-8 that cannot be read are not called another encoding`() throws {
    let error = #expect(throws: StoreError.self) { try open("id,name\n1\n") }
    #expect(error?.cure.contains("iconv") == false)
  }

  @Test(arguments: [
    "[{\"id\": 1}]", "{\"id\": 1}\n{\"id\": 2}\n", " [\n  {\n \"id\": 1 }]",
    "\u{FEFF}[{\"id\": 1}]", "\u{FEFF}{\"id\": 1}\n",
  ])
  func `JSON that is named like a table is refused with the name that it should have`(
    text: String
  ) throws {
    let error = #expect(throws: StoreError.self) { try open(text) }
    #expect(error?.description.contains("begins as JSON does") == true)
    #expect(error?.cure.contains(".jsonl") == true)
  }

  @Test func `a header with brackets is a header`() throws {
    #expect(try rows("[id],{name}\n1,Ada\n") == ["1, Ada"])
  }

  @Test func `every row that cannot be read is named by its line`() throws {
    var bytes = Array("a,b\n1\n\"x\ny\",2\n1,2,3\n".utf8)
    bytes += [0xFF, 0x2C, 0x31, 0x0A, 0x31, 0x2C, 0x00, 0x0A]
    bytes += Array("\"p\"q,1\n3,\"open\n4,5\n".utf8)
    let error = #expect(throws: StoreError.self) { try open(bytes) }
    let words = try #require(error?.description)
    for part in [
      "6 rows of", "line 2: it has 1 value, and the header names 2", "line 5: it has 3 values",
      "line 6: its value 1 is not UTF-8", "line 7: its value 2 holds a zero byte",
      "line 8: text follows the quote", "line 9: the quote that begins a value on line 9",
    ] {
      #expect(words.contains(part), "\(words)")
    }
  }

  @Test func `with damaged rows allowed the others are read, and these are an error`() throws {
    let store = try open("a,b\n1,2\n3\n4,5\n", readsDamaged: true)
    #expect(try Rows.text(of: "people", in: store) == ["1, 2", "4, 5"])
    let finding = try #require(store.findings.first)
    #expect(finding.code == "store.damaged-rows" && finding.severity == .error)
    #expect(finding.cause.contains("line 3: it has 1 value,"))
  }

  @Test func `rows go on behind a place, and have addresses`() throws {
    let store = try open("a\n1\n2\n3\n")
    let reader = try store.rows(RowRequest(entity: "people", fields: [.objectURI], after: 2))
    #expect(try reader.next())
    #expect(reader.row.place == 3)
    #expect(reader.row.cells.map(described) == ["row:people/people/3"])
    #expect(try !reader.next())
  }

  @Test func `a table in a folder is no store`() throws {
    try folder.write("people.csv", Array("id\n1\n".utf8))
    #expect(throws: StoreError.self) {
      try Source(folder.path, into: folder.path + "/private")
    }
  }
}
