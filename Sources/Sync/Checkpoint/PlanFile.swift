import CheckedDatabases
import Files
import GRDB
package import Records

/// A plan that was saved: what a later upload is held to.
///
/// It is a SQLite file with the tables of a checkpoint, in which the plan's run is the last one,
/// and a table `plan` with what it was made on. It is never written to again.
package struct PlanFile: Hashable, Sendable {
  package let path: String
  package let binding: CheckpointBinding
  package let run: RunRecord
  /// What was known of each record before anything was planned.
  package let recordsBefore: Digest
  package let digests: PlanDigests
  /// What it meets at the destination.
  package let targets: PlanTargets

  /// “FryP”.
  private static let applicationID = 0x4672_7950

  /// Reads a saved plan.
  ///
  /// - Throws: ``CheckpointError`` for a file that is not one, is damaged or has another format.
  package init(_ path: String) throws(CheckpointError) {
    try Self.expectPlan(path)
    guard let view = try CheckpointView(path, followsLink: true) else {
      throw .damaged(path: path, reason: "it is empty")
    }
    self.path = path
    binding = view.binding
    let found = try view.read { database in
      let format = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
      guard format == CheckpointSchema.format else {
        throw CheckpointError.otherFormat(path: path, format: format)
      }
      return try DatabaseRow.fetchAll(database, sql: "SELECT name, value FROM plan").reduce(
        into: [String: String]()
      ) { facts, row in
        facts[try row["name"]] = try row["value"]
      }
    }
    func digest(_ name: String) throws(CheckpointError) -> Digest {
      guard let digest = found[name].flatMap(Digest.init(hexadecimal:)) else {
        throw .damaged(path: path, reason: "it does not say its \(name)")
      }
      return digest
    }
    recordsBefore = try digest("records-before")
    digests = PlanDigests(operations: try digest("operations"), records: try digest("records"))
    targets = PlanTargets(places: try digest("places"), values: try digest("values"))
    guard let run = try view.runs().last(where: { $0.id == found["run"] }) else {
      throw .damaged(path: path, reason: "its run is not in it")
    }
    self.run = run
  }

  /// Refuses a file that does not say of itself that it is a plan, before SQLite opens it.
  private static func expectPlan(_ path: String) throws(CheckpointError) {
    let mark = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: applicationID >> $0) }
    let found: [UInt8]
    do throws(FileError) {
      let file = try InputFile(path)
      found = try file.size() >= 100 ? file.bytes(at: 68, count: 4) : []
    } catch {
      throw CheckpointFile.translate(error, path: path)
    }
    guard found == mark else { throw .notAPlan(path: path) }
  }

  /// Whether a file is a saved plan rather than anything else; a folder is not one.
  package static func isPlan(_ path: String) -> Bool {
    InputFile.isPresent(path) && !Folder.exists(path)
  }

  /// Saves the plan of `run` under `path`, where nothing but an older plan may be.
  ///
  /// - Parameters:
  ///   - checkpoint: Where it was planned: the private copy of a dry run.
  ///   - run: The run that was planned.
  ///   - recordsBefore: What was known of each record before.
  ///   - targets: What the plan meets at the destination.
  ///   - path: The new file; it appears whole.
  /// - Throws: ``CheckpointError`` when the file cannot be written, or another is in the way.
  package static func save(
    _ checkpoint: CheckpointFile,
    _ run: RunRecord,
    recordsBefore: Digest,
    targets: PlanTargets,
    to path: String
  ) throws(CheckpointError) {
    let digests = try checkpoint.planDigests(of: run)
    let facts = [
      ("run", run.id), ("records-before", recordsBefore.description),
      ("records", digests.records.description), ("operations", digests.operations.description),
      ("places", targets.places.description), ("values", targets.values.description),
    ]
    do {
      let draft = try WholeFile.draftPath(for: path)
      defer { WholeFile.removeDrafts(for: path) }
      _ = try OutputFile(creating: draft).finishUnsynced()
      let target = try CheckedPages.open(draft)
      try checkpoint.database.backup(to: target)
      try target.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA journal_mode = DELETE")
        // A plan is handed over: it does not say where credentials lie on this machine.
        try database.execute(sql: "PRAGMA secure_delete = ON")
        try database.execute(sql: "DELETE FROM flag")
        try database.execute(sql: "CREATE TABLE plan (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
        for (name, value) in facts {
          try database.execute(sql: "INSERT INTO plan VALUES (?, ?)", arguments: [name, value])
        }
        try database.execute(sql: "PRAGMA application_id = \(applicationID)")
      }
      try target.close()
      if InputFile.isPresent(path) {
        // Only an older plan is ever replaced.
        _ = try PlanFile(path)
      }
      // SQLite has waited for its content.
      try WholeFile.place(draft, at: path)
    } catch {
      throw CheckpointFile.translate(error, path: path)
    }
  }
}
