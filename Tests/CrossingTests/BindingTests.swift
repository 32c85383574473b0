import Foundation
import JSONText
import TestSupport
import Testing

/// A package is gone on with, or found, only by the rules that it was made by.
@Suite(.timeLimit(.minutes(3))) struct BindingTests {
  private func run(_ arguments: [String], in folder: String) async throws -> Answer {
    try await Answer(
      FerryProgram().run(
        arguments + ["--format", "ndjson", "--progress", "none", "--quiet"],
        state: "\(folder)/state"
      )
    )
  }

  /// Leaves a finished package as a run does that is killed before the package has its name.
  private func takeName(of package: String) throws {
    try FileManager.default.moveItem(atPath: package, toPath: package + ".partial")
  }

  private func write(_ text: String, to file: String) throws {
    try text.write(toFile: file, atomically: true, encoding: .utf8)
  }

  @Test func `an upgrade of an export by corrected rules gives the corrected values`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let published = "\(Samples.folder)/../Schemas/upgrades/infinite-stories.upgrades.json"
      let right = try String(contentsOfFile: published, encoding: .utf8)
      let wrong = right.replacing(#""completed": true"#, with: #""completed": false"#)
      #expect(wrong != right)
      let (rules, package) = ("\(folder)/u.json", "\(folder)/new.ferry")
      let export = "\(Samples.infiniteStories.folder)/older-export.json"
      let line = ["upgrade", export, "-o", package, "--upgrades", rules]
      try write(wrong, to: rules)
      let first = try await run(line, in: folder)
      #expect(first.status == 0, "\(first.standardError)\(first.standardOutput)")
      let isGenerated = try PackageLines(package).records("StoryIllustration")
        .compactMap { $0["isGenerated"]?.boolean }
      #expect(!isGenerated.contains(true))
      try write(right, to: rules)
      let inTheWay = try await run(line, in: folder)
      #expect(inTheWay.status != 0, "\(inTheWay.standardOutput)")
      try takeName(of: package)
      let second = try await run(line, in: folder)
      #expect(second.status == 0, "\(second.standardError)\(second.standardOutput)")
      let corrected = try PackageLines(package).records("StoryIllustration")
        .compactMap { $0["isGenerated"]?.boolean }
      #expect(corrected.contains(true))
    }
  }

  @Test func `an upgrade of a package by corrected rules gives the corrected values`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      let text = try String(contentsOfFile: sample.profile, encoding: .utf8)
      let older = "\(folder)/older.yaml"
      try write(text.replacing(".v3.schema.json", with: ".v2.schema.json"), to: older)
      let (old, new, rules) = ("\(folder)/old.ferry", "\(folder)/new.ferry", "\(folder)/u.json")
      let exported = try await run(
        [
          "export", sample.store, "--profile", older, "-o", old, "--container",
          "\(sample.folder)/container",
        ],
        in: folder
      )
      #expect(exported.status == 0, "\(exported.standardError)")
      let line = ["upgrade", old, "-o", new, "--upgrades", rules]
      for trait in ["Brave", "Curious"] {
        try write(Self.rules(trait), to: rules)
        let answer = try await run(line, in: folder)
        #expect([0, 4].contains(answer.status), "\(answer.standardError)")
        let heroes = try PackageLines(new).records("Hero")
        #expect(!heroes.isEmpty)
        #expect(heroes.allSatisfy { $0["primaryTrait"]?.text == trait })
        try takeName(of: new)
      }
    }
  }

  /// Rules that give every hero one trait.
  private static func rules(_ trait: String) -> String {
    """
    {"ferry-upgrades": 1, "app": "infinite-stories", "upgrades": [{
      "entity": "Hero",
      "from": "infinite-stories.Hero.v2.schema.json",
      "to": "infinite-stories.Hero.v3.schema.json",
      "steps": [{"do": "map", "member": "primaryTrait",
        "values": {"none": "none"}, "otherwise": "\(trait)"}]
    }]}
    """
  }

  @Test func `an import by a corrected description of a game is another package`() async throws {
    try await withTemporaryFolder { folder in
      let (texts, game) = ("\(folder)/texts.jsonl", "\(folder)/thimble.json")
      let package = "\(folder)/p.ferry"
      try write(#"{"text":"Thimble 2 3"}"# + "\n", to: texts)
      let line =
        ["import", texts, "--as", "jsonl", "--text-field", "text", "--game", game]
        + ["--date", "2025-01-03", "-o", package]
      try write(Self.game("{score:attempts} {puzzle:number}"), to: game)
      let first = try await run(line, in: folder)
      #expect(first.status == 0, "\(first.standardError)\(first.standardOutput)")
      #expect(try PackageLines(package).records("GameResult").map { $0["score"]?.integer } == [2])
      let same = try await run(line, in: folder)
      #expect(same.value("import")?["alreadyThere"] == true, "\(same.standardError)")
      try write(Self.game("{puzzle:number} {score:attempts}"), to: game)
      let inTheWay = try await run(line, in: folder)
      #expect(inTheWay.status != 0, "\(inTheWay.standardOutput)")
      try takeName(of: package)
      let corrected = try await run(line, in: folder)
      #expect(corrected.status == 0, "\(corrected.standardError)\(corrected.standardOutput)")
      #expect(try PackageLines(package).records("GameResult").map { $0["score"]?.integer } == [3])
    }
  }

  private static func game(_ fields: String) -> String {
    """
    {"game": "thimble", "name": "Thimble", "scoring": "attempts", "maximum": 4,
     "forms": [{"head": "Thimble \(fields)"}]}
    """
  }
}
