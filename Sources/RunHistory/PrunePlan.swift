import Files
package import StageSupport

/// Which packages and checkpoints of a state folder are removed, and why the others stay.
package struct PrunePlan: Hashable, Sendable {
  /// Something that stays.
  package struct Kept: Hashable, Sendable {
    package let item: PruneItem
    /// Why; it can be another reason than a need.
    package let reasons: [String]
  }

  /// What goes; the needs of an item are what is lost with it.
  package private(set) var removed: [PruneItem] = []
  package private(set) var kept: [Kept] = []

  /// Looks at the state folder and those of its fleet's stores, and changes nothing.
  ///
  /// - Parameters:
  ///   - state: The state folder.
  ///   - rule: What a person allows.
  ///   - now: In whole seconds since 1970.
  /// - Throws: `MigrationError.badChoice` for a name that nothing has, and `MigrationError.busy` for one that
  ///   a process is at work on.
  package init(of state: StateFolder, rule: PruneRule, now: Int64) throws {
    let items = try ([state] + state.ofFleet()).flatMap { try StateItems(of: $0, now: now).items }
    try self.init(items, rule: rule, now: now)
  }

  /// The same for items that are known.
  package init(_ items: [PruneItem], rule: PruneRule, now: Int64) throws {
    for name in rule.forced {
      let named = items.filter { $0.isCalled(name) }
      guard !named.isEmpty else {
        throw MigrationError.badChoice(
          reason: "no package, checkpoint or run of the state folder is called \(name)",
          cure: "`ferry prune -n` lists them"
        )
      }
      guard named.count == 1 else {
        throw MigrationError.badChoice(
          reason: "\(name) can be \(named.map(\.path).joined(separator: " or "))",
          cure: "name it by its path"
        )
      }
    }
    for kind in [PruneItem.Kind.leftover, .package, .checkpoint] {
      let own = items.filter { $0.kind == kind }.sorted { $0.lastUsed > $1.lastUsed }
      for (place, item) in own.enumerated() { try sort(item, place, rule, now) }
    }
  }

  private mutating func sort(
    _ item: PruneItem,
    _ place: Int,
    _ rule: PruneRule,
    _ now: Int64
  ) throws {
    let isForced = rule.forced.contains(where: item.isCalled)
    if isForced, item.needs.contains(.inUse) {
      throw MigrationError.busy(path: item.path, holder: nil)
    }
    let reasons = isForced ? [] : Self.reasons(item, place, rule, now)
    if reasons.isEmpty {
      removed.append(item)
    } else {
      kept.append(Kept(item: item, reasons: reasons))
    }
  }

  /// Why an item that no one named stays; nothing where it goes.
  private static func reasons(
    _ item: PruneItem,
    _ place: Int,
    _ rule: PruneRule,
    _ now: Int64
  ) -> [String] {
    guard item.needs.isEmpty else { return item.needs.map(\.words) }
    guard item.kind != .leftover else { return [] }
    if rule.isOnlyForced { return ["it is not named"] }
    var reasons: [String] = []
    if let count = rule.keepLast, place < count { reasons.append("it is one of the last \(count)") }
    if let age = rule.olderThan, now - item.lastUsed < age {
      reasons.append("it is not old enough")
    }
    return reasons
  }

  // MARK: - Carrying it out

  /// Removes what the plan says, one item after the other.
  ///
  /// What a process has taken since is left, and given back.
  package func carryOut() throws -> [PruneItem] {
    var left: [PruneItem] = []
    for item in removed {
      if try !Self.remove(item) { left.append(item) }
    }
    return left
  }

  /// Removes an item under its lock; gives `false` where another process holds that.
  private static func remove(_ item: PruneItem) throws(FileError) -> Bool {
    guard item.kind != .leftover else {
      try Folder.remove(item.path)
      return true
    }
    guard let lock = try LockFile(taking: item.lockPath) else { return false }
    switch item.kind {
    case .checkpoint:
      for ending in StateItems.checkpointEndings { try Folder.remove(item.path + ending) }
    case .package, .leftover:
      // A package appears and disappears whole, whenever the process is killed.
      let grave = item.path + StateItems.leftoverEnding
      try Folder.remove(grave)
      try Folder.publish(item.path, as: grave)
      try Folder.remove(grave)
    }
    // Removed while it is held: one who waits for it takes it anew.
    try Folder.remove(lock.path)
    return true
  }
}

extension PruneItem {
  /// What a process holds that is at work on it.
  var lockPath: String {
    let partial = StateItems.partialEnding
    return (path.hasSuffix(partial) ? String(path.dropLast(partial.count)) : path) + ".lock"
  }

  /// Whether a person means it by a name: its path, its last part, or a run that knows it, of which
  /// the package is meant.
  func isCalled(_ name: String) -> Bool {
    if path == name || Folder.lastName(of: path) == name { return true }
    return kind == .package && runs.contains(name)
  }
}
