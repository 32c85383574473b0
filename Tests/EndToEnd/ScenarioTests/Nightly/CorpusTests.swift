import Foundation
import TestSupport
import Testing

/// Real stores that lie outside of the project.
private enum Corpus {
  static let folder = ProcessInfo.processInfo.environment["FERRY_STORES"]

  /// The stores below the folder; parts of a store and lists of them are not.
  static let stores: [String] = {
    guard let folder else { return [] }
    return ["sqlite", "xmlstore"].flatMap { place -> [String] in
      let found = FileManager.default.enumerator(atPath: "\(folder)/\(place)")
      let names = found?.compactMap { $0 as? String } ?? []
      let ends = ["-wal", "-shm", "-journal", ".jsonl", ".md"]
      return names.filter { name in !ends.contains { name.hasSuffix($0) } }.sorted()
        .map { "\(place)/\($0)" }
    }
  }()
}

/// Real stores, through the program as a person would use it.
@Suite(
  .enabled(if: Corpus.folder != nil, "skipped: FERRY_STORES names no folder of real stores"),
  .timeLimit(.minutes(10))
)
struct CorpusTests {
  @Test func `the samples include real stores of both kinds`() {
    for place in ["sqlite", "xmlstore"] {
      #expect(Corpus.stores.contains { $0.hasPrefix(place + "/") }, "\(place)")
    }
  }

  @Test(arguments: Corpus.stores)
  func `a real store is drafted, exported and valid, and stays as it was`(
    name: String
  ) async throws {
    let store = try #require(Corpus.folder) + "/" + name
    let before = try Self.prints(of: store)
    try await withTemporaryFolder { folder in
      func run(_ arguments: [String]) async throws {
        let finished = try await FerryProgram().run(
          arguments + ["--quiet"],
          state: "\(folder)/state"
        )
        #expect(finished.status == 0, "\(arguments): \(finished.standardError)")
      }
      try await run(["init", store, "-o", "\(folder)/draft"])
      try await run([
        "export", store, "--profile", "\(folder)/draft/profile.yaml", "-o", "\(folder)/one.ferry",
        "--allow-empty-source",
      ])
      try await run(["validate", "\(folder)/one.ferry"])
    }
    #expect(try Self.prints(of: store) == before)
  }

  /// What shows that a store was touched: size and times of its files.
  private static func prints(of store: String) throws -> [String] {
    try ["", "-wal", "-shm", "-journal"].map { end in
      guard FileManager.default.fileExists(atPath: store + end) else { return "none" }
      let attributes = try FileManager.default.attributesOfItem(atPath: store + end)
      let size = attributes[.size] as? Int ?? -1
      let date = attributes[.modificationDate] as? Date ?? .distantPast
      return "\(size) \(date.timeIntervalSinceReferenceDate)"
    }
  }
}
