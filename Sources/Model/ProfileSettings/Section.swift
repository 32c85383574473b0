package import JSONText
package import Records
import TextCodecs

/// A section of a profile while it is read: says what is wrong with it, and what was not asked for.
package final class Section {
  package let node: SettingNode
  package let log: FaultLog
  private var members: [String: SettingNode] = [:]
  private var order: [SettingNode.Member] = []
  private var asked: Set<String> = []

  /// Takes a node that should be a section; any other is a fault, and reads as an empty one.
  package init(_ node: SettingNode, log: FaultLog) {
    self.node = node
    self.log = log
    switch node.value {
    case .section(let found):
      order = found
      for member in found { members[member.name] = member.value }
    case .scalar, .list:
      log.add(
        at: node,
        "expected a section of names and values and found \(node.kindName)",
        cure: "indent the settings below it"
      )
    }
  }

  /// The value called `name`, or `nil` when it is absent or nothing.
  package func node(_ name: String) -> SettingNode? {
    asked.insert(name)
    guard let found = members[name] else { return nil }
    if case .scalar(.null) = found.value {
      settle(name, as: nil)
      return nil
    }
    return found
  }

  /// Whether the name is there, even with nothing behind it.
  package func has(_ name: String) -> Bool { members[name] != nil }

  /// The value called `name`; its absence is a fault.
  package func requiredNode(_ name: String) -> SettingNode? {
    if let found = node(name) { return found }
    log.add(at: node, "“\(name)” is missing", cure: "add it")
    return nil
  }

  /// All names and values, in the order of the file; counts as asking for each.
  package func all() -> [SettingNode.Member] {
    asked.formUnion(order.map(\.name))
    return order
  }

  /// Reports every name that was not asked for.
  package func close() {
    for member in order where !asked.contains(member.name) {
      let free = asked.filter { members[$0] == nil }.sorted()
      let cure =
        NearestWord.to(member.name, among: free).map { "write “\($0)”, or remove it" }
        ?? "remove it, or use one of: \(asked.sorted().joined(separator: ", "))"
      log.add(
        at: member.value.at(line: member.line),
        "“\(member.name)” is not a setting of this section",
        cure: cure
      )
    }
  }
}

// MARK: - What was read

extension Section {
  /// Notes what a setting was read as; `nil` for nothing.
  package func settle(_ name: String, as value: JSONValue?) {
    log.settings.settle(name, of: node, as: value)
  }

  private func settled<Value>(
    _ name: String,
    _ value: Value,
    _ json: (Value) -> JSONValue
  ) -> Value {
    settle(name, as: json(value))
    return value
  }
}

// MARK: - Values

extension Section {
  package func text(_ name: String) -> String? {
    guard let text = node(name).flatMap({ text(of: $0) }) else { return nil }
    return settled(name, text) { .string($0) }
  }

  package func text(_ name: String, else fallback: String) -> String {
    text(name) ?? settled(name, fallback) { .string($0) }
  }

  package func requiredText(_ name: String) -> String {
    guard let text = requiredNode(name).flatMap({ text(of: $0) }) else { return "" }
    return settled(name, text) { .string($0) }
  }

  package func text(of node: SettingNode) -> String? {
    if case .scalar(let scalar) = node.value {
      switch scalar {
      case .string(let text): return text
      case .number(let number): return number.literal
      case .null, .boolean, .array, .object: break
      }
    }
    log.add(at: node, "expected text and found \(node.kindName)", cure: "write text here")
    return nil
  }

  /// A list of texts; one text alone is a list of one.
  package func texts(_ name: String) -> [String] {
    guard let node = node(name) else { return [] }
    let texts =
      if case .list(let elements) = node.value {
        elements.compactMap { text(of: $0) }
      } else { [text(of: node)].compactMap(\.self) }
    return settled(name, texts) { .array($0.map { .string($0) }) }
  }

  package func flag(_ name: String, else fallback: Bool) -> Bool {
    guard let node = node(name) else { return settled(name, fallback) { .boolean($0) } }
    if case .scalar(.boolean(let flag)) = node.value { return flag }
    log.add(
      at: node,
      "expected true or false and found \(node.kindName)",
      cure: "write true or false"
    )
    return fallback
  }

  package func count(_ name: String, within bounds: ClosedRange<Int>) -> Int? {
    guard let node = node(name) else { return nil }
    if case .scalar(let scalar) = node.value, let integer = scalar.integer,
      let count = Int(exactly: integer), bounds.contains(count)
    {
      return settled(name, count) { .number(JSONNumber(Int64($0))) }
    }
    log.add(
      at: node,
      "expected a whole number from \(bounds.lowerBound) to \(bounds.upperBound)",
      cure: "write a number in that form"
    )
    return nil
  }

  package func count(_ name: String, within bounds: ClosedRange<Int>, else fallback: Int) -> Int {
    count(name, within: bounds) ?? settled(name, fallback) { .number(JSONNumber(Int64($0))) }
  }

  package func positiveNumber(_ name: String) -> Double? {
    guard let node = node(name) else { return nil }
    if case .scalar(let scalar) = node.value, let number = scalar.double, number > 0 {
      return number
    }
    log.add(at: node, "expected a number above zero", cure: "write a number in that form")
    return nil
  }

  /// One of the words that a type lists.
  package func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String,
    else fallback: Choice
  ) -> Choice {
    let words = Choice.allCases.map(\.rawValue)
    return settled(name, chosen(name, in: words).flatMap(Choice.init) ?? fallback) {
      .string($0.rawValue)
    }
  }

  /// One of these words; the first unless given.
  package func choice(_ name: String, of words: [String]) -> String {
    settled(name, chosen(name, in: words) ?? words[0]) { .string($0) }
  }

  /// The word of a setting.
  ///
  /// YAML's own null is a fault if a word is called so.
  private func chosen(_ name: String, in words: [String]) -> String? {
    let found = node(name) ?? (words.contains("null") ? members[name] : nil)
    return found.flatMap { choice(of: $0, in: words) }
  }

  /// Some of the words that a type lists; one alone is a list of one.
  package func choices<Choice: RawRepresentable<String> & CaseIterable>(_ name: String) -> [Choice]
  {
    guard let node = node(name) else { return [] }
    let choices: [Choice] =
      if case .list(let elements) = node.value {
        elements.compactMap { choice(of: $0) }
      } else { [choice(of: node)].compactMap(\.self) }
    return settled(name, choices) { .array($0.map { .string($0.rawValue) }) }
  }

  private func choice<Choice: RawRepresentable<String> & CaseIterable>(
    of node: SettingNode
  ) -> Choice? {
    choice(of: node, in: Choice.allCases.map(\.rawValue)).flatMap(Choice.init)
  }

  private func choice(of node: SettingNode, in words: [String]) -> String? {
    let text: String? =
      if case .scalar(let scalar) = node.value { scalar.text } else { nil }
    if let text, words.contains(text) { return text }
    let written = words.map { $0 == "null" ? "\"null\"" : $0 }
    let nearest = text.flatMap { NearestWord.to($0, among: words) }
    log.add(
      at: node,
      "“\(text ?? node.kindName)” is not known at this place",
      cure: (nearest.map { "write “\($0)”, or " } ?? "")
        + "use one of: \(written.joined(separator: ", "))"
    )
    return nil
  }

  /// An Internet media type, with parameters or without: `text/plain;charset=utf-8`.
  package func mediaType(of node: SettingNode) -> String? {
    guard let text = text(of: node) else { return nil }
    let known = ["application", "audio", "font", "image", "message", "model", "text", "video"]
    var example = "image/png"
    if let type = text.wholeMatch(
      of: /([\w.+-]+)\/([\w!#$&^.+-]+)(?: *;[ -~]*)?/.asciiOnlyWordCharacters()
    ) {
      let nearest = NearestWord.to(String(type.1), among: known)
      if nearest == nil || nearest == type.1.lowercased() || type.1.hasPrefix("x-") { return text }
      example = "\(nearest ?? "")/\(type.2)"
    }
    log.add(at: node, "“\(text)” is not a media type", cure: "write it like \(example)")
    return nil
  }

  /// A length of time: `60s`, `500ms`, `2m`.
  package func duration(_ name: String) -> Duration? {
    guard let node = node(name) else { return nil }
    if let text = text(of: node), let duration = Duration(setting: text) {
      return settled(name, duration) { .string($0.setting) }
    }
    log.add(at: node, "expected a length of time", cure: "write it like 500ms, 60s or 2m")
    return nil
  }

  package func duration(_ name: String, else fallback: Duration) -> Duration {
    duration(name) ?? settled(name, fallback) { .string($0.setting) }
  }
}

// MARK: - Sections and lists inside

extension Section {
  package func section(_ name: String) -> Section? {
    node(name).map { Section($0, log: log) }
  }

  package func requiredSection(_ name: String) -> Section? {
    requiredNode(name).map { Section($0, log: log) }
  }

  /// The names and values of a section inside this one, or none.
  package func members(_ name: String) -> [SettingNode.Member] {
    section(name)?.all() ?? []
  }

  /// The name of an entity; one that cannot be is a fault.
  package func entityName(_ text: String, at node: SettingNode) -> EntityName? {
    if let name = EntityName(text) { return name }
    log.add(at: node, "“\(text)” cannot name an entity", cure: "use the name in the store's model")
    return nil
  }
}
