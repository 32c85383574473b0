import Foundation
import JSONText
import RecordUpgrades
import Records
import SchemaValidation
import Schemas
import Testing

struct UpgradeStepTests {
  private func upgrade(_ steps: String, _ record: String) throws -> (JSONValue, [Int64]) {
    let text = #"""
      {"ferry-upgrades":1,"app":"a","upgrades":[
        {"entity":"E","from":"a.E.v1.schema.json","to":"a.E.v2.schema.json","steps":[\#(steps)]}]}
      """#
    let upgrades = try AppUpgrades(bytes: Array(text.utf8), path: "a.upgrades.json")
    let upgrade = try #require(upgrades.upgrades.first)
    var object = try #require(try JSONValue(parsing: record).object)
    var counts = [Int64](repeating: 0, count: upgrade.steps.count)
    try upgrade.apply(to: &object, counting: &counts)
    return (.object(object), counts)
  }

  @Test(arguments: [
    (#"{"do":"rename","member":"a","to":"b"}"#, #"{"a":1}"#, #"{"b":1}"#, Int64(1)),
    (#"{"do":"rename","member":"a","to":"b"}"#, #"{"c":1}"#, #"{"c":1}"#, 0),
    (#"{"do":"default","member":"a","value":[]}"#, "{}", #"{"a":[]}"#, 1),
    (#"{"do":"default","member":"a","value":1}"#, #"{"a":null}"#, #"{"a":null}"#, 0),
    (#"{"do":"split","member":"a","into":["b","c"]}"#, #"{"a":[1,2]}"#, #"{"b":1,"c":2}"#, 1),
    (
      #"{"do":"split","member":"a","into":["b","c"],"separator":" "}"#, #"{"a":"x y"}"#,
      #"{"b":"x","c":"y"}"#, 1
    ),
    (#"{"do":"split","member":"a","into":["b","c"]}"#, #"{"a":[1]}"#, #"{"b":1}"#, 1),
    (
      #"{"do":"map","member":"a","values":{"x":true,"7":"seven"}}"#, #"{"a":"x"}"#, #"{"a":true}"#,
      1
    ),
    (
      #"{"do":"map","member":"a","values":{"x":true,"7":"seven"}}"#, #"{"a":7}"#, #"{"a":"seven"}"#,
      1
    ),
    (#"{"do":"map","member":"a","values":{"x":1},"otherwise":0}"#, #"{"a":"y"}"#, #"{"a":0}"#, 1),
    (
      #"{"do":"wrap","member":"a","as":"n","with":{"s":"m"}}"#, #"{"a":"x"}"#,
      #"{"a":{"n":"x","s":"m"}}"#, 1
    ),
    (#"{"do":"wrap","member":"a","as":"n"}"#, #"{"a":null}"#, #"{"a":null}"#, 0),
    (#"{"do":"drop","member":"a","note":"why"}"#, #"{"a":1,"b":2}"#, #"{"b":2}"#, 1),
  ])
  func `an upgrade step changes its declared fields, and counts them`(
    step: String,
    record: String,
    expected: String,
    count: Int64
  ) throws {
    let (value, counts) = try upgrade(step, record)
    #expect(try value == JSONValue(parsing: expected))
    #expect(counts == [count])
  }

  @Test(arguments: [
    (#"{"do":"rename","member":"a","to":"b"}"#, #"{"a":1,"b":2}"#, "upgrade.name-in-use"),
    (#"{"do":"split","member":"a","into":["b"]}"#, #"{"a":[1,2]}"#, "upgrade.rest"),
    (#"{"do":"split","member":"a","into":["b"]}"#, #"{"a":"x"}"#, "upgrade.kind"),
    (#"{"do":"map","member":"a","values":{"x":1}}"#, #"{"a":"y"}"#, "upgrade.value"),
  ])
  func `a value that would be lost is a fault`(step: String, record: String, code: String) {
    let fault = #expect(throws: UpgradeFault.self) { try upgrade(step, record) }
    #expect(fault?.code == code)
    #expect(fault?.member == "a")
  }

  @Test(arguments: [
    "{", "[]", #"{"ferry-upgrades":2,"app":"a"}"#,
    #"{"ferry-upgrades":1,"app":"a","upgrades":[{"entity":"E","from":"x","to":"y","steps":[]}]}"#,
    #"{"ferry-upgrades":1,"app":"a","upgrades":[{"entity":"E","from":"a.E.v1.schema.json","to":"a.E.v1.schema.json","steps":[]}]}"#,
    #"{"ferry-upgrades":1,"app":"a","upgrades":[{"entity":"E","from":"a.E.v1.schema.json","to":"a.E.v2.schema.json","steps":[{"do":"drop","member":"a"}]}]}"#,
  ])
  func `upgrades that cannot be used are refused`(text: String) {
    #expect(throws: UpgradesError.self) {
      _ = try AppUpgrades(bytes: Array(text.utf8), path: "a.upgrades.json")
    }
  }
}

/// The app's own export 1.0, as the sample has it.
struct OlderExportTests {
  private static let samples = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Samples/infinite-stories")

  private func document() throws -> JSONDocument {
    let document = JSONDocument()
    let data = try Data(contentsOf: Self.samples.appending(path: "older-export.json"))
    try document.parse(copying: Array(data))
    return document
  }

  private func validator(_ name: String) throws -> SchemaValidator {
    let bytes = try #require(PublishedSchemas.bytes(named: name))
    return SchemaValidator(try SchemaSet(schemas: [(name, bytes)]).schema(at: name))
  }

  @Test func `the sample's records obey version 1, and after the upgrade the newest version`()
    throws
  {
    let upgrades = try #require(try AppUpgrades.published(for: "infinite-stories"))
    let document = try document()
    let export = try #require(upgrades.exports.first { $0.fits(document) })
    #expect(export.unknownMembers(of: document).isEmpty)
    var found: [String: Int] = [:]
    let line = JSONDocument()
    for part in export.entities {
      let (before, way) = (
        try validator(part.schema), upgrades.way(of: part.entity, from: part.schema)
      )
      let after = try validator(try #require(way.last).to)
      #expect(way.last?.to.hasSuffix(".v3.schema.json") == true)
      try export.forEachRecord(of: part, in: document) { record in
        var record = try #require(record)
        found[part.entity.text, default: 0] += 1
        try line.parse(copying: JSONValue.object(record).canonicalBytes)
        #expect(before.faults(line, line.root).isEmpty, "\(before.faults(line, line.root))")
        for upgrade in way {
          var counts = [Int64](repeating: 0, count: upgrade.steps.count)
          try upgrade.apply(to: &record, counting: &counts)
        }
        try line.parse(copying: JSONValue.object(record).canonicalBytes)
        #expect(after.faults(line, line.root).isEmpty, "\(after.faults(line, line.root))")
      }
    }
    #expect(found == ["CustomStoryEvent": 2, "Hero": 2, "Story": 3, "StoryIllustration": 3])
  }

  @Test func `an undeclared field is named`() throws {
    let upgrades = try #require(try AppUpgrades.published(for: "infinite-stories"))
    let document = JSONDocument()
    try document.parse(copying: Array(#"{"version":"1.0","heroes":[],"pets":[]}"#.utf8))
    let export = try #require(upgrades.exports.first)
    #expect(export.fits(document))
    #expect(export.unknownMembers(of: document) == ["pets"])
    try document.parse(copying: Array(#"{"version":"2.0"}"#.utf8))
    #expect(!export.fits(document))
  }
}
