import JSONText
import Profiles

extension EntityWire {
  /// Whether a change takes the place of the whole record.
  ///
  /// What a PUT does not carry is gone,
  /// [RFC 9110, 9.3.4](https://www.rfc-editor.org/rfc/rfc9110#section-9.3.4).
  private var isReplacing: Bool { program.api.update?.route.method == .put }

  /// What a change of the record in `row` has to carry beside `sent` so that it takes nothing away.
  ///
  /// What is the same on both sides goes as this side writes it, all else as it stands there. What is not
  /// compared, because the destination never shows it, goes as this side has it. `whole` are the record's own
  /// members.
  func kept(
    of row: [UInt8],
    beside sent: [WireMember],
    _ whole: [WireMember] = []
  ) throws(WireRefusal) -> [WireMember] {
    guard isReplacing, let standing = object(row) else { return [] }
    let differing = try changes(from: row, to: whole).map { $0.name }
    let left = program.api.body.filter { rule in !sent.contains { $0.name == rule.name } }
    return left.compactMap { rule -> WireMember? in
      let own = whole.first { $0.name == rule.name }
      let isCompared = program.api.compare[rule.name] != .ignored
      guard let value = standing[rule.name] else { return isCompared ? nil : own }
      if value.isNull { return nil }
      let isShared = isCompared && !differing.contains(rule.name)
      let there = WireMember(name: rule.name, value: value.canonicalBytes)
      return isShared ? own ?? there : there
    }
  }
}
