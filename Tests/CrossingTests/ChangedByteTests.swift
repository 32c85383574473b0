import Foundation
import JSONText
import TestSupport
import Testing

/// Bytes of a checkpoint that changed by themselves, inside rows that SQLite takes for sound.
@Suite(.timeLimit(.minutes(3))) struct ChangedByteTests {
  private func checkpoint(_ crossing: Crossing) throws -> String {
    let folder = "\(crossing.state)/checkpoints"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return folder + "/" + (try #require(names.first { $0.hasSuffix(".sqlite") }))
  }

  /// Where the texts of rows are: states of operations, and words of records and runs.
  private func places(in bytes: Data) -> [Int] {
    ["confirmed", "created", "finished", "create", "Hero"].compactMap { word in
      bytes.range(of: Data(word.utf8), in: 8_192..<bytes.count)?.lowerBound
    }
  }

  @Test func `a byte that changed in a row is refused by name, and nothing is sent or doubled`()
    async throws
  {
    try await withCrossing { crossing in
      #expect(try await crossing.migrate().status == 0)
      let file = try checkpoint(crossing)
      let whole = try Data(contentsOf: URL(filePath: file))
      let writes = try crossing.backend.writeCount()
      let places = places(in: whole)
      #expect(places.count >= 4)
      for place in places {
        var bytes = whole
        bytes[place] ^= 1
        try bytes.write(to: URL(filePath: file))
        let page = place / 4_096 + 1
        for words in [["checkpoint", "check"], ["checkpoint", "repair"]] {
          let answer = try await crossing.ferry(words)
          #expect(answer.status == 12)
          #expect(answer.standardOutput.contains("page \(page) is not as ferry wrote it"))
        }
        let again = try await crossing.migrate()
        // A page that the run does not come by says nothing to it.
        guard again.status != 0 else {
          #expect(again.count("created") == 0)
          continue
        }
        #expect(again.status == 12, "\(again.standardError)")
        #expect(again.standardError.contains(file), "\(again.standardError)")
        #expect(again.standardError.contains("page \(page) is not as ferry wrote it"))
        #expect(again.standardError.contains("move it away"))
      }
      #expect(try crossing.backend.writeCount() == writes)

      // The cure that it names.
      let contents = try crossing.backend.contents()
      for name in try FileManager.default.contentsOfDirectory(
        atPath: "\(crossing.state)/checkpoints"
      ) where name.contains(".sqlite") {
        try FileManager.default.removeItem(atPath: "\(crossing.state)/checkpoints/\(name)")
      }
      let cured = try await crossing.migrate()
      #expect(cured.status == 0, "\(cured.standardError)")
      #expect(cured.count("created") == 0)
      #expect(try crossing.backend.contents() == contents)
    }
  }
}
