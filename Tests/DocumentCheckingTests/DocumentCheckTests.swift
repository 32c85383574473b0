import DocumentChecking
import Files
import Foundation
import TestSupport
import Testing

struct DocumentCheckTests {
  private func verdicts(
    _ text: String,
    schema: String = #"{"type":"object","required":["a"]}"#,
    layout: DocumentCheck.Layout = .auto,
    registry: [String: String] = [:],
    file: String = "data"
  ) async throws -> [Found] {
    var found: [DocumentCheck.Stretch] = []
    try await withTemporaryFolder { folder in
      try Data(schema.utf8).write(to: URL(filePath: "\(folder)/schema.json"))
      try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(file)"))
      for (name, content) in registry {
        let path = URL(filePath: "\(folder)/registry/\(name)")
        try FileManager.default.createDirectory(
          at: path.deletingLastPathComponent(),
          withIntermediateDirectories: true
        )
        try Data(content.utf8).write(to: path)
      }
      let check = try DocumentCheck(
        schemaPath: "\(folder)/schema.json",
        folders: registry.isEmpty
          ? [] : [SchemaFolder(base: "https://example.com/s", path: "\(folder)/registry")]
      )
      let totals = try await check.run(InputFile("\(folder)/\(file)"), layout: layout) {
        found += $0
      }
      let verdicts = Self.documents(found)
      #expect(totals.documentCount == verdicts.count)
      #expect(totals.invalidCount == verdicts.count { !$0.isValid })
    }
    return Self.documents(found)
  }

  /// One document, with or without a fault.
  private struct Found: Hashable {
    let line: Int
    var findings: [DocumentFinding] = []
    var isValid: Bool { findings.isEmpty }
  }

  private static func documents(_ stretches: [DocumentCheck.Stretch]) -> [Found] {
    stretches.flatMap { stretch in
      switch stretch {
      case .valid(let lines): lines.map { Found(line: $0) }
      case .document(let verdict): [Found(line: verdict.line, findings: verdict.findings)]
      }
    }
  }

  @Test(arguments: [DocumentCheck.Layout.auto, .whole, .lines])
  func `a document that is too large for memory is refused with a cure`(
    layout: DocumentCheck.Layout
  ) async throws {
    let text = "{\"a\":\"" + String(repeating: "x", count: DocumentCheck.largestDocument) + "\"}"
    let error = await #expect(throws: DocumentError.self) {
      _ = try await verdicts(text, layout: layout)
    }
    #expect(error?.description.contains("more than 24 MiB") == true)
    #expect(error?.cure.contains("one document a line") == true)
  }

  @Test func `each line of JSON Lines is a document with its number`() async throws {
    let found = try await verdicts("{\"a\":1}\n\n{\"b\":1}\n{\"a\":2}")
    #expect(found.map(\.line) == [1, 3, 4])
    #expect(found.map(\.isValid) == [true, false, true])
    #expect(found[1].findings.map(\.code) == ["schema.required"])
  }

  @Test(arguments: [DocumentCheck.Layout.auto, .lines], ["\n", ""])
  func `findings and their order do not depend on the number of workers`(
    layout: DocumentCheck.Layout,
    end: String
  ) async throws {
    // A few blocks, with empty lines, faults, what is no JSON, and one line longer than a block.
    var lines = (0..<60_000).map { number in
      switch number % 1_000 {
      case 7: "{\"b\":\(number)}"
      case 8: ""
      case 9: "{\"a\":"
      default: "{\"a\":\(number),\"text\":\"\(String(repeating: "x", count: number % 90))\"}"
      }
    }
    lines[30_000] = "{\"b\":\"\(String(repeating: "y", count: 3 << 20))\"}"
    let text = lines.joined(separator: "\n") + end
    try await withTemporaryFolder { folder in
      try Data(#"{"required":["a"]}"#.utf8).write(to: URL(filePath: "\(folder)/schema.json"))
      try Data(text.utf8).write(to: URL(filePath: "\(folder)/data"))
      let check = try DocumentCheck(schemaPath: "\(folder)/schema.json")
      var found: [[Found]] = []
      for workers in [1, 2, 5] {
        var stretches: [DocumentCheck.Stretch] = []
        let totals = try await check.run(
          InputFile("\(folder)/data"),
          layout: layout,
          workers: workers
        ) { stretches += $0 }
        #expect(totals.documentCount == lines.count { !$0.isEmpty })
        #expect(totals.invalidCount == 121)
        found.append(Self.documents(stretches))
        #expect(found.last?.count == totals.documentCount)
      }
      #expect(found[0] == found[1])
      #expect(found[0] == found[2])
    }
  }

  @Test(arguments: [1, 3])
  func `more findings than are held at once are all reported, in order`(
    workers: Int
  ) async throws {
    let schema = #"{"required":["a","b","c","d","e"]}"#
    let count = 5_000
    var lines: [Int] = []
    var most = 0
    try await withTemporaryFolder { folder in
      try Data(schema.utf8).write(to: URL(filePath: "\(folder)/schema.json"))
      try Data(String(repeating: "{}\n", count: count).utf8)
        .write(to: URL(filePath: "\(folder)/data"))
      let check = try DocumentCheck(schemaPath: "\(folder)/schema.json")
      let totals = try await check.run(
        InputFile("\(folder)/data"),
        layout: .lines,
        workers: workers
      ) { part in
        let documents = Self.documents(part)
        lines += documents.map(\.line)
        most = max(most, documents.reduce(0) { $0 + $1.findings.count })
      }
      #expect(totals.invalidCount == count)
    }
    #expect(lines == Array(1...count))
    #expect(most < 6_000)
  }

  @Test func `one document over many lines is not split among workers`() async throws {
    try await withTemporaryFolder { folder in
      try Data(#"{"required":["a"]}"#.utf8).write(to: URL(filePath: "\(folder)/schema.json"))
      try Data("{\n\"a\": 1\n}\n".utf8).write(to: URL(filePath: "\(folder)/data"))
      let check = try DocumentCheck(schemaPath: "\(folder)/schema.json")
      let totals = try await check.run(InputFile("\(folder)/data"), workers: 4) { _ in }
      #expect(totals.documentCount == 1)
      #expect(totals.invalidCount == 0)
    }
  }

  @Test func `a document over many lines is one document`() async throws {
    let found = try await verdicts("{\n  \"a\": 1\n}\n")
    #expect(found.map(\.isValid) == [true])
  }

  @Test func `a line that is not JSON is a finding, and later lines are read`() async throws {
    let found = try await verdicts("{\"a\":1}\n{\"a\":\n{\"a\":1}\n")
    #expect(found.map(\.isValid) == [true, false, true])
    #expect(found[1].findings.first?.code == "json.malformed")
    #expect(found[1].findings.first?.cause.contains("line 2") == true)
  }

  @Test func `invalid JSON is reported with the line inside the document`() async throws {
    let found = try await verdicts("{\n\"a\": 1,\n]\n", layout: .whole)
    #expect(found.first?.findings.first?.cause.contains("line 3") == true)
  }

  @Test func `an empty file holds no lines, and no whole document either`() async throws {
    #expect(try await verdicts("").isEmpty)
    #expect(try await verdicts("", layout: .whole).map(\.isValid) == [false])
  }

  @Test(arguments: ["", " \n\n"])
  func `a file called .json that is empty lacks its document`(text: String) async throws {
    #expect(try await verdicts(text, file: "data.json").map(\.isValid) == [false])
    #expect(try await verdicts(text, file: "data.jsonl").isEmpty)
    #expect(try await verdicts(text, layout: .lines, file: "data.json").isEmpty)
  }

  @Test func `references resolve in a folder`() async throws {
    let found = try await verdicts(
      "1\n\"x\"\n",
      schema: #"{"$ref":"https://example.com/s/deep/number.json"}"#,
      registry: ["deep/number.json": #"{"type":"number"}"#, "note.txt": "no schema"]
    )
    #expect(found.map(\.isValid) == [true, false])
  }

  @Test func `files of a folder that no reference leads to are not read`() async throws {
    let found = try await verdicts(
      "1\n\"x\"\n",
      schema: #"{"$ref":"https://example.com/s/deep/number.json"}"#,
      registry: [
        "deep/number.json": #"{"type":"number"}"#, "broken.json": "{", "a.json": #"{"type":5}"#,
        "b.json": #"{"$id":"urn:same"}"#, "c.json": #"{"$id":"urn:same"}"#,
        "draft.json": #"{"$schema":"http://json-schema.org/draft-03/schema#"}"#,
      ]
    )
    #expect(found.map(\.isValid) == [true, false])
  }

  @Test(arguments: ["broken", "broken.json"])
  func `a referenced file that is not JSON is named`(name: String) async throws {
    let error = await #expect(throws: DocumentError.self) {
      try await verdicts(
        "1",
        schema: #"{"$ref":"https://example.com/s/\#(name)"}"#,
        registry: [name: "{"]
      )
    }
    #expect(error?.description.contains("https://example.com/s/\(name)") == true)
  }

  @Test func `a possibly referenced file that is not JSON is named`() async {
    let error = await #expect(throws: DocumentError.self) {
      try await verdicts(
        "1",
        schema: #"{"$ref":"urn:hero"}"#,
        registry: ["hero.json": #"{"$id":"urn:hero","#, "README": "no schema"]
      )
    }
    #expect(error?.description.contains("urn:hero") == true)
    #expect(error?.description.contains("registry/hero.json is not JSON") == true)
    #expect(error?.description.contains("README") == false)
  }

  @Test(arguments: ["urn:hero", "https://elsewhere.org/part.json"])
  func `a schema of a folder is found by the address that it gives itself`(
    address: String
  ) async throws {
    let found = try await verdicts(
      "1\n\"x\"\n",
      schema: #"{"$ref":"\#(address)"}"#,
      registry: [
        "a b/hero.json": #"{"$id":"urn:hero","$ref":"https://elsewhere.org/part.json"}"#,
        "whole.json": #"""
        {"$id":"https://elsewhere.org/whole.json","$defs":{"p":{"$id":"part.json","type":"number"}}}
        """#, "broken.json": "{",
      ]
    )
    #expect(found.map(\.isValid) == [true, false])
  }

  @Test func `an address that two files give different schemas is refused with both files`()
    async throws
  {
    let number = #"{"$id":"urn:hero","type":"number"}"#
    let copies = ["a.json": number, "b.json": number]
    let found = try await verdicts(
      "1\n\"x\"\n",
      schema: #"{"$ref":"urn:hero"}"#,
      registry: copies
    )
    #expect(found.map(\.isValid) == [true, false])
    let text = ["deep/c.json": #"{"$defs":{"h":{"$id":"urn:hero","type":"string"}}}"#]
    let error = await #expect(throws: DocumentError.self) {
      try await verdicts(
        "1",
        schema: #"{"$ref":"urn:hero"}"#,
        registry: copies.merging(text) { first, _ in first }
      )
    }
    #expect(error?.description.contains("registry/a.json") == true)
    #expect(error?.description.contains("registry/deep/c.json") == true)
    // An address that no reference has may be in any number of files.
    #expect(
      try await verdicts("1", registry: copies.merging(text) { first, _ in first }).count == 1
    )
  }

  @Test(arguments: ["a%20b.json", "a b.json"])
  func `a schema address is unescaped to its file name`(name: String) async throws {
    let found = try await verdicts(
      "1\n\"x\"\n",
      schema: #"{"$ref":"https://example.com/s/\#(name)"}"#,
      registry: ["a b.json": #"{"type":"number"}"#]
    )
    #expect(found.map(\.isValid) == [true, false])
  }

  @Test(arguments: ["../schema.json", "%2E%2E/schema.json", "..%2Fschema.json", ".hidden.json"])
  func `no address leads out of a folder`(name: String) async {
    await #expect(throws: DocumentError.self) {
      try await verdicts(
        "1",
        schema: #"{"type":"number","$ref":"https://example.com/s/\#(name)"}"#,
        registry: [".hidden.json": "{}", "a.json": "{}"]
      )
    }
  }

  @Test func `a metaschema of a folder is read before the schema that names it`() async throws {
    let found = try await verdicts(
      "1\n\"x\"\n",
      schema: #"{"$schema":"https://example.com/s/meta.json","type":"number"}"#,
      registry: [
        "meta.json": #"""
        {"$schema":"https://json-schema.org/draft/2020-12/schema",
         "$id":"https://example.com/s/meta.json",
         "$vocabulary":{"https://json-schema.org/draft/2020-12/vocab/core":true}}
        """#
      ]
    )
    #expect(found.map(\.isValid) == [true, true])
  }

  @Test(.timeLimit(.minutes(1)))
  func `the files of a folder may together hold more schemas than one document may`() async throws {
    let many = "{\"allOf\":[\(Array(repeating: "{}", count: 40_000).joined(separator: ","))]}"
    let found = try await verdicts(
      "1\n\"x\"\n",
      schema: #"{"$ref":"https://example.com/s/number.json"}"#,
      registry: [
        "a.json": many, "b.json": many, "c.json": many, "d.json": many,
        "number.json": #"{"type":"number"}"#,
      ]
    )
    #expect(found.map(\.isValid) == [true, false])
  }

  @Test func `a reference that leads nowhere is an error, not a request`() async throws {
    let error = await #expect(throws: DocumentError.self) {
      try await verdicts("1", schema: #"{"$ref":"https://example.com/s/none.json"}"#)
    }
    #expect(error?.description.contains("leads nowhere") == true)
    #expect(error?.cure.contains("--registry") == true)
  }

  @Test(arguments: [
    ("https://example.com/a=/srv/x", "https://example.com/a/", "/srv/x"),
    ("urn:x:=rel/dir", "urn:x:/", "rel/dir"),
  ])
  func `a schema registry is given as base and folder`(text: String, base: String, path: String)
    throws
  {
    #expect(SchemaFolder(parsing: text) == SchemaFolder(base: base, path: path))
  }

  @Test(arguments: ["nothing", "=", "https://example.com="])
  func `an unknown form of schema registry is refused`(text: String) {
    #expect(SchemaFolder(parsing: text) == nil)
  }
}
