import Foundation
import JSONText
import SchemaValidation
import Schemas
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct WriteBackTests {
  // 000-30, 004-30.
  @Test func `an app that applies the write-back file has no record left to send`()
    async throws
  {
    try await withScenario(.later) { scenario in
      let first = try await scenario.migrate()
      let created = first.count("created")
      #expect(created > 20, "\(first)")
      let writeBack = try await apply(try first.run(), scenario)
      #expect(writeBack.filter { $0["status"] == "synced" }.count >= Int(created))

      let plan = try await scenario.migrate(["-n"])
      #expect(plan.count("remaining", in: "plan") == 0, "\(plan)")
      var otherDevice = scenario
      otherDevice.stateName = "another-machine"
      let writes = try scenario.backend.writeCount()
      let adopted = try await otherDevice.migrate()
      #expect(adopted.count("created") + adopted.count("updated") == 0)
      #expect(try scenario.backend.writeCount() == writes)
    }
  }

  /// Writes the write-back, holds it against its schema, and plays the app that takes it over.
  func apply(_ run: String, _ scenario: MigrationScenario) async throws -> [JSONValue] {
    let path = "\(scenario.folder)/write-back.json"
    try await scenario.ferry(["write-back", run, "-o", path]).exits(0)
    let text = try String(at: path)
    #expect(try Self.faults(in: text) == [])
    try Python.run(["-c", Self.application, scenario.sample.store, path])
    return try JSONValue(parsing: text)["records"]?.array ?? []
  }

  static func faults(in text: String) throws -> [String] {
    let name = "ferry.write-back.v1.schema.json"
    let bytes = try #require(PublishedSchemas.bytes(named: name))
    let set = try SchemaSet(schemas: [(address: name, bytes: bytes)], formats: .assert)
    let document = JSONDocument()
    try document.parse(copying: Array(text.utf8))
    return try set.schema(at: name).faults(document, document.root)
      .map { "\($0.instanceLocation): \($0.expected)" }
  }

  static let application = """
    import datetime, json, os, sqlite3, sys, uuid
    db = sqlite3.connect(sys.argv[1], isolation_level=None)
    db.execute("PRAGMA wal_autocheckpoint = 0")
    epoch = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)
    def instant(text):
        if text is None: return None
        return (datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) - epoch).total_seconds()
    for record in json.load(open(sys.argv[2]))["records"]:
        if record["status"] == "skipped": continue
        # What it had of a record that is in conflict, it keeps.
        if record["status"] == "conflicted" and record["serverID"] is None: continue
        status = {"synced": "synced", "withdrawn": "pendingCreate"}.get(record["status"], "failed")
        values = [record["serverID"], status, instant(record["syncedAt"])]
        key = record["localID"]
        if key.startswith("x-coredata:"):
            place, value = "Z_PK", int(key.rsplit("/p", 1)[1])
        else:
            place, value = "ZID", uuid.UUID(key).bytes
        columns = [row[1] for row in db.execute("PRAGMA table_info(Z%s)" % record["entity"].upper())]
        # The app keeps no state of a look, which goes with its hero.
        if "ZSERVERID" not in columns: continue
        changed = db.execute(
            "UPDATE Z%s SET ZSERVERID = ?, ZSERVERSYNCSTATUS = ?, ZLASTSYNCEDAT = ? WHERE %s = ?"
            % (record["entity"].upper(), place), values + [value]).rowcount
        assert changed == 1, record
    os._exit(0)
    """
}
