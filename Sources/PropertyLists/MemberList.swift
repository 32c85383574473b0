import JSONText

/// The members of a dictionary while it is being read.
///
/// Names are compared by their bytes.
struct MemberList {
  private(set) var members: [PropertyList.Member] = []
  /// Where each name is, once a dictionary is too large to be searched.
  private var places: [ExactName: Int] = [:]

  static let searchedCount = 16

  /// Makes an empty list with space for so many members.
  init(reserving count: Int = 0) {
    if count > 0 { members.reserveCapacity(count) }
  }

  /// Adds a member; a name that is there already gets the new value, and the old one is given back.
  mutating func append(name: String, value: PropertyList) -> PropertyList? {
    if let place = place(of: name) {
      let dropped = members[place].value
      members[place] = .init(name: name, value: value)
      return dropped
    }
    members.append(.init(name: name, value: value))
    if members.count > Self.searchedCount {
      // Growing by little means hashing every name again and again.
      if places.count == places.capacity { places.reserveCapacity(members.count * 4) }
      if places.isEmpty {
        for (place, member) in members.enumerated() { places[ExactName(text: member.name)] = place }
      } else {
        places[ExactName(text: name)] = members.count - 1
      }
    }
    return nil
  }

  private func place(of name: String) -> Int? {
    guard places.isEmpty else { return places[ExactName(text: name)] }
    // Names that are no one text differ, which is reported faster than by their bytes.
    return members.firstIndex { $0.name == name && $0.name.hasSameScalars(as: name) }
  }
}
