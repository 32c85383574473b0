// Whether what stands in the place of a record can be that record. A server of which a backup was brought back
// may give the number of a record that it lost to another one, and begin to count its versions anew.

extension EntityWire {
  /// Whether a record may be told from another that stands in its place, by more than one member that never
  /// changes.
  package var hasLastingKey: Bool { program.lastingKey.count > 1 }

  /// Those of some members that tell a record and never change.
  func lasting(of members: [WireMember]) -> [WireMember] {
    let names = program.lastingKey
    return members.filter { names.contains($0.name) }
  }

  /// Whether a record of the destination's is another than one of which these are the members: nothing of
  /// several that never change is the same.
  ///
  /// What either side lacks says nothing.
  package func isAnother(_ remote: [UInt8], than members: [WireMember]) -> Bool {
    guard hasLastingKey, let there = object(remote) else { return false }
    let found = program.disagreement(of: lasting(of: members), with: there)
    return found.told > 1 && found.differing == found.told
  }
}

extension String {
  /// Of a record in whose place another one stands.
  package static var anotherStands: String {
    "another record stands in its place at the destination"
  }
}
