// Whether the content of the place of a record can be that record. A server of which a backup was restored
// may give the number of a record that it lost to another one, and begin to count its versions anew.

extension EntityMapping {
  /// Whether a record may be distinguished from another that is in its place, by more than one
  /// member that never changes.
  package var hasLastingKey: Bool { program.lastingKey.count > 1 }

  /// Those of some members that identify a record and never change.
  func lasting(of members: [RequestField]) -> [RequestField] {
    let names = program.lastingKey
    return members.filter { names.contains($0.name) }
  }

  /// Whether a record of the destination's is another than one of which these are the members: nothing of
  /// several that never change is the same.
  ///
  /// What either side lacks says nothing.
  package func isReplaced(_ remote: [UInt8], than members: [RequestField]) -> Bool {
    guard hasLastingKey, let there = object(remote) else { return false }
    let found = program.disagreement(of: lasting(of: members), with: there)
    return found.shown > 1 && found.differing == found.shown
  }
}

extension String {
  /// Of a record in whose place another one is kept.
  package static var wasReplaced: String {
    "the server reused the ID for another record at the destination"
  }
}
