import JSONText
import Profiles
import RequestBodies

extension EntityMapping {
  /// Whether a change takes the place of the whole record.
  ///
  /// What a PUT does not carry is gone,
  /// [RFC 9110, 9.3.4](https://www.rfc-editor.org/rfc/rfc9110#section-9.3.4).
  package var isReplacing: Bool { program.api.update?.isReplacing == true }

  /// What a change of the record in `row` has to carry beside `sent` so that it takes nothing away.
  ///
  /// What is the same on both sides goes as this side writes it, all else as it is there. What is not
  /// compared, because the destination never shows it, goes as this side has it; and what a row of
  /// a list lacks, where no record is read alone, as it was `given` last. `whole` are the record's
  /// own members. What no request gives goes as it is there, where the profile says so.
  package func kept(
    of row: [UInt8],
    beside sent: [RequestField],
    _ whole: [RequestField],
    _ given: GivenRecord?
  ) throws(MappingError) -> [RequestField] {
    guard isReplacing, let existing = object(row) else { return [] }
    let last = members(of: given)
    let mine = whole + last.filter { member in !whole.contains { $0.name == member.name } }
    let differing = try changes(from: row, to: mine).map { $0.name }
    let left = program.api.body.filter { rule in !sent.contains { $0.name == rule.name } }
    return others(in: existing)
      + left.compactMap { rule -> RequestField? in
        let own = mine.first { $0.name == rule.name }
        let isCompared = program.api.compare[rule.name] != .ignored
        guard let value = existing[rule.name] else {
          guard isCompared else { return own }
          return program.api.read == nil ? last.first { $0.name == rule.name } : nil
        }
        // Whose a record is may be shown in another form than it is sent in.
        if !isCompared, rule.stage != .once, case .constant = rule.source { return own }
        // Rows of one request have the same fields.
        if value.isNull, program.api.update?.many == nil { return nil }
        let isShared = isCompared && !differing.contains(rule.name)
        let there = RequestField(name: rule.name, value: value.canonicalBytes)
        return isShared ? own ?? there : there
      }
  }

  /// The members of a record that are no fields of ours, where a change has to carry them.
  private func others(in row: JSONObject) -> [RequestField] {
    guard program.api.update?.sends == .row else { return [] }
    let own = Set(program.api.body.map(\.name))
    return row.members.filter { !own.contains($0.name) }.map {
      RequestField(name: $0.name, value: $0.value.canonicalBytes)
    }
  }

  /// The members that a record was given last, but for those that name a record of it is unknown
  /// which entity.
  private func members(of given: GivenRecord?) -> [RequestField] {
    guard let given else { return [] }
    return program.api.body.compactMap { rule -> RequestField? in
      if case .reference = rule.source {
        guard program.links.contains(where: { $0.member == rule.name }) else { return nil }
      }
      return given.last(rule.name).map {
        RequestField(name: rule.name, value: $0.canonicalBytes)
      }
    }
  }
}

extension GivenRecord {
  /// What a member was given last, or held when it was left as it was; `nil` if it is unknown, and where
  /// that is nothing.
  fileprivate func last(_ name: String) -> JSONValue? {
    guard !unknown.contains(name), let value = cleared[name] ?? members[name] else { return nil }
    return value.isNull ? nil : value
  }
}
