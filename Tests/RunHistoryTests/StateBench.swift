import Checkpoint
import Files
import Records
import StageSupport
import TestSupport
import UploadPlanning

/// A state folder with checkpoints and packages that a test puts there.
struct StateBench {
  let state: StateFolder

  init(in folder: String) throws {
    state = StateFolder(path: folder)
    try Folder.make(state.checkpoints.path)
    try Folder.make(state.packages)
  }

  static func binding(_ store: String = "store-1") -> CheckpointBinding {
    CheckpointBinding(
      store: store,
      origin: "https://api.example.com",
      account: "ada",
      profile: "heroes"
    )
  }

  func path(_ package: String) -> String { "\(state.packages)/\(package)" }

  /// Puts a package there, as a folder with one file of a kilobyte.
  func putPackage(_ name: String) throws {
    try Folder.make(path(name))
    var file = try OutputFile(creating: path(name) + "/manifest.json")
    try file.write([UInt8](repeating: 0x20, count: 1_000))
    _ = try file.finish()
  }

  /// Opens the checkpoint of a store, which is held as long as the value lives.
  func open(_ store: String = "store-1") throws -> CheckpointFile {
    let binding = Self.binding(store)
    return try CheckpointFile(path: state.checkpoints.file(for: binding), binding: binding)
  }

  /// Begins a run of a checkpoint with operations; the first `confirmed` of them reached the destination.
  @discardableResult
  func begin(
    _ file: CheckpointFile,
    package: String = "a.ferry",
    undoes: RunRecord? = nil,
    operations count: Int = 3,
    confirmed: Int = 0,
    startedAt: Int64 = 1_000
  ) throws -> RunRecord {
    let number = try file.runs().count + 1
    let run = try file.beginRun(
      id: "\(StateFolder.runName(of: file.binding))-\(number)",
      kind: undoes == nil ? .upload : .rollback,
      package: "digest",
      packagePath: path(package),
      undoes: undoes?.id,
      profile: StoredProfile(digest: "aaaa", yaml: "app: heroes"),
      now: startedAt
    )
    var step = PlanStep()
    step.operations = (0..<count).map { Self.draft("\(number)-\($0)") }
    try file.add(step, to: run, now: startedAt)
    try file.setStage(.executing, of: run, now: startedAt)
    let begun = try file.operations(of: run, phase: 0, after: 0, limit: confirmed)
    if confirmed > 0 {
      try file.commit(
        begun.map { .begin($0.number, before: nil, version: nil) },
        now: startedAt
      )
      try file.commit(
        begun.map { .confirm($0.number, serverID: "id-\($0.number)", version: "1") },
        now: startedAt
      )
    }
    return run
  }

  private static func draft(_ key: String) -> OperationDraft {
    OperationDraft(
      phase: 0,
      record: RecordID(entity: "Hero", key: key),
      action: .create,
      content: OperationKey.digest(of: Array(key.utf8)),
      requestDigest: OperationKey.digest(of: Array("request \(key)".utf8)),
      key: "key-\(key)",
      serverID: nil,
      version: nil,
      before: nil,
      source: RecordSource(file: "data/Hero-00001.jsonl", offset: 0, length: 7),
      undoes: nil
    )
  }
}

/// Lends a state folder that is removed afterwards.
func withState(_ body: (StateBench) throws -> Void) async throws {
  try await withTemporaryFolder { folder in try body(StateBench(in: "\(folder)/state")) }
}
