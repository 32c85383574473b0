/// What a person allows to be removed.
package struct PruneRule: Hashable, Sendable {
  /// How many of the newest packages, and of the newest checkpoints, stay in any case.
  package var keepLast: Int?
  /// Only what was last used so many seconds ago or longer is removed.
  package var olderThan: Int64?
  /// Names of packages, checkpoints and runs whose needs are given up.
  package var forced: [String]

  package init(keepLast: Int? = nil, olderThan: Int64? = nil, forced: [String] = []) {
    self.keepLast = keepLast
    self.olderThan = olderThan
    self.forced = forced
  }

  /// Whether nothing but what is named is to be removed.
  var isOnlyForced: Bool { !forced.isEmpty && keepLast == nil && olderThan == nil }

  /// Reads an age like `30d`: days (`d`), weeks (`w`) or hours (`h`); gives seconds, or `nil` for anything
  /// else.
  package static func seconds(_ text: String) -> Int64? {
    let units: [Character: Int64] = ["h": 3_600, "d": 86_400, "w": 604_800]
    guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
      (0...100_000).contains(count)
    else { return nil }
    return count * unit
  }
}
