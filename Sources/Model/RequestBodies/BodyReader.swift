import JSONText
package import ProfileSettings
import TextCodecs

/// Reads the `body` section of an entity's interface.
package struct BodyReader {
  let log: FaultLog
  /// The names of fields whose files have routes of their own, once the record is there.
  var routed: Set<String>
  /// The names of fields that no change sends, unless their rules say when they are sent.
  var fixed: Set<String>

  package init(log: FaultLog, routed: Set<String> = [], fixed: Set<String> = []) {
    self.log = log
    self.routed = routed
    self.fixed = fixed
  }

  package func rules(_ section: Section) -> [RequestFieldRule] {
    section.all().map { rule($0) }
  }

  /// `member: name` or `member: { field: name, … }`.
  private func rule(_ member: SettingNode.Member) -> RequestFieldRule {
    let section = Section(member.value.expanded(as: "field"), log: log)
    // A file is a part of the request that makes its record, unless a route of its own takes it.
    let fileStage: RequestFieldRule.Stage = routed.contains(member.name) ? .complete : .once
    let rule = RequestFieldRule(
      name: member.name,
      source: source(section),
      stage: section.has("file")
        ? fileStage : section.choice("on", else: fixed.contains(member.name) ? .once : .create),
      unless: section.node("unless")?.json,
      writing: writing(section),
      referenceType: section.has("reference") ? section.text("type") : nil
    )
    section.close()
    return rule
  }

  /// `as: epoch-ms`, or `as: { date: "yyyy-MM-dd HH:mm:ss" }`.
  private func writing(_ section: Section) -> RequestFieldRule.Writing {
    guard let node = section.node("as"), case .section = node.value else {
      return section.choice("as", else: WritingWord.plain).writing
    }
    let inner = Section(node, log: log)
    let text = inner.requiredText("date")
    inner.close()
    if let pattern = DatePattern(text) { return .date(pattern) }
    log.add(
      at: node,
      "“\(text)” is not a form of dates",
      cure:
        "write it in y, M, d, H, m, s, S and EEE: “yyyy-MM-dd HH:mm:ss”, with year, month and day"
    )
    return .plain
  }

  private func source(_ section: Section) -> RequestFieldRule.Source {
    let places = ["field", "list", "reference", "media", "file", "record", "constant"]
    if places.filter({ section.has($0) }).count != 1 {
      log.add(
        at: section.node,
        "a member of a body comes from exactly one place",
        cure: "give one of: \(places.joined(separator: ", "))"
      )
    }
    if section.has("list") { return .list(list(section)) }
    if let member = section.text("reference") { return .reference(member: member) }
    if let member = section.text("media") { return .media(member: member) }
    if section.has("file") { return .file(file(section)) }
    if let constant = section.node("constant") { return .constant(constant.json) }
    if section.has("record") {
      enum Whole: String, CaseIterable { case all }
      let _: Whole = section.choice("record", else: .all)
      return .record
    }
    return .field(field(section))
  }

  /// `{ file: picture, name: fileName, type: image/jpeg }`.
  private func file(_ section: Section) -> RequestFieldRule.FileRule {
    if let node = section.node("type") { _ = section.mediaType(of: node) }
    return RequestFieldRule.FileRule(
      member: MemberPath(section.requiredText("file")),
      name: section.text("name").map { MemberPath($0) },
      mediaType: section.text("type", else: "application/octet-stream")
    )
  }

  private func field(_ section: Section) -> RequestFieldRule.FieldRule {
    RequestFieldRule.FieldRule(
      member: MemberPath(section.text("field") ?? ""),
      fallback: section.node("default")?.json,
      map: map(section),
      spellings: spellings(section),
      letters: section.choice("case", else: .kept),
      longest: longest(section),
      scale: scale(section),
      within: section.duration("within")
    )
  }

  /// `[{ below: 2.5, to: -1 }, { to: 1 }]`: rising, and the last step for all others.
  private func scale(_ section: Section) -> [RequestFieldRule.Step] {
    guard let node = section.node("scale") else { return [] }
    guard case .list(let elements) = node.value else {
      log.add(
        at: node,
        "a scale is a list of steps",
        cure: "write [{ below: 2, to: 1 }, { to: 2 }]"
      )
      return []
    }
    let steps = elements.map { element in
      let inner = Section(element, log: log)
      let step = RequestFieldRule.Step(
        below: inner.positiveNumber("below"),
        value: inner.requiredNode("to")?.json ?? .null
      )
      inner.close()
      return step
    }
    let bounds = steps.map { $0.below ?? .infinity }
    if bounds.last != .infinity || zip(bounds, bounds.dropFirst()).contains(where: { $0 >= $1 }) {
      log.add(
        at: node,
        "the steps of a scale rise, and the last one has no “below”",
        cure: "put them in order"
      )
    }
    return steps
  }

  private func list(_ section: Section) -> RequestFieldRule.ListRule {
    RequestFieldRule.ListRule(
      members: section.texts("list").map { MemberPath($0) },
      isUnique: section.flag("unique", else: false),
      skipsBlank: section.flag("skip-blank", else: true),
      letters: section.choice("case", else: .kept),
      map: map(section),
      spellings: spellings(section)
    )
  }

  private func spellings(_ section: Section) -> [String: String] {
    Dictionary(
      section.members("map").map { ($0.name.lowercased(), $0.name) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  private func map(_ section: Section) -> [String: JSONValue] {
    var map: [String: JSONValue] = [:]
    for member in section.members("map") {
      map[member.name.lowercased()] = member.value.json
    }
    return map
  }

  private func longest(_ section: Section) -> RequestFieldRule.Longest? {
    let count = section.count("longest", within: 1...1_000_000_000)
    if let count {
      return RequestFieldRule.Longest(
        count: count,
        answer: section.choice("when-longer", else: .reject)
      )
    }
    if section.node("when-longer") != nil {
      log.add(
        at: section.node,
        "“when-longer” needs “longest”",
        cure: "give the longest text allowed"
      )
    }
    return nil
  }
}

extension RequestFieldRule.Writing {
  /// How the profile writes the form: a word, or a section.
  package var setting: String {
    if case .date(let pattern) = self { return "{ date: \"\(pattern)\" }" }
    return WritingWord.allCases.first { $0.writing == self }?.rawValue ?? ""
  }
}

/// The forms of values that a word alone names.
private enum WritingWord: String, CaseIterable {
  case plain, number, double, text, boolean, bit, utc, seconds
  case epoch
  case epochMilliseconds = "epoch-ms"
  case hex
  case base64URL = "base64url"
  case json

  var writing: RequestFieldRule.Writing {
    switch self {
    case .plain: .plain
    case .number: .number
    case .double: .double
    case .text: .text
    case .boolean: .boolean
    case .bit: .bit
    case .utc: .utc
    case .seconds: .seconds
    case .epoch: .epoch
    case .epochMilliseconds: .epochMilliseconds
    case .hex: .hex
    case .base64URL: .base64URL
    case .json: .json
    }
  }
}
