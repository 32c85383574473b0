import CheckedDatabases
import Checkpoint
import Files
import func Foundation.NSTemporaryDirectory
import struct Foundation.UUID
import GRDB
import Records
import UploadPlanning

/// A folder of its own for one test's checkpoint, removed when the test is over.
final class CheckpointBench: Sendable {
  let folder: String
  var path: String { folder + "/checkpoint.sqlite" }

  init() throws {
    folder = NSTemporaryDirectory() + "/ferry-checkpoint-" + UUID().uuidString
    try Folder.make(folder)
  }

  deinit {
    do { try Folder.remove(folder) } catch { print("\(folder) is left: \(error)") }
  }

  func open(
    _ binding: CheckpointBinding = .sample()
  ) throws(CheckpointError) -> CheckpointFile {
    try CheckpointFile(
      path: path,
      binding: binding
    )
  }

  /// As Ferry opens checkpoints: what belongs together is not held together by SQLite.
  static var unconstrained: Configuration {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    return configuration
  }

  /// Changes a checkpoint, or a plan, behind the back of its run.
  static func edit(_ path: String, _ statements: [String]) throws {
    let queue = try CheckedPages.open(path, unconstrained)
    try queue.writeWithoutTransaction { database in
      for statement in statements { try database.execute(sql: statement) }
    }
    try queue.close()
  }

  /// Opens a checkpoint with one run in it.
  func openWithRun(
    _ operations: [OperationDraft] = []
  ) throws(CheckpointError) -> (file: CheckpointFile, run: RunRecord) {
    let file = try open()
    let run = try file.beginSampleRun()
    var step = PlanStep()
    step.operations = operations
    try file.add(step, to: run, now: 0)
    return (file, run)
  }

  /// Saves the plan of a run.
  static func savePlan(
    _ file: CheckpointFile,
    _ run: RunRecord,
    to path: String
  ) throws(CheckpointError) {
    let before = try file.recordsDigest()
    try PlanFile.save(file, run, recordsBefore: before, targets: .sample, to: path)
  }

  /// Makes a checkpoint with something in every table that a run reads.
  func fill() throws(CheckpointError) {
    let (file, run) = try openWithRun((1...20).map { .hero($0) })
    let operations = try file.operations(of: run, phase: 0, after: 0, limit: 20)
    try file.commit(
      operations.map { .begin($0.number, before: Array("{}".utf8), version: nil) },
      now: 1
    )
    try file.commit(
      operations.prefix(15).map { .confirm($0.number, serverID: "id-\($0.number)", version: "v1") },
      now: 2
    )
    try file.add(
      [Finding(code: "a.code", severity: .note, cause: "a cause", cure: "a cure")],
      to: run
    )
  }
}

extension CheckpointFile {
  /// Begins another run, with operations whose numbers follow those of the runs before.
  func beginRun(
    _ id: String,
    kind: RunRecord.Kind = .upload,
    undoes: String? = nil,
    _ operations: [OperationDraft]
  ) throws(CheckpointError) -> RunRecord {
    let run = try beginRun(
      id: id,
      kind: kind,
      package: "digest",
      packagePath: "/p/heroes.ferry",
      undoes: undoes,
      profile: .sample,
      now: 2000
    )
    var step = PlanStep()
    step.operations = operations
    try add(step, to: run, now: 0)
    return run
  }

  /// The states of every operation, by number.
  func states() throws(CheckpointError) -> [String] {
    try read { database in
      try String.fetchAll(database, sql: "SELECT state FROM operation ORDER BY number")
    }
  }

  func beginSampleRun(id: String = "run-1") throws(CheckpointError) -> RunRecord {
    try beginRun(
      id: id,
      kind: .upload,
      package: "digest",
      packagePath: "/p/heroes.ferry",
      undoes: nil,
      profile: .sample,
      now: 1000
    )
  }
}

extension CheckpointBinding {
  static func sample(
    store: String = "store-1",
    origin: String = "https://api.example.com",
    account: String = "ada",
    profile: String = "heroes"
  ) -> CheckpointBinding {
    CheckpointBinding(
      store: store,
      origin: origin,
      account: account,
      profile: profile
    )
  }
}

extension StoredProfile {
  static let sample = StoredProfile(digest: "aaaa", yaml: "app: heroes")
}

extension RecordID {
  static func hero(_ number: Int) -> RecordID { RecordID(entity: "Hero", key: "h\(number)") }

  /// A record of another entity, with the key that a hero has.
  static func story(_ number: Int) -> RecordID { RecordID(entity: "Story", key: "h\(number)") }
}

extension Digest {
  /// A digest that differs from those of other texts and says nothing else.
  static func sample(_ text: String) -> Digest { OperationKey.digest(of: Array(text.utf8)) }
}

extension OperationDraft {
  static func hero(
    _ number: Int,
    phase: Int = 0,
    action: Operation.Action = .create,
    content: String = "a",
    serverID: String? = nil,
    version: String? = nil,
    before: [UInt8]? = nil,
    undoes: Int64? = nil
  ) -> OperationDraft {
    .on(
      .hero(number),
      phase: phase,
      action: action,
      content: content,
      serverID: serverID,
      version: version,
      before: before,
      undoes: undoes
    )
  }

  static func on(
    _ record: RecordID,
    phase: Int = 0,
    action: Operation.Action = .create,
    content: String = "a",
    serverID: String? = nil,
    version: String? = nil,
    before: [UInt8]? = nil,
    undoes: Int64? = nil
  ) -> OperationDraft {
    OperationDraft(
      phase: phase,
      record: record,
      action: action,
      content: .sample(content),
      requestDigest: .sample("request " + content),
      key: "key-" + record.key.dropFirst(),
      serverID: serverID,
      version: version,
      before: before,
      source: RecordSource(
        file: "data/Hero-00001.jsonl",
        offset: Int64(record.key.dropFirst()) ?? 0,
        length: 7
      ),
      undoes: undoes
    )
  }
}

extension OperationChange {
  /// An intent that overwrites nothing.
  static func begin(_ number: Int64) -> OperationChange {
    .begin(number, before: nil, version: nil)
  }

  static func confirm(_ number: Int64, _ serverID: String? = nil) -> OperationChange {
    .confirm(number, serverID: serverID, version: "1")
  }
}

extension PlanTargets {
  static let sample = PlanTargets(places: .sample("places"), values: .sample("values"))
}
