import Foundation
import JSONText
import TestSupport
import Testing

// A write-back that is saved, applied to a copy of the store, and taken over by the app.

extension MigrationScenario {
  private var writeBackFile: String { "\(folder)/write-back.json" }

  /// Saves the write-back of a run, and holds it against its schema.
  func savedWriteBack(of answer: Answer) async throws -> JSONValue {
    try await savedWriteBack(ofRun: try answer.run())
  }

  func savedWriteBack(ofRun run: String) async throws -> JSONValue {
    try await ferry(["write-back", run, "-o", writeBackFile]).exits(0)
    let value = try JSONValue(parsing: String(at: writeBackFile))
    let faults = try PublishedForm.faults(of: value, under: "ferry.write-back.v1.schema.json")
    #expect(faults.isEmpty, "\(faults)")
    let records = value["records"]?.array ?? []
    let names = records.map { "\($0["entity"]?.text ?? "")/\($0["localID"]?.text ?? "")" }
    #expect(Set(names).count == names.count)
    return value
  }

  func applyWriteBack(to copy: String) async throws -> Answer {
    try await ferry([
      "write-back", "apply", writeBackFile, "--copy", sample.store, "--profile", profile, "-o",
      copy,
    ])
  }

  /// Applies the write-back of a run to a copy of the store, which is not touched.
  func appliedWriteBack(
    of run: Answer,
    status: Int32 = 0
  ) async throws -> (answer: Answer, store: String) {
    _ = try await savedWriteBack(of: run)
    let before = try SourceDigests(of: sample.folder)
    let copy = "\(folder)/new.store"
    let answer = try await applyWriteBack(to: copy).exits(status)
    #expect(try SourceDigests(of: sample.folder) == before)
    #expect(try StoreQuery.rows(copy, "PRAGMA integrity_check") == ["ok"])
    return (answer, copy)
  }

  /// Puts a copy in the place of the app's store.
  func install(_ copy: String) throws {
    let store = sample.store
    for ending in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: store + ending)
    {
      try FileManager.default.removeItem(atPath: store + ending)
    }
    try FileManager.default.moveItem(atPath: copy, toPath: store)
  }

  func expectNothingToSend() async throws {
    let writes = try backend.writeCount()
    let answer = try await migrate().exits(0)
    let sent = ["created", "updated", "deleted", "conflicted"].map { answer.count($0) }
    #expect(sent == [0, 0, 0, 0], "\(answer)")
    #expect(answer.value("verification")?["clean"] == true, "\(answer)")
    #expect(try backend.writeCount() == writes)
  }
}

/// A query of a store, as its app or another program asks it.
enum StoreQuery {
  /// The rows, their columns joined by bars.
  static func rows(_ store: String, _ sql: String) throws -> [String] {
    try Python.run(["-c", script, store, sql]).split(separator: "\n").map(String.init)
  }

  private static let script = """
    import sqlite3, sys
    for row in sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True).execute(sys.argv[2]):
        print("|".join(str(value) for value in row))
    """
}

extension JSONValue {
  /// The entry of a write-back about a record.
  func entry(_ localID: String) -> JSONValue? {
    self["records"]?.array?.first { $0["localID"]?.text == localID }
  }

  /// The entries of a write-back about an entity.
  func entries(_ entity: String) -> [JSONValue] {
    (self["records"]?.array ?? []).filter { $0["entity"]?.text == entity }
  }
}
