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

  @Test func `rows of an abstract entity are reported, and the export ends with status 3`()
    async throws
  {
    try await withScenario { scenario in
      try Python.run(["-c", Self.abstracting, scenario.sample.store, "HeroVisualProfile"])
      func export(omitting more: String) async throws -> Answer {
        let profile = "\(scenario.folder)/heroes\(more.count).yaml"
        try """
        ferry-profile: 1
        app: heroes
        entities:
          Hero: { identity: object-uri }
        omit-entities: [CustomStoryEvent, Story, StoryIllustration\(more)]
        """.save(to: profile)
        let package = "\(scenario.folder)/heroes\(more.count).ferry"
        return try await scenario.ferry(
          ["export", scenario.sample.store, "--profile", profile, "-o", package]
        )
      }
      let reported = try await export(omitting: "").exits(3)
      let findings = reported.findings("store.rows-of-abstract")
      #expect(findings.map { $0["entity"]?.text } == ["HeroVisualProfile"])
      let omitted = try await export(omitting: ", HeroVisualProfile").exits(0)
      #expect(omitted.findings("store.rows-of-abstract").isEmpty)
    }
  }

  /// Makes an entity abstract in the model that the store keeps of itself.
  private static let abstracting = """
    import plistlib, sqlite3, sys, zlib
    db = sqlite3.connect(sys.argv[1])
    cache = db.execute("SELECT Z_CONTENT FROM Z_MODELCACHE").fetchone()[0]
    archive = plistlib.loads(zlib.decompress(cache, -15))
    objects = archive["$objects"]
    entities = [
        o for o in objects
        if isinstance(o, dict) and "NSEntityName" in o
        and objects[o["NSEntityName"].data] == sys.argv[2]
    ]
    assert len(entities) == 1, "the model has the entity"
    entities[0]["NSIsAbstract"] = True
    deflating = zlib.compressobj(6, zlib.DEFLATED, -15)
    text = plistlib.dumps(archive, fmt=plistlib.FMT_BINARY)
    cache = deflating.compress(text) + deflating.flush()
    db.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = ?", (cache,))
    db.commit()
    """

  @Test func `a store whose external files were restored is another source`() async throws {
    try await withScenario { scenario in
      let package = "\(scenario.folder)/part.ferry"
      try await scenario.export(to: package).exits(0)
      #expect(try await scenario.export(to: package).status == 0, "it is there already")
      let store = URL(filePath: scenario.sample.store)
      let name = ".\(store.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA"
      let files = store.deletingLastPathComponent().appending(path: name)
      try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
      try Data("a picture".utf8)
        .write(to: files.appending(path: "0F8FAD5B-D9CB-469F-A165-70867728950E"))
      let again = try await scenario.export(to: package).exits(12)
      #expect(again.standardError.contains(package))
    }
  }

  @Test func `rows lost to damage end the export of the rest with status 3`()
    async throws
  {
    try await withScenario { scenario in
      let store = try madeStore(in: "\(scenario.folder)/many", heroes: 100, stories: 1_000)
      try Python.run(["-c", Self.spoiling, store.store])
      let scenario = scenario.with(store)
      try await scenario.export(to: "\(scenario.folder)/part.ferry").exits(10)
      let line = ["export", store.store, "--profile", scenario.profile, "--read-damaged"]
      let part = try await scenario.ferry(line + ["-o", "\(scenario.folder)/part.ferry"]).exits(3)
      #expect(part.standardOutput.contains("store.damaged"))
    }
  }

  // What cannot be distinguished from a row that was deleted is not one.
  @Test(arguments: ["ZAUDIOFILENAME = CAST(x'41FF42' AS TEXT)", "Z_ENT = 88"])
  func `a row that could not be exported is not deleted for its absence`(
    change: String
  ) async throws {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let before = try scenario.backend.rows("stories")
      try scenario.sql(
        "UPDATE ZSTORY SET \(change) WHERE Z_PK = (SELECT max(Z_PK) FROM ZSTORY WHERE ZHERO IS NOT "
          + "NULL AND Z_PK NOT IN (SELECT ZSTORY FROM ZSTORYILLUSTRATION WHERE ZSTORY IS NOT NULL))"
      )
      let answer = try await scenario.migrate(["--delete"]).exits(3)
      #expect(answer.count("deleted") == 0)
      let reported = answer.findings("plan.absent").filter { $0["entity"]?.text == "Story" }
      #expect(reported.count == 1)
      #expect(reported.allSatisfy { $0["severity"]?.text == "warning" })
      #expect(try scenario.backend.rows("stories") == before)
    }
  }

  /// Spoils one page of the stories' table, as a bad disk does.
  private static let spoiling = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1])
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    size = db.execute("PRAGMA page_size").fetchone()[0]
    root = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'ZSTORY'").fetchone()[0]
    db.close()
    with open(sys.argv[1], "r+b") as file:
        file.seek((root - 1) * size)
        page = file.read(size)
        assert page[0] == 5, "the table has more pages than one"
        leaf = int.from_bytes(page[12:14], "big")
        child = int.from_bytes(page[leaf:leaf + 4], "big")
        file.seek((child - 1) * size)
        file.write(b"\\xff" * size)
    """

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
