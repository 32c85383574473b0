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
    try text.save(to: file)
  }

  @Test func `an upgrade of an export by corrected rules gives the corrected values`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let published = "\(Samples.folder)/../Schemas/upgrades/infinite-stories.upgrades.json"
      let right = try String(at: published)
      let wrong = right.replacing(#""completed": true"#, with: #""completed": false"#)
      #expect(wrong != right)
      let (rules, package) = ("\(folder)/u.json", "\(folder)/new.ferry")
      let export = "\(Samples.infiniteStories.folder)/older-export.json"
      let line = ["upgrade", export, "-o", package, "--upgrades", rules]
      try write(wrong, to: rules)
      try await run(line, in: folder).exits(0)
      let isGenerated = try PackageLines(package).records("StoryIllustration")
        .compactMap { $0["isGenerated"]?.boolean }
      #expect(!isGenerated.contains(true))
      try write(right, to: rules)
      let inTheWay = try await run(line, in: folder)
      #expect(inTheWay.status != 0, "\(inTheWay)")
      try takeName(of: package)
      try await run(line, in: folder).exits(0)
      let corrected = try PackageLines(package).records("StoryIllustration")
        .compactMap { $0["isGenerated"]?.boolean }
      #expect(corrected.contains(true))
    }
  }

  /// The package of the sample under the schemas of the version before.
  private func exportOfOlderSchemas(in folder: String) async throws -> String {
    let sample = try Samples.infiniteStories.copied(into: folder)
    let (older, package) = ("\(folder)/older.yaml", "\(folder)/old.ferry")
    let text = try String(at: sample.profile)
    try write(text.replacing(".v3.schema.json", with: ".v2.schema.json"), to: older)
    try await run(
      [
        "export", sample.store, "--profile", older, "-o", package, "--container",
        "\(sample.folder)/container",
      ],
      in: folder
    ).exits(0)
    return package
  }

  @Test func `an upgrade of a package by corrected rules gives the corrected values`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let old = try await exportOfOlderSchemas(in: folder)
      let (new, rules) = ("\(folder)/new.ferry", "\(folder)/u.json")
      let line = ["upgrade", old, "-o", new, "--upgrades", rules]
      for trait in ["Brave", "Curious"] {
        try write(Self.rules(trait), to: rules)
        let answer = try await run(line, in: folder)
        #expect([0, 4].contains(answer.status), "\(answer)")
        let heroes = try PackageLines(new).records("Hero")
        #expect(!heroes.isEmpty)
        #expect(heroes.allSatisfy { $0["primaryTrait"]?.text == trait })
        try takeName(of: new)
      }
    }
  }

  @Test func `an upgrade to a corrected schema beside its rules holds the corrected one`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let old = try await exportOfOlderSchemas(in: folder)
      let (new, rules) = ("\(folder)/new.ferry", "\(folder)/u.json")
      let schema = "mine.Hero.v3.schema.json"
      try write(Self.rules("Brave", to: schema), to: rules)
      let line = ["upgrade", old, "-o", new, "--upgrades", rules]
      try write(#"{"type": "object", "required": ["wings"]}"#, to: "\(folder)/\(schema)")
      try await run(line, in: folder).exits(4)
      try await run(line, in: folder).exits(4)
      try write(#"{"type": "object", "required": ["name"]}"#, to: "\(folder)/\(schema)")
      let inTheWay = try await run(line, in: folder)
      #expect(![0, 4].contains(inTheWay.status), "\(inTheWay)")
      try takeName(of: new)
      let corrected = try await run(line, in: folder)
      #expect([0, 4].contains(corrected.status), "\(corrected)")
      let held = try String(at: "\(new)/schemas/\(schema)")
      #expect(held.contains("name"))
    }
  }

  /// Rules that give every hero one trait.
  private static func rules(
    _ trait: String,
    to schema: String = "infinite-stories.Hero.v3.schema.json"
  ) -> String {
    """
    {"ferry-upgrades": 1, "app": "infinite-stories", "upgrades": [{
      "entity": "Hero",
      "from": "infinite-stories.Hero.v2.schema.json",
      "to": "\(schema)",
      "steps": [{"do": "map", "member": "primaryTrait",
        "values": {"none": "none"}, "otherwise": "\(trait)"}]
    }]}
    """
  }

  /// A schema that no record obeys.
  private static let strict = #"{"type": "object", "required": ["wings"]}"#
  /// The schema that was meant.
  private static let meant = #"{"type": "object"}"#

  /// Names a schema of the user's own in a profile, in place of a published one.
  ///
  /// - Returns: The path beside the profile where the schema is to lie.
  private func nameOwnSchema(
    _ name: String,
    for published: String,
    in profile: String
  ) throws -> String {
    let text = try String(at: profile)
    let own = text.replacing(published, with: name)
    try #require(own != text)
    try write(own, to: profile)
    return URL(filePath: profile).deletingLastPathComponent().appending(path: name).path
  }

  @Test func `an export by a corrected schema beside its profile is another package`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      let (name, package) = ("mine.Hero.v3.schema.json", "\(folder)/p.ferry")
      let schema = try nameOwnSchema(
        name,
        for: "infinite-stories.Hero.v3.schema.json",
        in: sample.profile
      )
      let line = ["export", sample.store, "--profile", sample.profile, "-o", package]
      try write(Self.strict, to: schema)
      try await run(line, in: folder).exits(0)
      let same = try await run(line, in: folder)
      #expect(same.value("export")?["alreadyExisted"] == true, "\(same)")
      try write(Self.meant, to: schema)
      try await run(line, in: folder).exits(12)
      try takeName(of: package)
      let corrected = try await run(line, in: folder).exits(0)
      #expect(corrected.value("export")?["alreadyExisted"] == false)
      let held = try String(at: "\(package)/schemas/\(name)")
      #expect(held == Self.meant)
      let again = try await run(line, in: folder)
      #expect(again.value("export")?["alreadyExisted"] == true, "\(again)")
    }
  }

  @Test func `a file beside the profile changes no package where Ferry publishes the schema`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      let (name, package) = ("infinite-stories.Hero.v3.schema.json", "\(folder)/p.ferry")
      let line = ["export", sample.store, "--profile", sample.profile, "-o", package]
      try await run(line, in: folder).exits(0)
      try write(Self.strict, to: "\(sample.folder)/\(name)")
      let same = try await run(line, in: folder)
      #expect(same.value("export")?["alreadyExisted"] == true, "\(same)")
      let held = try String(at: "\(package)/schemas/\(name)")
      #expect(held != Self.strict)
    }
  }

  @Test func `a migration by a corrected schema beside its profile makes a new package`()
    async throws
  {
    try await withScenario { scenario in
      let name = "mine.Hero.v3.schema.json"
      let schema = try nameOwnSchema(
        name,
        for: "infinite-stories.Hero.v3.schema.json",
        in: scenario.profile
      )
      func packages() throws -> Set<String> {
        let names = try FileManager.default.contentsOfDirectory(
          atPath: "\(scenario.state)/packages"
        )
        return Set(names.filter { $0.hasSuffix(".ferry") })
      }
      try write(Self.strict, to: schema)
      try await scenario.migrate().exits(4)
      let faulty = try packages()
      #expect(faulty.count == 1)
      try await scenario.migrate().exits(4)
      #expect(try packages() == faulty)
      #expect(try scenario.backend.writeCount() == 0)
      try write(Self.meant, to: schema)
      let corrected = try await scenario.migrate().exits(0)
      #expect(corrected.count("created", of: "Hero") == 6)
      let added = try packages().subtracting(faulty)
      let package = try #require(added.first)
      #expect(added.count == 1)
      let held = try String(at: "\(scenario.state)/packages/\(package)/schemas/\(name)")
      #expect(held == Self.meant)
      try await scenario.migrate().exits(0)
      #expect(try packages() == faulty.union(added))
    }
  }

  @Test func `an import by a corrected schema beside its profile is another package`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let profile = "\(folder)/profile.yaml"
      let sample = "\(Samples.folder)/streaksync"
      try FileManager.default.copyItem(atPath: "\(sample)/profile.yaml", toPath: profile)
      let (name, package) = ("mine.GameResult.v1.schema.json", "\(folder)/p.ferry")
      let schema = try nameOwnSchema(name, for: "ferry.GameResult.v1.schema.json", in: profile)
      let line = ["import", "\(sample)/preferences.plist", "--profile", profile, "-o", package]
      try write(Self.strict, to: schema)
      try await run(line, in: folder).exits(0)
      let same = try await run(line, in: folder)
      #expect(same.value("import")?["alreadyPresent"] == true, "\(same)")
      try write(Self.meant, to: schema)
      try await run(line, in: folder).exits(12)
      try takeName(of: package)
      let corrected = try await run(line, in: folder).exits(0)
      #expect(corrected.value("import")?["alreadyPresent"] == false)
      let held = try String(at: "\(package)/schemas/\(name)")
      #expect(held == Self.meant)
    }
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
      try await run(line, in: folder).exits(0)
      #expect(try PackageLines(package).records("GameResult").map { $0["score"]?.integer } == [2])
      let same = try await run(line, in: folder)
      #expect(same.value("import")?["alreadyPresent"] == true, "\(same)")
      try write(Self.game("{puzzle:number} {score:attempts}"), to: game)
      let inTheWay = try await run(line, in: folder)
      #expect(inTheWay.status != 0, "\(inTheWay)")
      try takeName(of: package)
      try await run(line, in: folder).exits(0)
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
