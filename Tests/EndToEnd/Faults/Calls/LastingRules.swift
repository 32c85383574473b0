/// What has to hold of the files that a line leaves, whatever a crash takes.
///
/// Once the line has come to its end, every file is there with all of its content, and the earlier
/// content and was removed is gone, and nothing else is in a package. Before that, a file that is put
/// in its place by a rename is what it was, or is whole.
struct LastingRules: Sendable {
  private let goal: [String: [UInt8]]
  private let removed: [String]
  private let end: Int
  /// What each file may hold that was put in its place, and after which calls that is looked at.
  private var wholes: [String: Set<[UInt8]>] = [:]
  private var moments: [Int] = []

  /// Takes down what undisturbed runs have come to.
  init(_ run: WatchedRun) {
    let history = run.history()
    end = run.end
    goal = history.whole(after: end).tree().filter { Self.isLasting($0.key) }
    let before = run.start.tree()
    removed = before.keys.filter { [goal] in Self.isLasting($0) && goal[$0] == nil }.sorted()
    for call in run.calls where call.kind == "rename" && call.error == 0 {
      let path = String(call.other.dropFirst(run.start.place.count + 1))
      guard let bytes = history.whole(after: call.number).tree()[path] else { continue }
      wholes[path, default: Set([before[path]].compactMap(\.self))].insert(bytes)
      moments.append(call.number)
    }
  }

  /// The first rule that any state breaks; `nil` when all hold.
  func violation(_ history: CrashHistory) -> String? {
    for state in [history.whole(after: end)] + history.mainStates(after: end) {
      let tree = state.tree()
      for (path, bytes) in goal.sorted(by: { $0.key < $1.key }) where tree[path] != bytes {
        return "\(path) is \(tree[path] == nil ? "not there" : "not whole") after the end"
      }
      if let path = removed.first(where: { tree[$0] != nil }) { return "\(path) is there again" }
      let orphaned = tree.keys.first {
        $0.contains(".ferry/") && Self.isLasting($0) && goal[$0] == nil
      }
      if let orphaned { return "\(orphaned) is in a package" }
    }
    for moment in moments {
      for state in history.mainStates(after: moment) {
        let tree = state.tree()
        for (path, contents) in wholes {
          guard let bytes = tree[path], !contents.contains(bytes) else { continue }
          return "\(path) is not whole after call \(moment)"
        }
      }
    }
    return nil
  }

  /// Whether a file is one that outlives the line: no lock, and nothing that SQLite keeps beside a
  /// database or makes anew.
  private static func isLasting(_ path: String) -> Bool {
    !["-wal", "-shm", ".lock", "/"].contains(where: path.hasSuffix)
  }
}
