import Foundation
import ResultStages
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// What of a folder of legacy files is read, and what is only noted.
struct LegacyFolderTests {
  #if canImport(Glibc)
  @Test func `a file whose name is not UTF-8 is left out and noted, and the others are read`()
    async throws
  {
    try await withTemporaryFolder { folder in
      try Data(#"["Wordle 990 3/6"]"#.utf8).write(to: URL(filePath: "\(folder)/a.json"))
      let name = Array("\(folder)/b".utf8CString.dropLast()) + [CChar(truncatingIfNeeded: 0xFF), 0]
      let descriptor = creat(name, 0o600)
      #expect(descriptor >= 0)
      _ = close(descriptor)
      let found = try ImportStage.files(at: [folder], form: nil)
      #expect(found.files.count == 1)
      #expect(found.notes.map(\.file) == ["b\u{FFFD}"])
    }
  }
  #endif

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
