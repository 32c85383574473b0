import Foundation
import TestSupport
import Testing

/// Sound stores that were once called damaged or invalid.
@Suite(
  .enabled(if: CaseFolder.isGiven, "skipped: FERRY_CASES is not set"),
  .timeLimit(.minutes(2))
)
struct CasesStoresTests {
  /// Drafts, exports and validates a store; gives the lines of its records and what the export said.
  private func draftedAndValid(
    _ store: String,
    in folder: String,
    _ flags: [String] = []
  ) async throws -> (records: [String], said: String) {
    func run(_ arguments: [String]) async throws -> FerryProgram.Finished {
      let finished = try await FerryProgram().run(arguments, state: "\(folder)/state")
      #expect(finished.status == 0, "\(arguments): \(finished.standardError)")
      return finished
    }
    let (draft, package) = ("\(folder)/draft", "\(folder)/one.ferry")
    _ = try await run(["init", store, "-o", draft])
    let exported = try await run(
      ["export", store, "--profile", "\(draft)/profile.yaml", "-o", package] + flags
    )
    _ = try await run(["validate", package])
    let data = URL(filePath: "\(package)/data")
    let files = try FileManager.default.contentsOfDirectory(atPath: data.path).sorted()
    let records = try files.flatMap { name in
      try String(contentsOf: data.appending(path: name), encoding: .utf8).split(separator: "\n")
        .map(String.init)
    }
    return (records, exported.standardOutput + exported.standardError)
  }

  @Test(
    arguments: [
      ("C02-json-in-schema", "idx.db", 1), ("C02-json-in-schema", "check.db", 1),
      ("C12-newer-sqlite-schema", "books.db", 2), ("C01-fk-zero", "events.db", 3),
    ]
  )
  func `a sound database is drafted, exported and valid`(
    name: String,
    file: String,
    count: Int
  ) async throws {
    try await withTemporaryFolder { folder in
      let copy = try CaseFolder.copy(name, into: URL(filePath: folder))
      let (records, said) = try await draftedAndValid("\(copy.path)/\(file)", in: folder)
      #expect(records.count == count)
      #expect(!said.contains("damaged"))
      guard name.hasPrefix("C01") else { return }
      #expect(said.contains("reference.left-out"))
      #expect(records.contains { $0.contains(#""payload":0,"payload_ref":null"#) })
    }
  }

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["FERRY_STORES"] != nil,
      "skipped: FERRY_STORES names no folder of real stores"
    )
  )
  func `a stale join row is left out, and counted`() async throws {
    let stores = try #require(ProcessInfo.processInfo.environment["FERRY_STORES"])
    let name = "MatthewHunt84__MetaCocktailsSwiftData__PreloadedCocktails.store"
    try await withTemporaryFolder { folder in
      let store = "\(folder)/stale.store"
      try FileManager.default.copyItem(atPath: "\(stores)/sqlite/\(name)", toPath: store)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: store)
      try Python.run([
        "-c",
        "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute('DELETE FROM ZGARNISH WHERE "
          + "Z_PK = (SELECT Z_2GARNISH FROM Z_1GARNISH LIMIT 1)'); c.commit()",
        store,
      ])
      let (_, said) = try await draftedAndValid(store, in: folder)
      #expect(said.contains("reference.left-out"))
    }
  }
}
