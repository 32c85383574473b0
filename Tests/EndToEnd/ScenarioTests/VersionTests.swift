import Foundation
import JSONText
import SchemaValidation
import Schemas
import TestSupport
import Testing

/// `ferry upgrade`, `ferry schema diff` and `ferry schema infer`, as a person meets them.
@Suite(.timeLimit(.minutes(3))) struct VersionTests {
  func run(_ arguments: [String], in folder: String) async throws -> Answer {
    try await Answer(
      FerryProgram().run(
        arguments + ["--format", "ndjson", "--progress", "none", "--quiet"],
        state: "\(folder)/state"
      )
    )
  }

  func faults(_ value: JSONValue, _ name: String) throws -> [String] {
    let bytes = try #require(PublishedSchemas.bytes(named: name))
    let schema = try SchemaSet(schemas: [(name, bytes)]).schema(at: name)
    let document = JSONDocument()
    try document.parse(copying: value.canonicalBytes)
    return schema.faults(document, document.root).map { "\($0.instanceLocation) \($0.expected)" }
  }

  func manifest(_ package: String) throws -> JSONValue {
    let data = try Data(contentsOf: URL(filePath: "\(package)/manifest.json"))
    return try JSONValue(parsing: Array(data))
  }

  let export = "\(Samples.infiniteStories.folder)/older-export.json"

  @Test func `an export of the older app becomes a package of the newest version`() async throws {
    try await withTemporaryFolder { folder in
      let package = "\(folder)/one.ferry"
      let answer = try await run(["upgrade", export, "-o", package], in: folder).exits(0)
      let upgrade = try #require(answer.value("upgrade"))
      let entities = try #require(upgrade["entities"]?.array)
      #expect(entities.map { $0["records"]?.integer } == [2, 2, 3, 3])
      let split = entities.flatMap { $0["steps"]?.array ?? [] }.first { $0["do"] == "split" }
      #expect(split?["member"] == "traits")
      #expect(split?["records"] == 2)
      let hero = try #require(try PackageLines(package).records("Hero").first)
      #expect(hero["primaryTrait"] == "Brave")
      #expect(hero["secondaryTrait"] == "Curious")
      #expect(hero["age"] == 6)
      #expect(hero["traits"] == nil)
      let manifest = try manifest(package)
      #expect(try faults(manifest, "ferry.manifest.v1.schema.json").isEmpty)
      #expect(manifest["upgrades"]?.array?.contains { $0["leftOut"] == "exportDate" } == true)
      try await run(["validate", package], in: folder).exits(0)
      let same = try await run(["upgrade", export, "-o", package], in: folder).exits(0)
      #expect(same.value("upgrade")?["leftOut"] == upgrade["leftOut"])
      #expect(same.value("upgrade")?["validation"] == upgrade["validation"])
      let again = try await run(["upgrade", package, "-o", "\(folder)/two.ferry"], in: folder)
      #expect(again.status == 0)
      #expect(again.value("upgrade")?["package"] == .null)
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/two.ferry"))
    }
  }

  @Test func `a breaking change of a schema has status 6, and names its place`() async throws {
    try await withTemporaryFolder { folder in
      let (old, new) = ("\(folder)/a.v1.schema.json", "\(folder)/a.v2.schema.json")
      try Data(#"{"type":["string","null"]}"#.utf8).write(to: URL(filePath: old))
      try Data(#"{"type":"string"}"#.utf8).write(to: URL(filePath: new))
      let answer = try await run(["schema", "diff", old, new], in: folder).exits(6)
      let changes = answer.value("schema-diff")?["changes"]?.array ?? []
      #expect(changes.map { $0["pointer"] } == ["/type"])
      #expect(changes.map { $0["effect"] } == ["breaking"])
      try await run(["schema", "diff", new, old], in: folder).exits(0)
      try await run(["schema", "diff", folder, folder], in: folder).exits(0)
    }
  }

  @Test func `a drafted schema accepts the records that it was drafted from`() async throws {
    try await withTemporaryFolder { folder in
      let lines = (0..<40).map { #"{"id":\#($0),"mood":"\#($0 % 2 == 0 ? "calm" : "gay")"}"# }
      let data = "\(folder)/data.jsonl"
      try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: data))
      let drafts: [(String, [String])] = [
        (data, []), (export, ["--closed"]), (data, ["--loose"]),
      ]
      for (file, flags) in drafts {
        let schema = "\(folder)/schema.json"
        let drafted = try await run(["schema", "infer", file, "-o", schema] + flags, in: folder)
        #expect(drafted.status == 0, "\(drafted)")
        let checked = try await run(["validate", "--schema", schema, file], in: folder).exits(0)
        for line in checked.values {
          #expect(try faults(line, "ferry.verdict.v1.schema.json").isEmpty)
        }
      }
      try Data("[1,\n".utf8).write(to: URL(filePath: data))
      try await run(["schema", "infer", data], in: folder).exits(4)
    }
  }
}
