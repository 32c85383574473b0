package import JSONText

/// What the readers of a profile made of its settings: short forms written out, and defaults filled in.
///
/// Each reader notes what it read, so that no second place has to know a default. Two profiles that read
/// the same give the same ``value(of:)``.
package final class SettledSettings {
  package init() {}

  /// By the pointer of a section, and the name of a setting; `nil` for a setting that says nothing.
  private var sections: [String: [String: JSONValue?]] = [:]

  /// Notes what a setting was read as.
  package func settle(_ name: String, of section: SettingNode, as value: JSONValue?) {
    sections[section.pointer, default: [:]].updateValue(value, forKey: name)
  }

  /// A value of the file as it was read, in the order of the file; what the file lacks comes last, by name.
  package func value(of node: SettingNode) -> JSONValue {
    let settled = sections[node.pointer]
    switch node.value {
    case .scalar(let scalar):
      guard let settled else { return scalar }
      return .object(Self.adding(settled, to: JSONObject()))
    case .list(let elements): return .array(elements.map { value(of: $0) })
    case .section(let members):
      var object = JSONObject()
      for member in members {
        if let read = settled?[member.name] {
          if let read { object[member.name] = read }
        } else {
          object[member.name] = value(of: member.value)
        }
      }
      return .object(Self.adding(settled ?? [:], to: object))
    }
  }

  private static func adding(
    _ settled: [String: JSONValue?],
    to object: JSONObject
  ) -> JSONObject {
    var object = object
    for (name, value) in settled.sorted(by: { $0.key < $1.key }) where object[name] == nil {
      if let value { object[name] = value }
    }
    return object
  }
}

extension SettingNode {
  /// The section that a text alone represents: `name`, read as `attribute`, is `{ attribute: name }`.
  ///
  /// Anything but a text is given back as it is.
  package func expanded(as name: String) -> SettingNode {
    guard case .scalar(let scalar) = value, scalar.text != nil else { return self }
    return SettingNode(
      value: .section([Member(name: name, line: line, value: self)]),
      file: file,
      line: line,
      pointer: pointer
    )
  }
}
