import Foundation
import JSONText
import SchemaValidation
import Schemas
import Testing

struct PublishedSchemasTests {
  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Schemas/published")

  @Test func `the list names every file of the folder`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path())
    #expect(PublishedSchemas.all.map(\.name).sorted() == files.sorted())
  }

  @Test func `the built-in schemas equal the files`() throws {
    for (name, bytes) in PublishedSchemas.all {
      let file = try Data(contentsOf: Self.folder.appending(path: name))
      #expect(bytes == Array(file), "\(name)")
    }
  }

  @Test func `every schema compiles, knows only its own keywords and has its own address`() throws {
    let set = try SchemaSet(
      schemas: PublishedSchemas.all.map { (address: "file:///" + $0.name, bytes: $0.bytes) }
    )
    for (name, bytes) in PublishedSchemas.all {
      _ = try set.schema(at: "file:///" + name)
      guard let id = try JSONValue(parsing: bytes)["$id"]?.text else { continue }
      _ = try set.schema(at: id)
    }
  }

  @Test func `every schema obeys the metaschema it names`() throws {
    let wrapper = #"{"$ref":"https://json-schema.org/draft/2020-12/schema"}"#
    let metaschema = try SchemaSet(schemas: [("urn:any", Array(wrapper.utf8))]).schema(
      at: "urn:any"
    )
    let document = JSONDocument()
    for (name, bytes) in PublishedSchemas.all {
      try document.parse(copying: bytes)
      #expect(metaschema.faults(document, document.root).isEmpty, "\(name)")
      #expect(
        document.member(of: document.root, named: "$schema").map { document.text(of: $0) }
          == "https://json-schema.org/draft/2020-12/schema"
      )
    }
  }

  @Test func `the upgrades of every app obey their schema, and are the files of the folder`() throws
  {
    let name = "ferry.upgrades.v1.schema.json"
    let bytes = try #require(PublishedSchemas.bytes(named: name))
    let schema = try SchemaSet(schemas: [(name, bytes)]).schema(at: name)
    let document = JSONDocument()
    let folder = Self.folder.deletingLastPathComponent().appending(path: "upgrades")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path())
    #expect(PublishedUpgrades.all.map(\.name).sorted() == files.sorted())
    for (name, bytes) in PublishedUpgrades.all {
      #expect(try bytes == Array(Data(contentsOf: folder.appending(path: name))))
      try document.parse(copying: bytes)
      #expect(schema.faults(document, document.root).isEmpty, "\(name)")
      let upgrades = try JSONValue(parsing: bytes)["upgrades"]?.array ?? []
      for schema in upgrades.flatMap({ [$0["from"], $0["to"]] }) {
        #expect(PublishedSchemas.bytes(named: schema?.text ?? "") != nil, "\(name) names it")
      }
    }
  }

  @Test func `a schema is found by the name of its file`() {
    for (name, bytes) in PublishedSchemas.all {
      #expect(PublishedSchemas.bytes(named: name) == bytes)
    }
    #expect(PublishedSchemas.bytes(named: "no such file") == nil)
  }

  @Test func `the schemas among the samples compile and obey the metaschema`() throws {
    let wrapper = #"{"$ref":"https://json-schema.org/draft/2020-12/schema"}"#
    let metaschema = try SchemaSet(schemas: [("urn:any", Array(wrapper.utf8))]).schema(
      at: "urn:any"
    )
    let samples = Self.folder.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Samples").resolvingSymlinksInPath()
    let names = FileManager.default.enumerator(atPath: samples.path())?.compactMap { $0 as? String }
    let schemas = try (names ?? []).filter { $0.hasSuffix(".schema.json") }.map { name in
      let bytes = try Array(Data(contentsOf: samples.appending(path: name)))
      return (address: "file:///" + (name.split(separator: "/").last ?? ""), bytes: bytes)
    }
    #expect(!schemas.isEmpty)
    #expect(Set(schemas.map(\.address)).count == schemas.count)
    let set = try SchemaSet(schemas: schemas)
    let document = JSONDocument()
    for (address, bytes) in schemas {
      _ = try set.schema(at: address)
      try document.parse(copying: bytes)
      #expect(metaschema.faults(document, document.root).isEmpty, "\(address)")
    }
  }
}
