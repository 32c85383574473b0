import JSONText
import TextCodecs

/// The names in braces that a profile fills in itself, before anything else reads it.
///
/// Other names in braces stay: they are filled in when a request is made.
package struct SettingVariables {
  /// The values by their names.
  let values: [String: SettingNode]
  let log: FaultLog
  /// Whether a value is a part of what is written, and not escaped in a route or in JSON.
  let isText: Bool

  package init(values: [String: SettingNode], log: FaultLog, isText: Bool = false) {
    self.values = values
    self.log = log
    self.isText = isText
  }

  /// The setting with every name replaced that has a value here, in everything inside.
  ///
  /// A text that is one name alone becomes the value itself, which may be a number, a list or a section.
  package func filled(_ node: SettingNode) -> SettingNode {
    switch node.value {
    case .section(let members): return node.holding(.section(filled(members)))
    case .list(let elements): return node.holding(.list(elements.map { filled($0) }))
    case .scalar(let scalar):
      guard let text = scalar.text, text.contains("{") else { return node }
      if text.hasPrefix("{"), text.hasSuffix("}"),
        let value = values[String(text.dropFirst().dropLast())]
      {
        return value
      }
      return node.holding(.scalar(.string(filled(text, at: node))))
    }
  }

  private func filled(_ members: [SettingNode.Member]) -> [SettingNode.Member] {
    var seen: Set<String> = []
    return members.map { member in
      let name = filled(member.name, at: member.value, in: .plain)
      if !seen.insert(name).inserted {
        log.add(
          at: member.value,
          "the name “\(name)” is there twice, once by a variable",
          cure: "give the variable another value, or remove one of the two"
        )
      }
      return SettingNode.Member(name: name, line: member.line, value: filled(member.value))
    }
  }

  private func filled(
    _ text: String,
    at node: SettingNode,
    in place: Place? = nil
  ) -> String {
    guard text.contains("{") else { return text }
    let place = place ?? (isText ? .plain : Place(of: text))
    var filled = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{") {
      filled += rest[..<open]
      rest = rest[open...]
      guard let found = variable(at: rest) else {
        filled.append(rest.removeFirst())
        continue
      }
      rest = rest.dropFirst(found.length)
      let text = self.text(of: found.value, found.name, at: node)
      filled += found.isPath ? place.escaped(path: text) : place.escaped(text)
    }
    return filled + rest
  }

  /// The variable that a text begins with: `{name}`, or `{+name}` for a value whose slashes stay,
  /// as in <https://www.rfc-editor.org/rfc/rfc6570#section-3.2.3>.
  private func variable(
    at text: Substring
  ) -> (name: String, value: SettingNode, length: Int, isPath: Bool)? {
    for (name, value) in values {
      if text.hasPrefix("{\(name)}") { return (name, value, name.count + 2, false) }
      if text.hasPrefix("{+\(name)}") { return (name, value, name.count + 3, true) }
    }
    return nil
  }

  private func text(of value: SettingNode, _ name: String, at node: SettingNode) -> String {
    if case .scalar(let scalar) = value.value {
      switch scalar {
      case .string(let text): return text
      case .number(let number): return number.literal
      case .null, .boolean, .array, .object: break
      }
    }
    log.add(
      at: node,
      "“{\(name)}” is \(value.kindName), and is within a text here",
      cure: "give it a text, or write “{\(name)}” alone"
    )
    return ""
  }

  /// What a text is, and so how a value in it is written.
  private enum Place {
    /// A method and a path with a query or without, or an address.
    case route
    case json, plain

    init(of text: String) {
      let method = text.prefix { $0 != " " }
      let isRoute =
        Self.methods.contains(String(method)) && text.dropFirst(method.count).hasPrefix(" /")
      if isRoute || text.contains("://") && !text.contains(" ") {
        self = .route
      } else {
        self = (try? JSONValue(parsing: text))?.object != nil ? .json : .plain
      }
    }

    private static let methods: Set = ["GET", "POST", "PUT", "PATCH", "DELETE"]

    /// The same of a path: its slashes stay, and names in braces that are a part of it.
    func escaped(path: String) -> String {
      guard self == .route else { return escaped(path) }
      return path.split(separator: "/", omittingEmptySubsequences: false).map { part in
        part.hasPrefix("{") && part.hasSuffix("}")
          ? String(part) : PercentCoding.encoded(String(part))
      }
      .joined(separator: "/")
    }

    func escaped(_ value: String) -> String {
      switch self {
      case .route: PercentCoding.encoded(value)
      case .json: String(JSONValue.string(value).canonicalText.dropFirst().dropLast())
      case .plain: value
      }
    }
  }
}

extension SettingNode {
  /// Whether a text inside, or a name, has a name in braces.
  package func mentions(_ name: String) -> Bool {
    switch value {
    case .scalar(let scalar): scalar.text?.mentions(name) ?? false
    case .list(let elements): elements.contains { $0.mentions(name) }
    case .section(let members):
      members.contains { $0.name.mentions(name) || $0.value.mentions(name) }
    }
  }
}

extension String {
  fileprivate func mentions(_ name: String) -> Bool {
    contains("{\(name)}") || contains("{+\(name)}")
  }
}
