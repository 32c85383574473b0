import Foundation
import JSONText
import SchemaValidation
import Schemas
import TestSupport
import Testing

extension VersionTests {
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
