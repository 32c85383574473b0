import StageSupport

/// A package or a checkpoint of the state folder, with all that needs it.
package struct PruneItem: Hashable, Sendable {
  /// What lies there.
  package enum Kind: String, Sendable {
    case package, checkpoint
    /// What an interrupted removal left.
    case leftover
  }

  package let kind: Kind
  /// The folder of a package, or the file of a checkpoint.
  package let path: String
  /// The bytes of all files that go with it.
  package let byteCount: Int64
  /// When a run last used it, else when it was last written, in whole seconds since 1970.
  package let lastUsed: Int64
  /// The names of the runs that know it.
  package let runs: [String]
  package let needs: [PruneNeed]

  package init(
    kind: Kind,
    path: String,
    byteCount: Int64,
    lastUsed: Int64,
    runs: [String] = [],
    needs: [PruneNeed] = []
  ) {
    self.kind = kind
    self.path = path
    self.byteCount = byteCount
    self.lastUsed = lastUsed
    self.runs = runs
    self.needs = needs
  }
}

/// Why something of the state folder is needed.
package enum PruneNeed: Hashable, Sendable {
  /// An interrupted run goes on with it.
  case resume(run: String)
  /// A run can be rolled back with it alone.
  case rollback(run: String)
  /// It holds what both sides last agreed on, for so many records that are at the destination.
  case base(recordCount: Int)
  /// An interrupted export goes on with it.
  case export
  /// It was written a short time ago, and no run knows it yet: a migration may be about to send it.
  case fresh
  /// A checkpoint that cannot be read may need it, or is it.
  case unreadable(path: String)
  /// A process is at work on it.
  case inUse

  /// What it is needed for.
  package var words: String {
    switch self {
    case .resume(let run): "run \(run) resumes with it"
    case .rollback(let run): "a rollback of run \(run) needs it"
    case .base(let count): "it has the merge bases of \(count.grouped) records at the destination"
    case .export: "an interrupted export goes on with it"
    case .fresh: "it was made within the last hour, and a migration may be about to send it"
    case .unreadable(let path): "the checkpoint \(path) cannot be read, and may need it"
    case .inUse: "a process is at work on it"
    }
  }

  /// What is lost when it is removed all the same.
  package var loss: String {
    switch self {
    case .resume(let run): "run \(run) cannot be resumed"
    case .rollback(let run):
      "run \(run) cannot be rolled back, unless its store still gives this package"
    case .base(let count):
      "merge bases of \(count.grouped) records: the next run reads the destination and adopts what is equal"
    case .export: "the next export starts from the beginning"
    case .fresh: "a migration that is about to send it stops"
    case .unreadable(let path): "what \(path) remembers, which could not be read"
    case .inUse: "nothing: it is never removed"
    }
  }
}
