import Files
import Records
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// Objects in files of JSON, and folders of documents.
struct JSONFileTests {
  private let folder: SampleFolder
  private let work: SampleFolder

  init() throws {
    folder = try SampleFolder()
    work = try SampleFolder()
  }

  private func open(_ text: String, named name: String = "notes.json") throws -> any Store {
    try folder.write(name, Array(text.utf8))
    return try Source(folder.path + "/" + name, into: work.path).store
  }

  @Test(arguments: [
    ("notes.json", "[{\"id\":1,\"t\":\"a\"},\n {\"id\":2,\"t\":null}]"),
    ("notes.json", "{\"id\":1,\"t\":\"a\"}\n{\"id\":2}\n"),
    ("notes.jsonl", "\u{FEFF}{\"id\":1,\"t\":\"a\"}\r\n\n{\"t\":null,\"id\":2}"),
    ("notes.ndjson", "{\"id\":1,\"t\":\"a\"}\n{\"id\":2}"),
  ])
  func `objects of an array or a line each are rows`(name: String, text: String) throws {
    let store = try open(text, named: name)
    #expect(try Rows.text(of: "notes", in: store) == ["1, a", "2, null"])
    #expect(store.identity.kind == .files)
  }

  @Test func `a member without a name is called by its place, with a note`() throws {
    let store = try open(#"[{"a":1,"":2,"column2":3}]"#)
    let names = store.model.entity(named: "notes")?.attributes.map(\.name)
    #expect(names == ["a", "column2_", "column2"])
    #expect(try Rows.text(of: "notes", in: store) == ["1, 2, 3"])
    #expect(store.findings.map(\.cause) == ["the member has no name"])
  }

  @Test func `an object a line may be one line`() throws {
    let store = try open("{\"id\":1,\"tags\":[{\"a\":1}]}", named: "notes.jsonl")
    #expect(try Rows.text(of: "notes", in: store) == ["1, json [{\"a\":1}]"])
  }

  @Test func `values of several types are JSON, and numbers keep their digits`() throws {
    let store = try open(
      "[{\"x\":1,\"n\":0.10,\"b\":true},{\"x\":\"1\",\"n\":12345678901234567890,\"b\":false}]"
    )
    #expect(
      try Rows.text(of: "notes", in: store) == [
        "json 1, json 0.10, 1", "json \"1\", json 12345678901234567890, 0",
      ]
    )
  }

  @Test func `each member that is an array of objects is an entity, and the others are named`()
    throws
  {
    let store = try open(
      """
      {"version": 3, "users": [{"id": 1}], "tags": ["a"], "none": [],
       "posts": {"p1": {"by": 1}, "p2": {"by": 2}}}
      """
    )
    #expect(store.model.entities.map(\.name) == ["posts", "users"])
    #expect(try Rows.text(of: "posts", in: store) == ["p1, 1", "p2, 2"])
    #expect(store.otherTables.isEmpty, "a member is no table")
    #expect(store.findings.map(\.code) == ["store.member-unread"])
    for name in ["version", "tags", "none"] {
      #expect(store.findings.first?.cause.contains("“\(name)”") == true)
    }
  }

  @Test func `one object without objects in it is refused`() throws {
    let error = #expect(throws: StoreError.self) { try open("{\"id\": 1, \"name\": \"Ada\"}") }
    #expect(error?.cure.contains("an array of objects") == true)
  }

  @Test(arguments: [
    (
      "notes.json", "[{\"id\":1},\n{\"id\":}\n,3]",
      ["2 rows of", "line 2: it is not JSON", "line 3:"]
    ),
    ("notes.jsonl", "{\"id\":1}\n{\"id\":\n{\"id\":3}\n", ["1 row of", "line 2: it is not JSON"]),
    ("notes.json", "[{\"id\":1},\n{\"id\":2", ["line 2: the file ends inside the value"]),
    ("notes.json", "[{\"id\":1}] x", ["line 1: something follows the end"]),
    (
      "notes.json", "[{\"id\":1}\n{\"id\":2}]",
      ["line 2: a comma or the end of an array is missing"]
    ),
  ])
  func `what cannot be read is named by its line`(
    name: String,
    text: String,
    parts: [String]
  ) throws {
    let error = #expect(throws: StoreError.self) { try open(text, named: name) }
    let words = try #require(error?.description)
    for part in parts { #expect(words.contains(part), "\(words)") }
  }

  @Test func `null in some rows and no member in others is a note`() throws {
    let store = try open("[{\"id\":1,\"t\":null},{\"id\":2},{\"id\":3,\"t\":\"a\"}]")
    #expect(store.findings.map(\.code) == ["store.null-and-absent"])
  }

  @Test func `each folder of documents is an entity, and their names are keys`() throws {
    for (path, text) in [
      ("users/ada.json", "{\"age\": 36}"), ("users/grace.json", "{\"age\": 40}"),
      ("posts/1.json", "{\"by\": \"ada\"}"), (".DS_Store", "x"),
    ] {
      try Folder.make(Folder.parentPath(of: folder.path + "/" + path))
      try folder.write(path, Array(text.utf8))
    }
    let source = try Source(folder.path, into: work.path)
    #expect(source.store.model.entities.map(\.name) == ["posts", "users"])
    #expect(try Rows.text(of: "users", in: source.store) == ["ada, 36", "grace, 40"])
    #expect(source.files.count == 3)
    #expect(try source.differences().isEmpty)
  }

  @Test func `a document that is no object is named by its path`() throws {
    try folder.write("a.json", Array("{\"x\": 1}".utf8))
    try folder.write("b.json", Array("[1]".utf8))
    let error = #expect(throws: StoreError.self) { try Source(folder.path, into: work.path) }
    #expect(error?.description.contains("b.json, line 1: it is JSON of the type array") == true)
  }

  @Test func `a folder with a document and any other file is no folder of documents`() throws {
    try folder.write("a.json", Array("{\"x\": 1}".utf8))
    try folder.write("readme.txt", Array("hello".utf8))
    let error = #expect(throws: StoreError.self) { try Source(folder.path, into: work.path) }
    #expect(error?.description.contains("holds no store") == true)
  }
}
