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

  @Test func `the bytes are those of the files`() throws {
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

  @Test func `a schema is found by the name of its file`() {
    for (name, bytes) in PublishedSchemas.all {
      #expect(PublishedSchemas.bytes(named: name) == bytes)
    }
    #expect(PublishedSchemas.bytes(named: "no such file") == nil)
  }
}
