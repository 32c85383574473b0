import Foundation
import Testing

/// Rules about the sources themselves that no compiler checks.
struct SourceRuleTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func sources() throws -> [(path: String, text: String)] {
    let folder = root.appendingPathComponent("Sources")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    let files = paths.filter { $0.hasSuffix(".swift") }.sorted()
    #expect(files.count > 300)
    return try files.map { path in
      (path, try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8))
    }
  }

  private static let doors: [String: Set<String>] = [
    "CSQLite": [
      "SQLiteStores", "StoreReading", "StoreWriting", "CheckedDatabases", "ferry-backend",
    ],
    "CZlib": ["Files"],
    "CLibXML2": ["XMLAccess"],
    "CPCRE2": ["Patterns"], "CBuildMark": ["FerryCommands", "StageSupport", "ferry-backend"],
    "CByteSearch": ["JSONText"],
    "CryptoExtras": ["RealmFiles", "REST"],
    "CCheckedPages": ["CheckedDatabases"], "CPrivateFiles": ["SQLiteStores"],
    "CPostgreSQL": ["PostgreSQL"],
    "GRDB": [
      "CheckedDatabases", "Checkpoint", "CheckpointMending", "ScratchFiles", "DevelopmentBackend",
    ],
    "AsyncHTTPClient": ["HTTPTransport"],
    "Hummingbird": ["DevelopmentBackend"], "Yams": ["ProfileSettings", "CommandSettings"],
    "ArgumentParser": ["CommandOptions", "FerryCommands", "ferry-backend"],
    "Configuration": ["CommandSettings"],
  ]

  @Test(arguments: doors.keys.sorted())
  func `a C library is imported by one module only`(library: String) throws {
    let allowed = try #require(Self.doors[library])
    for (path, text) in try Self.sources() where text.contains("import \(library)\n") {
      let folders = path.split(separator: "/").map(String.init)
      #expect(folders.contains(where: allowed.contains), "\(path) imports \(library)")
    }
  }

  @Test func `only the commands print`() throws {
    for (path, text) in try Self.sources() {
      guard !path.hasPrefix("FerryCommands/"), !path.hasPrefix("TestSupport/") else { continue }
      let prints = text.split(separator: "\n").filter { line in
        let code = line.drop { $0 == " " }
        return code.hasPrefix("print(") || code.contains(" print(")
      }
      #expect(prints.isEmpty, "\(path): \(prints)")
    }
  }

  @Test func `every type that other modules see has a summary`() throws {
    let kinds = ["struct", "enum", "class", "final class", "protocol", "actor"]
    for (path, text) in try Self.sources() {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      for (number, line) in lines.enumerated() {
        guard kinds.contains(where: { line.hasPrefix("package \($0) ") }) else { continue }
        var above = number - 1
        while above >= 0, lines[above].hasPrefix("@") { above -= 1 }
        #expect(above >= 0 && lines[above].hasPrefix("///"), "\(path):\(number + 1)")
      }
    }
  }

  @Test func `no Swift source outside the development backend names an app`() throws {
    let words = [
      "infinite-stories", "InfiniteStories", "avatarImagePath", "CustomStoryEvent", "streaksync",
      "StreakSync", "Peated", "PendingMutation", "NotebookEntity",
    ]
    let backend = ["DevelopmentBackend/", "ferry-backend/"]
    for (path, text) in try Self.sources() {
      guard !backend.contains(where: { path.hasPrefix($0) }) else { continue }
      for (number, line) in text.split(separator: "\n").enumerated() {
        let isComment = line.drop { $0 == " " }.hasPrefix("//")
        guard !isComment, !path.hasPrefix("TestSupport/") else { continue }
        let found = words.filter { line.contains($0) }
        #expect(found.isEmpty, "\(path):\(number + 1) names \(found)")
      }
    }
  }
}
