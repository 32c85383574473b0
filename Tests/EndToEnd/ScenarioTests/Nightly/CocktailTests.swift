import Foundation
import JSONText
import TestSupport
import Testing

/// A real store that is described by a profile alone, at a destination with client-chosen
/// identities and entity tags.
///
/// The store is not part of this repository: `FERRY_STORES` names the folder that holds it.
@Suite(
  .enabled(if: CocktailStore.path != nil, "set FERRY_STORES to the folder of the real stores"),
  .timeLimit(.minutes(5))
)
struct CocktailTests {
  @Test func `the whole store is migrated, read back, and rolled back`() async throws {
    try await withCocktails(keeping: nil) { scenario in
      let package = "\(scenario.folder)/c.ferry"
      try await scenario.export(to: package).exits(0)
      let valid = try await scenario.ferry(["validate", package]).exits(0)
      #expect(valid.value("validation")?["faults"] == 0)
      let first = try await scenario.migrate().exits(0)
      #expect(first.value("verification")?["clean"] == true)
      #expect(first.count("created") == 2_783)
      try expectRecords(of: scenario, equal: package)
      let requests = try scenario.backend.state()["requests"]
      #expect(requests?["PUT /collections/{collection}/records/{id}"] == 2_783)
      try await scenario.rollback(try first.run()).exits(0)
      #expect(try scenario.backend.dump()["records"] == [])
    }
  }

  @Test func `later runs send only changed records, conditional on their revision`()
    async throws
  {
    try await withCocktails(keeping: 12) { scenario in
      let first = try await scenario.migrate().exits(0)
      #expect(first.count("created", of: "Cocktail") == 12)
      let created = try scenario.backend.changes()
      #expect(created.allSatisfy { $0["method"] == "PUT" && $0["ifNoneMatch"] == "*" })
      let before = try scenario.backend.dump()["records"]
      #expect(try await scenario.migrate().count("unchanged") == first.count("created"))
      #expect(try scenario.backend.changes().count == created.count)

      let store = scenario.sample.store
      try Python.edit(
        store,
        "UPDATE ZCOCKTAIL SET ZFAVORITE = 1, ZNOTES = 'äußerst gut' WHERE Z_PK = "
          + "(SELECT min(Z_PK) FROM ZCOCKTAIL)",
        // A composite loses a part, and an enumeration with a text becomes another case.
        "UPDATE ZCOCKTAIL SET ZPLACE = NULL, ZPERSON = 'N. N.' WHERE Z_PK = "
          + "(SELECT max(Z_PK) FROM ZCOCKTAIL WHERE ZPLACE NOT NULL)",
        "UPDATE ZINGREDIENT SET ZVALUE = 7.25 WHERE Z_PK = (SELECT min(Z_PK) FROM ZINGREDIENT)"
      )
      let second = try await scenario.migrate().exits(0)
      #expect(second.count("updated") == 3)
      let patches = try scenario.backend.changes().dropFirst(created.count)
      #expect(patches.allSatisfy { $0["method"] == "PATCH" && $0["ifMatch"]?.text?.first == "\"" })
      let bodies = patches.compactMap { $0["body"]?.text }
      #expect(bodies.contains(#"{"favorite":true,"notes":"äußerst gut"}"#))
      #expect(bodies.contains(#"{"value":7.25}"#))
      #expect(bodies.contains { $0.hasPrefix(#"{"author":{"#) && $0.contains(#""place":null"#) })

      try await scenario.rollback(try second.run()).exits(0)
      #expect(try contents(scenario.backend.dump()["records"]) == contents(before))
    }
  }

  @Test func `a record that another device changed meanwhile is not overwritten`() async throws {
    try await withCocktails(keeping: 3) { scenario in
      try await scenario.migrate().exits(0)
      let garnishes =
        try scenario.backend.dump()["records"]?.array?
        .filter { $0["collection"] == "garnishes" } ?? []
      let id = try #require(garnishes.first?["id"]?.text)
      try scenario.backend.seed([
        "account": .string(DemoAccount.email),
        "records": [["collection": "garnishes", "id": .string(id), "data": ["name": "Theirs"]]],
      ])
      try scenario.sql("UPDATE ZGARNISH SET ZNAME = 'Mine ' || Z_PK")
      let second = try await scenario.migrate().exits(6)
      #expect(second.count("conflicted") == 1)
      #expect(second.count("updated") == Int64(garnishes.count - 1))
      let now = try scenario.backend.row("records", where: "id", is: .string(id))
      #expect(now["data"] == ["name": "Theirs"])
    }
  }

  /// Every record is at the server under its own key, with every member that holds something.
  private func expectRecords(of scenario: MigrationScenario, equal package: String) throws {
    let records = try scenario.backend.rows("records")
    let lines = PackageLines(package)
    for entity in ["Garnish", "IngredientBase", "Ingredient", "Cocktail"] {
      for record in try lines.records(entity) {
        let key = try #require((record["id"] ?? record["$id"])?.text)
        let data = records[key]?["data"]
        for member in record.object?.members ?? [] where member.name != "$id" {
          #expect(data?[member.name] ?? .null == member.value, "\(entity) \(key).\(member.name)")
        }
      }
    }
  }

  /// The records without what every change moves.
  private func contents(_ records: JSONValue?) -> [String] {
    (records?.array ?? []).map { record in
      "\(record["collection"]?.text ?? "") \(record["id"]?.text ?? "") "
        + (record["data"]?.canonicalText ?? "")
    }.sorted()
  }
}

/// Lends a server and a copy of the store; of `count` cocktails with all that belongs to them.
func withCocktails(
  keeping count: Int?,
  _ body: (MigrationScenario) async throws -> Void
) async throws {
  let source = try #require(CocktailStore.path)
  try await withTemporaryFolder { folder in
    var sample = Sample(folder: "\(folder)/store")
    sample.storeName = "cocktails.store"
    try makeFolder(sample.folder)
    try FileManager.default.copyItem(atPath: source, toPath: sample.store)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644],
      ofItemAtPath: sample.store
    )
    if let count { try CocktailStore.cut(sample.store, to: count) }
    let profile = "\(Samples.folder)/collections/cocktails.profile.yaml"
    try await withBackend(in: "\(folder)/server") { backend in
      try await body(
        MigrationScenario(
          folder: folder,
          backend: backend,
          program: try FerryProgram(),
          sample: sample,
          profile: profile
        )
      )
    }
  }
}

/// Where the real store is, and how a test makes a small one of it.
enum CocktailStore {
  /// The store below the folder that `FERRY_STORES` names; `nil` if it does not exist.
  static let path: String? = {
    guard let folder = ProcessInfo.processInfo.environment["FERRY_STORES"] else { return nil }
    let name = "MatthewHunt84__MetaCocktailsSwiftData__PreloadedCocktails.store"
    return ["\(folder)/\(name)", "\(folder)/sqlite/\(name)"]
      .first { FileManager.default.fileExists(atPath: $0) }
  }()

  /// Removes all but the first `count` cocktails and what belongs to them.
  static func cut(_ store: String, to count: Int) throws {
    let kept = "(SELECT Z_PK FROM ZCOCKTAIL ORDER BY Z_PK LIMIT \(count))"
    try Python.edit(
      store,
      "DELETE FROM Z_1GARNISH WHERE Z_1COCKTAILS NOT IN \(kept)",
      "DELETE FROM ZGARNISH WHERE Z_PK NOT IN (SELECT Z_2GARNISH FROM Z_1GARNISH)",
      "DELETE FROM ZINGREDIENT WHERE Z1SPEC IS NULL OR Z1SPEC NOT IN \(kept)",
      "DELETE FROM ZINGREDIENTBASE WHERE Z_PK NOT IN (SELECT ZINGREDIENTBASE FROM ZINGREDIENT)",
      "DELETE FROM ZCOCKTAIL WHERE Z_PK NOT IN \(kept)"
    )
  }
}
