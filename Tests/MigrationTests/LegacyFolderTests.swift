import Foundation
import Migration
import TestSupport
import Testing

/// What of a folder of legacy files is read, and what is only noted.
struct LegacyFolderTests {
  @Test func `links to folders and hidden names are left out, and each is noted`() async throws {
    try await withTemporaryFolder { folder in
      try Data(#"["Wordle 990 3/6"]"#.utf8).write(to: URL(filePath: "\(folder)/a.json"))
      try Data("hidden".utf8).write(to: URL(filePath: "\(folder)/.b.txt"))
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder)/loop",
        withDestinationPath: "."
      )
      let found = try ImportStage.files(at: [folder], form: nil)
      #expect(found.files.count == 1)
      #expect(found.notes.map(\.file) == [".b.txt", "loop"])
    }
  }
}
