import Files
import Foundation
import ProfileDrafting
import StoreReading
import Testing

/// Names that no app gives, which its file can have all the same.
struct DraftNameTests {
  @Test func `names that YAML does not print, and the one that every record has, are drafted`()
    throws
  {
    let place = try PrivateFolder()
    let keys = ["a\u{9B}b", "c\u{85}d", "e\u{2028}f", "g\u{7F}", "$id", "stored_id"]
    let list = Dictionary(uniqueKeysWithValues: keys.map { ($0, 1) })
    let bytes = try PropertyListSerialization.data(
      fromPropertyList: list,
      format: .binary,
      options: 0
    )
    let path = place.path + "/app.plist"
    try bytes.write(to: URL(filePath: path))
    let store = try Source(path, into: place.path + "/private").store
    let draft = try ProfileDraft(of: store, app: "app")
    #expect(draft.yaml.contains(#""stored_id_": "$id""#))
    let printed = draft.yaml.unicodeScalars.allSatisfy {
      $0 == "\n" || $0.properties.generalCategory != .control
    }
    #expect(printed)
    let schema = String(decoding: try #require(draft.schemas.first).bytes, as: UTF8.self)
    #expect(keys.allSatisfy { schema.contains($0) })
  }
}
