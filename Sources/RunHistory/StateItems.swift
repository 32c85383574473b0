import Checkpoint
import Files
import StageSupport

/// The packages and checkpoints of a state folder, each with all that needs it.
struct StateItems {
  /// What a package is called while it is written.
  static let partialEnding = ".partial"
  /// What a package is called while it is removed.
  static let leftoverEnding = ".pruned"
  /// What lies beside a checkpoint and goes with it.
  static let checkpointEndings = ["", "-wal", "-shm"]
  /// How long a package that no run knows may be one that a migration is about to send, in seconds.
  private static let freshness: Int64 = 3_600

  private let state: StateFolder
  private let now: Int64
  private let runs: [ListedRun]
  private let unread: [UnreadCheckpoint]

  init(of state: StateFolder, now: Int64) throws {
    self.state = state
    self.now = now
    (runs, unread) = try ListedRun.all(in: [state])
  }

  var items: [PruneItem] {
    get throws { try packages() + checkpoints() }
  }

  // MARK: - Packages

  private func packages() throws -> [PruneItem] {
    guard Folder.isReal(state.packages) else { return [] }
    var items: [PruneItem] = []
    for name in try Folder.names(in: state.packages) {
      let path = "\(state.packages)/\(name)"
      let isPartial = name.hasSuffix(Self.partialEnding)
      if name.hasSuffix(Self.leftoverEnding) {
        items.append(try item(.leftover, path, []))
      } else if isPartial || name.hasSuffix(".ferry") {
        items.append(try item(.package, path, isPartial ? [.export] : []))
      }
    }
    return items
  }

  private func item(
    _ kind: PruneItem.Kind,
    _ path: String,
    _ further: [PruneNeed]
  ) throws -> PruneItem {
    let own = runs.filter { $0.sent(path) }
    let written = Folder.changedAt(path) ?? now
    let used = own.map { $0.run.finishedAt ?? $0.run.startedAt }.max()
    var needs = further
    if kind == .package {
      needs += own.flatMap(\.needs)
      needs += unread.map { .unreadable(path: $0.path) }
      let isNew = own.isEmpty && now - written < Self.freshness
      if isNew, further.isEmpty { needs.append(.fresh) }
      if LockFile.isHeld(PruneItem(kind: kind, path: path, byteCount: 0, lastUsed: 0).lockPath) {
        needs.append(.inUse)
      }
    }
    return PruneItem(
      kind: kind,
      path: path,
      byteCount: try Folder.byteCount(of: path),
      lastUsed: used ?? written,
      runs: own.map(\.run.id),
      needs: needs
    )
  }

  // MARK: - Checkpoints

  private func checkpoints() throws -> [PruneItem] {
    var items: [PruneItem] = []
    for path in try state.checkpoints.files() {
      items.append(try checkpoint(path))
    }
    return items
  }

  private func checkpoint(_ path: String) throws -> PruneItem {
    var own: [ListedRun] = []
    var needs: [PruneNeed] = []
    do throws(CheckpointError) {
      if let view = try CheckpointView(path) {
        own = try ListedRun.runs(in: view, of: state)
        needs = own.flatMap(\.needs)
        let count = try view.facts().holdings.reduce(0) { $0 + $1.atDestination }
        if count > 0 { needs.append(.base(recordCount: count)) }
      }
    } catch {
      guard error.isOfOneFile else { throw error }
      needs = [.unreadable(path: path)]
    }
    if LockFile.isHeld(path + ".lock") { needs.append(.inUse) }
    var count: Int64 = 0
    for ending in Self.checkpointEndings {
      count += try Folder.byteCount(of: path + ending)
    }
    let used = own.map { $0.run.finishedAt ?? $0.run.startedAt }.max()
    return PruneItem(
      kind: .checkpoint,
      path: path,
      byteCount: count,
      lastUsed: used ?? Folder.changedAt(path) ?? now,
      runs: own.map(\.run.id),
      needs: needs
    )
  }
}

extension ListedRun {
  /// Whether the package at a path is the one that it sent, or the same in a state folder that was moved.
  fileprivate func sent(_ path: String) -> Bool {
    let isOfName = Folder.lastName(of: run.packagePath) == Folder.lastName(of: path)
    return isOfName
      && (!InputFile.isPresent(run.packagePath)
        || Folder.wholePath(of: run.packagePath) == Folder.wholePath(of: path))
  }

  /// What needs the package and the checkpoint of the run.
  fileprivate var needs: [PruneNeed] {
    (run.stage.isOpen ? [.resume(run: run.id)] : [])
      + (hasAnythingToReverse ? [.rollback(run: run.id)] : [])
  }
}
