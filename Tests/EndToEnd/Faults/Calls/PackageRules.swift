import JSONText

/// What has to hold of the folder that a package is written into, whatever a crash has left of it.
struct PackageRules: Sendable {
  /// The finished package, by paths below it; folders end in `/`.
  let goal: [String: [UInt8]]
  private let promises: [Promise]
  private let end: Int

  /// A file that was put in its place in one step, and the place waited for: from then on it is there.
  private struct Promise: Sendable {
    let path: String
    let bytes: [UInt8]
    let span: Range<Int>

    /// Whether the folder that it lies in is there.
    func isIn(_ tree: [String: [UInt8]]) -> Bool {
      let name = path.hasSuffix("/") ? path.dropLast() : path[...]
      return name.lastIndex(of: "/").map { tree[String(name[...$0])] != nil } ?? true
    }
  }

  /// Takes down what an undisturbed run has promised.
  init(_ history: CrashHistory, calls: [Call], place: String, package: String) {
    end = calls.last?.number ?? 0
    goal = Self.files(in: history.whole(after: end).tree(), below: package + "/")
    promises = calls.filter { $0.kind == "rename" && $0.error == 0 }.compactMap {
      rename -> Promise? in
      let path = String(rename.other.dropFirst(place.count + 1))
      let folder = String(rename.other[..<Self.lastSlash(rename.other)])
      let tree = history.whole(after: rename.number).tree()
      let place = tree[path] == nil ? path + "/" : path
      guard let bytes = tree[place],
        let synced = calls.first(where: {
          $0.number > rename.number && $0.isSync
            && ($0.path == folder || $0.kind == "sync-all")
        })
      else { return nil }
      let next = calls.first {
        $0.number > rename.number && Self.touches($0, rename.other)
      }
      guard synced.number < next?.number ?? .max else { return nil }
      return Promise(path: place, bytes: bytes, span: synced.number..<(next?.number ?? .max))
    }
  }

  private static func lastSlash(_ path: String) -> String.Index {
    path.lastIndex(of: "/") ?? path.startIndex
  }

  /// Whether a call removes or replaces what has this name, or one that it lies in.
  private static func touches(_ call: Call, _ path: String) -> Bool {
    switch call.kind {
    case "unlink", "rmdir": path == call.path
    case "rename":
      path == call.other || path == call.path || path.hasPrefix(call.path + "/")
    default: false
    }
  }

  private static func files(in tree: [String: [UInt8]], below folder: String) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for (path, bytes) in tree where path.hasPrefix(folder) && path != folder {
      files[String(path.dropFirst(folder.count))] = bytes
    }
    return files
  }

  /// The first rule that a state after a call breaks; `nil` when all hold.
  func violation(_ disk: CrashDisk, after number: Int, package: String) -> String? {
    let tree = disk.tree()
    if tree[package + "/"] != nil {
      if Self.files(in: tree, below: package + "/") != goal { return "a package that is not whole" }
    } else if number >= end {
      return "no package after the end"
    }
    let partial = Self.files(in: tree, below: package + ".partial/")
    if let journal = partial["progress.json"] {
      if let fault = Self.fault(of: journal, partial, goal) { return fault }
    } else if partial["manifest.json"] != nil, partial != goal {
      return "what lacks only its name is not whole"
    }
    // What lies in an unfinished package may go with all of it, and only so.
    for promise in promises where promise.span.contains(number) && promise.isIn(tree) {
      if tree[promise.path] != promise.bytes { return "\(promise.path) is gone or not whole" }
    }
    return nil
  }

  /// Whether every file that the journal calls finished is there and whole.
  private static func fault(
    of journal: [UInt8],
    _ partial: [String: [UInt8]],
    _ goal: [String: [UInt8]]
  ) -> String? {
    guard case .success(let json) = Result(catching: { try JSONValue(parsing: journal) }) else {
      return "a journal that is not whole"
    }
    for chunk in json["chunks"]?.array ?? [] {
      let media = (chunk["media"]?.array ?? []).compactMap(\.text)
        .map { "media/sha256/\($0.prefix(2))/\($0)" }
      let files = [chunk["data"]?["path"]?.text, chunk["rejects"]?["path"]?.text].compactMap(\.self)
      for path in files + media where partial[path] == nil || partial[path] != goal[path] {
        return "the journal names \(path), which is not whole"
      }
    }
    return nil
  }
}
