import Foundation
import JSONText
import TestSupport
import Testing

extension FaultyStoreTests {
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
}
