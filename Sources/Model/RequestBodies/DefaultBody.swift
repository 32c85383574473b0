import JSONText
package import ProfileSettings
package import Records

/// The body of an entity that a profile does not write out: each member of the record under its own
/// name, or under the name and in the form that the conventions give to what it holds.
package struct DefaultBody {
  /// One member of the entity's records.
  package struct Member {
    let name: String
    let content: MemberContent
    /// What it holds by itself, where it is the identity.
    let plain: MemberContent
    /// The entities whose records it names; none where it names none, or the profile does not say which.
    let targets: [EntityName]

    package init(
      name: String,
      content: MemberContent,
      plain: MemberContent,
      targets: [EntityName]
    ) {
      self.name = name
      self.content = content
      self.plain = plain
      self.targets = targets
    }
  }

  let members: [Member]
  /// How members of each content are sent, by the words of ``MemberContent``.
  let conventions: SettingNode?
  let names: NameForm
  /// Whether media files are sent.
  let sendsFiles: Bool
  /// The entities that are sent no earlier than this one, itself among them.
  let later: Set<EntityName>
  /// Where the records of each entity are, which is what a reference may have to say of them.
  let collections: [EntityName: SettingNode]
  /// Where the entity's own records are.
  let collection: SettingNode?
  let log: FaultLog

  package init(
    members: [Member],
    conventions: SettingNode?,
    names: NameForm,
    sendsFiles: Bool,
    later: Set<EntityName>,
    collections: [EntityName: SettingNode],
    collection: SettingNode?,
    log: FaultLog
  ) {
    self.members = members
    self.conventions = conventions
    self.names = names
    self.sendsFiles = sendsFiles
    self.later = later
    self.collections = collections
    self.collection = collection
    self.log = log
  }

  /// The entity's block with every member that it says nothing of in `body`, `compare`, `types` and
  /// `unmapped`.
  package func completed(_ block: SettingNode) -> SettingNode {
    let given = block["body"] ?? block.holding(.section([]))
    let rules = BodyReader(log: FaultLog(file: block.file)).rules(
      Section(given, log: FaultLog(file: block.file))
    )
    let isWhole = rules.contains { if case .record = $0.source { true } else { false } }
    var made = Made(block: block, taken: Set(given.members.map(\.name)))
    let used = Set(rules.flatMap(\.uses).compactMap(\.path.names.first) + block.placelessMembers)
    for member in members where !isWhole && !used.contains(member.name) {
      add(member, to: &made)
    }
    for (field, rule) in zip(given.members, rules) where !field.value.isNothing {
      add(field, rule, to: &made)
    }
    return made.completedBlock
  }

  /// Adds a field that the profile writes out.
  ///
  /// One that sends a member of the record as it is follows the convention of what that holds. A field beside that of
  /// the identity has the key as any other value.
  private func add(_ field: SettingNode.Member, _ rule: RequestFieldRule, to made: inout Made) {
    guard rule.uses.count == 1, let path = rule.uses.first?.path, path.names.count == 1,
      let member = members.first(where: { $0.name == path.names[0] })
    else {
      made.body.append(field)
      return
    }
    guard let convention = convention(of: member, in: field.name), convention.json != "unmapped"
    else {
      made.body.append(typed(field, member, made.block))
      return
    }
    let (whole, compare, type) = self.rule(of: member, convention, at: field.value)
    let isPlain = field.value.json.text != nil && whole["field"] != nil || whole["file"] != nil
    made.body.append(
      isPlain ? field.value.member(field.name, whole) : typed(field, member, made.block)
    )
    if let route = route(of: field.name, convention) {
      made.files.append(field.value.member(field.name, route))
    }
    if let compare { made.compare.append(field.value.member(field.name, compare)) }
    if let type { made.types.append(field.value.member(field.name, type)) }
  }

  /// The convention of a member in the field of a name; in that of its own where none is given.
  private func convention(of member: Member, in field: String? = nil) -> SettingNode? {
    let own = convention(of: member.content)
    guard let field, member.content == .identity, field != name(of: member, own) else { return own }
    return convention(of: member.plain)
  }

  private func convention(of content: MemberContent) -> SettingNode? {
    content.kinds.lazy.compactMap { conventions?[$0.rawValue] }.first
  }

  /// What is put beside the settings of an entity's block.
  private struct Made {
    let block: SettingNode
    var taken: Set<String>
    /// The member that got each name by itself.
    var names: [String: String] = [:]
    var body: [SettingNode.Member] = []
    var compare: [SettingNode.Member] = []
    var types: [SettingNode.Member] = []
    var files: [SettingNode.Member] = []
    var unmapped: [SettingNode] = []

    var completedBlock: SettingNode {
      var completed = block.setting("body", to: block.holding(.section(body)))
      for (name, added) in [("compare", compare), ("types", types), ("files", files)]
      where !added.isEmpty {
        let lower = block.holding(.section(added))
        completed = completed.setting(name, to: block[name].map { $0.laid(over: lower) } ?? lower)
      }
      guard !unmapped.isEmpty else { return completed }
      let listed = block["unmapped"].map { node in
        if case .list(let elements) = node.value { elements } else { [node] }
      }
      return completed.setting(
        "unmapped",
        to: block.holding(.list((listed ?? []) + unmapped))
      )
    }
  }

  private func add(_ member: Member, to made: inout Made) {
    let convention = convention(of: member)
    let block = made.block
    if convention.map({ $0.json == "unmapped" }) ?? (member.content == .address)
      || member.content == .media && !sendsFiles && convention?["route"] == nil
    {
      if member.content != .address { made.unmapped.append(block.text(member.name)) }
      return
    }
    let name = name(of: member, convention)
    guard made.taken.insert(name).inserted else {
      if let other = made.names[name] {
        log.add(
          at: block,
          "“\(other)” and “\(member.name)” would both be sent as “\(name)”",
          cure: "give one of them another name in “body”"
        )
      }
      return
    }
    made.names[name] = member.name
    let (rule, compare, type) = rule(of: member, convention, at: block)
    made.body.append(block.member(name, rule))
    if let compare { made.compare.append(block.member(name, compare)) }
    if let type { made.types.append(block.member(name, type)) }
    if let route = route(of: name, convention) { made.files.append(block.member(name, route)) }
  }

  /// The route that takes a file of a record that is there, where files are fields of records.
  private func route(of name: String, _ convention: SettingNode?) -> SettingNode? {
    guard !sendsFiles, let route = convention?["route"] else { return nil }
    var values = ["name": route.text(name)]
    values["collection"] = collection
    return SettingVariables(values: values, log: log).filled(route)
  }

  private func name(of member: Member, _ convention: SettingNode?) -> String {
    names.applied(to: member.name, in: convention?["name"]?.json.text)
  }

  /// The rule of a member, with the settings of its convention, and how the field is compared and typed.
  private func rule(
    of member: Member,
    _ convention: SettingNode?,
    at block: SettingNode
  ) -> (rule: SettingNode, compare: SettingNode?, type: SettingNode?) {
    let source =
      switch member.content {
      case .reference, .references: "reference"
      case .media: convention?["route"] == nil || sendsFiles ? "media" : "file"
      case .identity, .address, .date, .boolean, .integer, .number, .decimal, .text, .uuid,
        .texts, .bytes, .list, .object, .any:
        "field"
      }
    var settings = convention?.members ?? []
    settings.removeAll { ["name", "compare", "type", "route"].contains($0.name) }
    // A field and a file are named by a path, in which a dot of the name itself is written `\.`.
    let isPath = source == "field" || source == "file"
    let place = isPath ? MemberPath(names: [member.name]).description : member.name
    settings.insert(block.member(source, block.text(place)), at: 0)
    // A record that is made later can only be named once it is there.
    if member.targets.contains(where: later.contains), convention?["on"] == nil {
      settings.append(block.member("on", block.text("complete")))
    }
    let rule = typed(block.member(member.name, block.holding(.section(settings))), member, block)
    return (rule.value, convention?["compare"], type(of: member, convention))
  }

  /// A reference with the collection of the record that it names, where requests state that beside its identity.
  private func typed(
    _ field: SettingNode.Member,
    _ member: Member,
    _ block: SettingNode
  ) -> SettingNode.Member {
    guard field.value["reference"] != nil, field.value["type"] == nil,
      block["shape"]?.mentions("type") == true, let place = collection(of: member)
    else { return field }
    return field.value.member(field.name, field.value.setting("type", to: place))
  }

  /// The type of a member; `nil` where it names the collection of a record that may be in several.
  private func type(of member: Member, _ convention: SettingNode?) -> SettingNode? {
    guard let type = convention?["type"], type.mentions("target") else {
      return convention?["type"]
    }
    return collection(of: member).map {
      SettingVariables(values: ["target": $0], log: log).filled(type)
    }
  }

  /// Where the records are that a member names; `nil` where they may be in several collections.
  private func collection(of member: Member) -> SettingNode? {
    member.targets.count == 1 ? collections[member.targets[0]] : nil
  }
}

extension SettingNode {
  /// A text in the place of this setting.
  fileprivate func text(_ text: String) -> SettingNode { holding(.scalar(.string(text))) }

  fileprivate func member(_ name: String, _ value: SettingNode) -> Member {
    Member(name: name, line: value.line, value: value)
  }

  /// The members of the record that an entity's block lists as without a place, or as the app's own
  /// keeping of the destination's identity.
  fileprivate var placelessMembers: [String] {
    let serverID = self["server-id"]
    return [self["unmapped"], serverID?["member"] ?? serverID].compactMap(\.self).flatMap { node in
      if case .list(let elements) = node.value {
        elements.compactMap(\.json.text)
      } else {
        [node.json.text].compactMap(\.self)
      }
    }
  }
}
