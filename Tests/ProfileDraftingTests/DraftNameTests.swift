import Files
import Foundation
import JSONText
import ProfileDrafting
import SchemaValidation
import StoreReading
import Testing

/// Names that no app gives, which its file can have all the same.
struct DraftNameTests {
  private func draft(of list: [String: Any]) throws -> ProfileDraft {
    let place = try PrivateFolder()
    defer { withExtendedLifetime(place) {} }
    let bytes = try PropertyListSerialization.data(
      fromPropertyList: list,
      format: .binary,
      options: 0
    )
    let path = place.path + "/app.plist"
    try bytes.write(to: URL(filePath: path))
    let store = try Source(path, into: place.path + "/private").store
    return try ProfileDraft(of: store, app: "app")
  }

  @Test func `names that YAML does not print, and the reserved one, are drafted`()
    throws
  {
    let keys = ["a\u{9B}b", "c\u{85}d", "e\u{2028}f", "g\u{7F}", "$id", "stored_id"]
    let list = Dictionary(uniqueKeysWithValues: keys.map { ($0, 1) })
    let draft = try draft(of: list)
    #expect(draft.yaml.contains(#""stored_id_": "$id""#))
    let printed = draft.yaml.unicodeScalars.allSatisfy {
      $0 == "\n" || $0.properties.generalCategory != .control
    }
    #expect(printed)
    let schema = String(decoding: try #require(draft.schemas.first).bytes, as: UTF8.self)
    #expect(keys.allSatisfy { schema.contains($0) })
  }

  @Test(arguments: ["C#Notes", "C?Notes", "C%Notes", "C%23Notes", "C\"Notes", "C\\Notes", "Größe"])
  func `a name with a number sign exports validly`(name: String) throws {
    let draft = try draft(of: [name: [["k": 1]]])
    let places = draft.schemas.indices.map { "package:///\($0)" }
    let schemas = zip(places, draft.schemas).map { (address: $0, bytes: $1.bytes) }
    let set = try SchemaSet(schemas: schemas)
    for place in places { _ = try set.schema(at: place) }
    #expect(schemas.count == 2)
  }

  @Test func `names that are equal up to a number sign have separate schemas`() throws {
    let names = ["C#a", "C#b", "C?a", "C?b", "C%23a", "C"]
    let list = Dictionary(uniqueKeysWithValues: names.map { ($0, [["k": 1]]) })
    var addresses: Set<String> = []
    for schema in try draft(of: list).schemas {
      let address = try #require(try JSONValue(parsing: schema.bytes)["$id"]?.text)
      addresses.insert(String(address.prefix { $0 != "#" && $0 != "?" }))
    }
    // One more is that of the plain keys.
    #expect(addresses.count == names.count + 1)
  }

  @Test func `names that only rows have are listed as seen`() throws {
    let draft = try draft(of: ["scores": ["anna": 3, "bert": 4]])
    let schema = try JSONValue(parsing: try #require(draft.schemas.first).bytes)
    let scores = try #require(schema["properties"]?["scores"])
    #expect(scores["x-seen"] == ["anna", "bert"])
  }
}
