package import JSONText

/// One declared change of a record, from one version of its schema to the next.
package enum UpgradeStep: Hashable, Sendable {
  /// A member gets another name.
  case rename(member: String, to: String)
  /// A member that is not there gets a value.
  case `default`(member: String, value: JSONValue)
  /// The parts of an array, or of a text between separators, become members of their own.
  case split(member: String, into: [String], separator: String?)
  /// A value becomes another; `otherwise` is for those that are not listed.
  case map(member: String, values: JSONObject, otherwise: JSONValue?)
  /// A value becomes a member of an object in its place.
  case wrap(member: String, name: String, with: JSONObject)
  /// A member is left out, for a reason that is written down.
  case drop(member: String, note: String)

  /// The member that the step is about.
  package var member: String {
    switch self {
    case .rename(let member, _), .default(let member, _), .split(let member, _, _),
      .map(let member, _, _), .wrap(let member, _, _), .drop(let member, _):
      member
    }
  }

  /// The name of the step's kind.
  package var kind: String {
    switch self {
    case .rename: "rename"
    case .default: "default"
    case .split: "split"
    case .map: "map"
    case .wrap: "wrap"
    case .drop: "drop"
    }
  }

  /// What the step does, in words.
  package var words: String {
    switch self {
    case .rename(let member, let name): "“\(member)” becomes “\(name)”"
    case .default(let member, let value):
      "“\(member)” is \(value.canonicalText) where it was not there"
    case .split(let member, let names, _):
      "“\(member)” becomes \(names.map { "“\($0)”" }.joined(separator: ", "))"
    case .map(let member, _, _): "the values of “\(member)” become others"
    case .wrap(let member, let name, _): "“\(member)” becomes an object that has it as “\(name)”"
    case .drop(let member, let note): "“\(member)” is left out: \(note)"
    }
  }
}

/// Why a record could not be sent to a newer version.
package struct UpgradeFault: Error, Hashable, Sendable {
  package let code: String
  package let member: String
  package let cause: String
  package let cure: String
}

extension UpgradeStep {
  /// Changes the record; says whether there was anything to change.
  func apply(to record: inout JSONObject) throws(UpgradeFault) -> Bool {
    if case .default(let member, let value) = self {
      guard record[member] == nil else { return false }
      record[member] = value
      return true
    }
    guard let value = record[member] else { return false }
    switch self {
    case .default: return false
    case .rename(let member, let name):
      record[member] = nil
      try set(name, value, in: &record)
    case .drop(let member, _): record[member] = nil
    case .split(let member, let names, let separator):
      guard !value.isNull else { return false }
      let parts = try parts(of: value, separator, atMost: names.count)
      record[member] = nil
      for (name, part) in zip(names, parts) { try set(name, part, in: &record) }
    case .map(let member, let values, let otherwise):
      guard !value.isNull else { return false }
      guard let mapped = values[value.text ?? value.canonicalText] ?? otherwise else {
        throw fault("value", "no value is declared for \(value.canonicalText)")
      }
      guard mapped != value else { return false }
      record[member] = mapped
    case .wrap(let member, let name, let more):
      guard !value.isNull else { return false }
      var object: JSONObject = [name: value]
      for other in more.members { object[other.name] = other.value }
      record[member] = .object(object)
    }
    return true
  }

  private func set(
    _ name: String,
    _ value: JSONValue,
    in record: inout JSONObject
  ) throws(UpgradeFault) {
    guard record[name] == nil else {
      throw fault("name-in-use", "the record has a member “\(name)” already")
    }
    record[name] = value
  }

  private func parts(
    of value: JSONValue,
    _ separator: String?,
    atMost most: Int
  ) throws(UpgradeFault) -> [JSONValue] {
    let parts: [JSONValue]
    if let list = value.array {
      parts = list
    } else if let text = value.text, let separator, !separator.isEmpty {
      parts = text.split(separator: separator, omittingEmptySubsequences: false)
        .map { .string(String($0)) }
    } else {
      throw fault("kind", "\(value.kind) cannot be taken apart")
    }
    guard parts.count <= most else {
      throw fault("rest", "it has \(parts.count) parts, and there are names for \(most)")
    }
    return parts
  }

  private func fault(_ code: String, _ cause: String) -> UpgradeFault {
    UpgradeFault(
      code: "upgrade.\(code)",
      member: member,
      cause: "“\(member)”: \(cause)",
      cure: "correct the record, or declare in the upgrades what becomes of it"
    )
  }
}
