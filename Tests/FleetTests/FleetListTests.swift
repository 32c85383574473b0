import Fleet
import Foundation
import StageSupport
import TestSupport
import Testing

struct FleetListTests {
  private func list(_ text: String) async throws -> FleetList {
    try await withTemporaryFolder { folder in
      let path = "\(folder)/list"
      try Data(text.utf8).write(to: URL(filePath: path))
      return try FleetList(path)
    }
  }

  @Test func `a fleet list as text has a store a line, relative to its folder`() async throws {
    let entries = try await list("# ours\n\na.store\r\n  /else/b c.store \n").entries
    #expect(entries.map(\.name) == ["a.store", "/else/b c.store"])
    #expect(entries[0].store.hasSuffix("/a.store"))
    #expect(entries[0].store != "a.store")
    #expect(entries[1].store == "/else/b c.store")
    #expect(entries[1].line == 4)
  }

  @Test func `an object of the fleet list overrides options for its store`() async throws {
    let line =
      #"{"store":"/s/a.store","name":"a","profile":"/p.yaml","to":"https://api.example.com","#
      + #""account":"a@example.com","credentials":{"token":"env:TOKEN_A","key":"file:/k"}}"#
    let entry = try #require(try await list(line).entries.first)
    #expect(entry.name == "a")
    #expect(entry.profile == "/p.yaml")
    #expect(entry.destination == "https://api.example.com")
    #expect(entry.account == "a@example.com")
    #expect(Set(entry.credentials) == ["token=env:TOKEN_A", "key=file:/k"])
  }

  @Test func `a store has values of its own for the variables of its profile`() async throws {
    let line = #"{"store":"a.store","set":{"tenant":"north","size":50,"isWhole":true}}"#
    let entry = try #require(try await list(line).entries.first)
    #expect(Set(entry.values) == ["tenant=north", "size=50", "isWhole=true"])
  }

  @Test func `a result holds for a store's values only`() async throws {
    let lines = ["north", "south"].map {
      #"{"store":"/a","name":"\#($0)","set":{"tenant":"\#($0)"}}"#
    }
    let entries = try await list(lines.joined(separator: "\n")).entries
    #expect(entries[0].text != entries[1].text)
  }

  @Test(arguments: [
    #"{"store":"a","set":["x"]}"#, #"{"store":"a","set":{"x":{}}}"#,
    #"{"store":"a","set":{"":"x"}}"#,
    #"{"store":"a","passwort":"x"}"#, #"{"name":"a"}"#, #"{"store":1}"#, #"{"store":"a""#,
    #"{"store":"a","credentials":{"token":"s3cret"}}"#, #"{"store":"a","credentials":[]}"#,
    "a.store\na.store", #"{"store":"a"}"# + "\n" + #"{"store":"b","name":"a"}"#,
  ]) func `a line that is not understood is refused with its place`(text: String) async throws {
    let error = try await #require(throws: FleetError.self) { try await list(text) }
    #expect("\(error)".contains("line "))
    #expect(!"\(error)\(error.failure.cure ?? "")".contains("s3cret"))
  }

  @Test func `a list that is not there is named once, with a cure, as a mistake of the command`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let path = "\(folder)/none"
      let error = try #require(throws: FleetError.self) { try FleetList(path) }
      let failure = Failure(error)
      #expect(failure.message == "cannot open \(path): No such file or directory")
      #expect(failure.cure?.contains("check the path") == true)
      #expect(failure.kind == .usage)
    }
  }

  @Test func `a line that is too long for a path is refused with its number`() async throws {
    let text = "a.store\n" + String(repeating: "x", count: 1 << 21)
    let error = try await #require(throws: FleetError.self) { try await list(text) }
    #expect(Failure(error).message.contains("line 2: it is longer than"))
  }

  @Test func `bytes that are not text are refused`() async throws {
    try await withTemporaryFolder { folder in
      let path = "\(folder)/list"
      try Data([0x61, 0xFF, 0x0A]).write(to: URL(filePath: path))
      #expect(throws: FleetError.self) { try FleetList(path) }
    }
  }

  @Test func `stores with look-alike names have separate folders`() async throws {
    let entries = try await list("a/b.store\na_b.store\nä/b.store\n../../x\n").entries
    #expect(Set(entries.map(\.folderName)).count == 4)
    for entry in entries {
      #expect(
        entry.folderName.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
      )
    }
  }

  @Test func `a store's outcome holds only for its line`() async throws {
    try await withTemporaryFolder { folder in
      let fleet = FleetFolder(state: StateFolder(path: folder))
      let entry = try #require(try await list(#"{"store":"/a","name":"a"}"#).entries.first)
      let other = try #require(
        try await list(#"{"store":"/a","name":"a","account":"b@example.com"}"#).entries.first
      )
      try fleet.prepare(entry)
      #expect(fleet.result(of: entry) == nil)
      var result = FleetResult(entry, status: 0, statusName: "done", attempts: 2)
      result.records = ["read": 3, "created": 3]
      try fleet.keep(result, of: entry, log: Array("said\n".utf8))
      #expect(fleet.result(of: entry) == result)
      #expect(fleet.result(of: other) == nil)
    }
  }
}
