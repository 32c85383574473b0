/// The members of a row, by their names.
enum PreferenceMembers {
  /// Takes the last of the members that have one name.
  ///
  /// Two names may be one text in different bytes: the first of them, by its bytes, is kept, and the
  /// others are percent-encoded, so that each has its value.
  static func byName(_ members: [(String, PreferenceValue)]) -> [String: PreferenceValue] {
    let plain = Dictionary(members, uniquingKeysWith: { _, last in last })
    guard plain.count < members.count else { return plain }
    var byName: [String: PreferenceValue] = [:]
    let sorted = members.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
    for (name, value) in sorted { byName[Self.name(name, among: byName)] = value }
    return byName
  }

  private static func name(_ name: String, among taken: [String: PreferenceValue]) -> String {
    guard let place = taken.index(forKey: name),
      !taken[place].key.utf8.elementsEqual(name.utf8)
    else { return name }
    return SQLiteAddress.encoded(name)
  }
}
