import JSONText
import Profiles

extension EntityWire {
  /// The members that a change would leave empty, and that a row of a list lacks.
  func emptyUnseen(_ form: WireForm, in row: [UInt8]) -> [String] {
    let empty = program.image(of: form.update).members.filter { member in
      program.api.compare[member.name] != .ignored
        && program.api.agree(member.value, .null, of: member.name)
    }
    guard !empty.isEmpty, let there = object(row) else { return [] }
    return empty.map(\.name).filter { there[$0] == nil }
  }

  /// Whether any of these members held something in what was kept of a record.
  func isAnyFilled(_ names: [String], in base: [UInt8]) -> Bool {
    guard let held = object(base) else { return false }
    return names.contains { name in
      held[name].map { !program.api.agree($0, .null, of: name) } ?? false
    }
  }
}
