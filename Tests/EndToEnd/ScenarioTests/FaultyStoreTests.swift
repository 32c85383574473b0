import Foundation
import JSONText
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct FaultyStoreTests {
  /// What is done to the store, and the finding that must come of it.
  private struct Damage {
    let statement: String
    let entity: String
    let pointer: String
    let code: String
  }

  private static let damages = [
    Damage(
      statement: "UPDATE ZHERO SET ZPRIMARYTRAIT = 'Bold' WHERE Z_PK = 2",
      entity: "Hero",
      pointer: "/primaryTrait",
      code: "schema.enum"
    ),
    Damage(
      statement: "UPDATE ZHERO SET ZNAME = '' WHERE Z_PK = 3",
      entity: "Hero",
      pointer: "/name",
      code: "schema.minLength"
    ),
    Damage(
      statement: "UPDATE ZSTORY SET ZPLAYCOUNT = -3 WHERE Z_PK = 1",
      entity: "Story",
      pointer: "/playCount",
      code: "schema.minimum"
    ),
    // Only where the profile says “dangling: refuse”.
    Damage(
      statement: "UPDATE ZSTORY SET ZCUSTOMEVENT = NULL, ZHERO = 9999 WHERE Z_PK = 3",
      entity: "Story",
      pointer: "/hero",
      code: "reference.dangling"
    ),
    Damage(
      statement: "UPDATE ZCUSTOMSTORYEVENT SET ZTONE = 'Loud' WHERE Z_PK = 1",
      entity: "CustomStoryEvent",
      pointer: "/tone",
      code: "schema.enum"
    ),
    Damage(
      statement: "UPDATE ZSTORY SET ZID = (SELECT ZID FROM ZSTORY WHERE Z_PK = 5) WHERE Z_PK = 6",
      entity: "Story",
      pointer: "",
      code: "record.duplicate-key"
    ),
  ]

  @Test func `an export with unreadable rows reports them, and ends with status 3`()
    async throws
  {
    try await withScenario { scenario in
      try scenario.sql("UPDATE ZHERO SET Z_ENT = 88 WHERE Z_PK = 2")
      let exported = try await scenario.export(to: "\(scenario.folder)/part.ferry").exits(3)
      #expect(exported.standardOutput.contains("1 rows of ZHERO belong to no entity"))
      try await scenario.export(to: "\(scenario.folder)/part.ferry").exits(3)
    }
  }

  @Test func `one validation shows every fault, with its place, cause and cure`() async throws {
    try await withScenario { scenario in
      for damage in Self.damages { try scenario.sql(damage.statement) }
      let profile = try String(at: scenario.profile)
      try "dangling: refuse\n\(profile)".save(to: scenario.profile)
      let package = "\(scenario.folder)/faulty.ferry"
      try await scenario.export(to: package).exits(0)
      let answer = try await scenario.ferry(["validate", package]).exits(4)
      // Two records have the same key, and each is named.
      #expect(answer.value("validation")?["faults"]?.integer == Int64(Self.damages.count + 1))
      for damage in Self.damages {
        let finding = answer.findings.first {
          $0["entity"]?.text == damage.entity && $0["pointer"]?.text == damage.pointer
        }
        #expect(finding?["code"]?.text == damage.code, "\(damage.statement)")
        #expect(finding?["record"]?.text?.isEmpty == false)
        #expect(finding?["cause"]?.text?.isEmpty == false)
        #expect(finding?["cure"]?.text?.isEmpty == false)
      }
      try await scenario.migrate().exits(4)
      #expect(try scenario.backend.writeCount() == 0)
    }
  }
}
