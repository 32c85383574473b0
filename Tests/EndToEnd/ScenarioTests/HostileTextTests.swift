import Foundation
import JSONText
import TestSupport
import Testing

/// Texts that were made to drive a terminal, a spreadsheet or a page, when there is a folder of them, each in
/// a record that is sent.
@Suite(
  .enabled(if: HostileInputs.folder != nil, "skipped: FERRY_HOSTILE is not set"),
  .timeLimit(.minutes(2))
)
struct HostileTextTests {
  private struct Text {
    let path: String
    let bytes: [UInt8]
  }

  @Test func `every hostile text is stored byte for byte, and controls no terminal`()
    async throws
  {
    let texts = try Self.texts(in: try #require(HostileInputs.folder))
    #expect(texts.count > 30)
    try await withScenario { scenario in
      let store = try madeStore(in: "\(scenario.folder)/texts", stories: texts.count + 40)
      try Python.run(["-c", Self.writing, store.store] + texts.map(\.path))
      let answer = try await scenario.with(store).migrate().exits(0)
      #expect(answer.value("verification")?["clean"] == true)
      var arrived: Set<[UInt8]> = []
      for story in try scenario.backend.rows("stories").values {
        if let content = story["content"]?.text { arrived.insert(Array(content.utf8)) }
      }
      for text in texts { #expect(arrived.contains(text.bytes), "\(text.path)") }
      let said = (answer.standardOutput + answer.standardError).replacing("\n", with: "")
      #expect(!said.unicodeScalars.contains { $0.drivesTerminals })
    }
  }

  /// Those that a column of texts can hold, and that are no matter of size.
  private static func texts(in folder: String) throws -> [Text] {
    var texts: [Text] = []
    for kind in ["csv", "text"] {
      let place = "\(folder)/\(kind)"
      for name in try FileManager.default.contentsOfDirectory(atPath: place).sorted() {
        let path = "\(place)/\(name)"
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        guard (1...65_536).contains(bytes.count), !bytes.contains(0),
          String(validating: bytes, as: UTF8.self) != nil
        else { continue }
        texts.append(Text(path: path, bytes: bytes))
      }
    }
    return texts
  }

  /// Writes the texts into stories that have a hero, one each.
  private static let writing = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1])
    query = "SELECT Z_PK FROM ZSTORY WHERE ZHERO IS NOT NULL ORDER BY Z_PK"
    keys = [row[0] for row in db.execute(query)]
    assert len(keys) >= len(sys.argv) - 2, "more texts than stories"
    for key, path in zip(keys, sys.argv[2:]):
        with open(path, encoding="utf-8", newline="") as file:
            db.execute("UPDATE ZSTORY SET ZCONTENT = ? WHERE Z_PK = ?", (file.read(), key))
    db.commit()
    """
}
