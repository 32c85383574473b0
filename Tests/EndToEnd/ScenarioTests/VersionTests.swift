import Foundation
import JSONText
import SchemaValidation
import Schemas
import TestSupport
import Testing

/// `ferry upgrade`, `ferry schema diff` and `ferry schema infer`, as a person meets them.
@Suite(.timeLimit(.minutes(3))) struct VersionTests {
  private func run(_ arguments: [String], in folder: String) async throws -> Answer {
    try await Answer(
      FerryProgram().run(
        arguments + ["--format", "ndjson", "--progress", "none", "--quiet"],
        state: "\(folder)/state"
      )
    )
  }

  private func faults(_ value: JSONValue, _ name: String) throws -> [String] {
    let bytes = try #require(PublishedSchemas.bytes(named: name))
    let schema = try SchemaSet(schemas: [(name, bytes)]).schema(at: name)
    let document = JSONDocument()
    try document.parse(copying: value.canonicalBytes)
    return schema.faults(document, document.root).map { "\($0.instanceLocation) \($0.expected)" }
  }

  private func manifest(_ package: String) throws -> JSONValue {
    let data = try Data(contentsOf: URL(filePath: "\(package)/manifest.json"))
    return try JSONValue(parsing: Array(data))
  }

  private let export = "\(Samples.infiniteStories.folder)/older-export.json"

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

  // 001-21.
  @Test func `a package of version 2 is upgraded to version 3 with its media`() async throws {
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      let text = try String(at: sample.profile)
      let older = "\(folder)/older.yaml"
      try text.replacing(".v3.schema.json", with: ".v2.schema.json").save(to: older)
      let (old, new) = ("\(folder)/old.ferry", "\(folder)/new.ferry")
      try await run(
        [
          "export", sample.store, "--profile", older, "-o", old, "--container",
          "\(sample.folder)/container",
        ],
        in: folder
      ).exits(0)
      try await run(["upgrade", old, "-o", new], in: folder).exits(0)
      let (before, after) = (try manifest(old), try manifest(new))
      #expect(before["media"] == after["media"])
      #expect((after.value(at: "/media/files")?.integer ?? 0) > 0)
      for entity in ["CustomStoryEvent", "Hero", "HeroVisualProfile", "Story", "StoryIllustration"]
      {
        #expect(try PackageLines(old).records(entity) == PackageLines(new).records(entity))
      }
      #expect(try faults(after, "ferry.manifest.v1.schema.json").isEmpty)
      let names = after["entities"]?.array?.compactMap { $0["schema"]?.text } ?? []
      #expect(names.contains("infinite-stories.Hero.v3.schema.json"))
      #expect(names.contains("infinite-stories.HeroVisualProfile.v2.schema.json"))
    }
  }

  @Test func `an undeclared or too new package is refused with a cure`() async throws {
    try await withTemporaryFolder { folder in
      let file = "\(folder)/export.json"
      try Data(#"{"version":"9.0","heroes":[]}"#.utf8).write(to: URL(filePath: file))
      let unknown = try await run(["upgrade", file, "-o", "\(folder)/a"], in: folder).exits(12)
      #expect(unknown.standardError.contains("9.0"))
      try Data(#"{"version":"1.0","heroes":[],"pets":[]}"#.utf8).write(to: URL(filePath: file))
      let undeclared = try await run(["upgrade", file, "-o", "\(folder)/a"], in: folder).exits(12)
      #expect(undeclared.standardError.contains("pets"))
      let package = "\(folder)/one.ferry"
      _ = try await run(["upgrade", export, "-o", package], in: folder)
      let place = URL(filePath: "\(package)/manifest.json")
      let text = try String(contentsOf: place, encoding: .utf8)
      try text.replacing(#""format": "1."#, with: #""format": "2."#)
        .write(to: place, atomically: true, encoding: .utf8)
      for verb in [["upgrade", package, "-o", "\(folder)/b"], ["validate", package]] {
        let answer = try await run(verb, in: folder).exits(12)
        #expect(answer.standardError.contains("use a newer ferry"), "\(answer)")
      }
    }
  }

  @Test func `a record that no step fits is kept with the reason`() async throws {
    try await withTemporaryFolder { folder in
      let text = try String(at: export)
      let file = "\(folder)/export.json"
      try text.replacing(#""completed""#, with: #""lost""#).save(to: file)
      let answer = try await run(["upgrade", file, "-o", "\(folder)/one.ferry"], in: folder)
      #expect(answer.status == 3, "\(answer)")
      let rejected = try String(at: "\(folder)/one.ferry/rejected/StoryIllustration-00001.jsonl")
      #expect(rejected.contains("upgrade.value"))
      #expect(rejected.contains("A fox in moonlight"))
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

  @Test(arguments: [#"{"type":12}"#, #"{"pattern":"("}"#, #"{"properties":{"a":5}}"#, "[]"])
  func `an invalid new schema is not a compatible change`(text: String) async throws {
    try await withTemporaryFolder { folder in
      let (old, new) = ("\(folder)/old", "\(folder)/new")
      for (place, schema) in [(old, #"{"type":"object"}"#), (new, text)] {
        try makeFolder(place)
        try Data(schema.utf8).write(to: URL(filePath: "\(place)/a.v1.schema.json"))
      }
      for (old, new) in [(old, new), ("\(old)/a.v1.schema.json", "\(new)/a.v1.schema.json")] {
        let answer = try await run(["schema", "diff", old, new], in: folder).exits(12)
        #expect(answer.standardError.contains("a.v1.schema.json"))
      }
      // One that was none before may become one.
      #expect(try await run(["schema", "diff", new, old], in: folder).status != 12)
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

  @Test(arguments: ["default.store", "later.store"])
  func `an inspection obeys its published schema`(name: String) async throws {
    try await withTemporaryFolder { folder in
      let store = "\(Samples.infiniteStories.folder)/\(name)"
      let answer = try await run(["inspect", store], in: folder)
      let inspection = try #require(answer.value("inspection"))
      #expect(try faults(inspection, "ferry.inspection.v1.schema.json").isEmpty)
    }
  }
}
