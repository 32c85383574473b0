import Foundation
import JSONText
import TestSupport
import Testing

/// Names of media files that were made to lead out of a folder, when there is a folder of them, each in a
/// row of a store.
@Suite(
  .enabled(if: HostileInputs.folder != nil, "skipped: FERRY_HOSTILE is not set"),
  .timeLimit(.minutes(2))
)
struct HostileNameTests {
  @Test func `every hostile name is kept verbatim, and none becomes a path`() async throws {
    let folder = try #require(HostileInputs.folder) + "/paths"
    var names: [String] = []
    for file in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
      let text = try String(at: "\(folder)/\(file)")
      let records = try JSONValue(parsing: text)["records"]?.array ?? []
      names += records.compactMap { $0["media"]?.text }
    }
    #expect(names.count >= 19)
    try await withScenario { scenario in
      try Python.run(["-c", Self.naming, scenario.sample.store] + names)
      let package = "\(scenario.folder)/names.ferry"
      let exported = try await scenario.export(to: package)
      #expect([0, 3].contains(exported.status), "\(exported)")
      let kept = try PackageLines(package).records("Story").compactMap {
        $0["audioFileName"]?["name"]?.text ?? $0["audioFileName"]?.text
      }
      for name in Set(names) where !name.isEmpty {
        #expect(kept.contains { $0 == name }, "\(name.debugDescription)")
      }
      // A file of the package has a name that the program made.
      let files = try FileManager.default.subpathsOfDirectory(atPath: package)
      for file in files {
        #expect(!names.contains(URL(filePath: file).lastPathComponent) || file == "manifest.json")
      }
      #expect(!files.contains { $0.contains("..") })
      let said = exported.standardOutput + exported.standardError
      #expect(!said.replacing("\n", with: "").unicodeScalars.contains { $0.drivesTerminals })
    }
  }

  /// Writes the names into stories, one each.
  private static let naming = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1])
    keys = [row[0] for row in db.execute("SELECT Z_PK FROM ZSTORY ORDER BY Z_PK")]
    assert len(keys) >= len(sys.argv) - 2, "more names than stories"
    for key, name in zip(keys, sys.argv[2:]):
        db.execute("UPDATE ZSTORY SET ZAUDIOFILENAME = ? WHERE Z_PK = ?", (name, key))
    db.commit()
    """
}
