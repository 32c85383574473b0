import JSONText

/// Who wrote a text, as the members beside it and around it say.
package struct Authorship: Hashable, Sendable {
  /// The name of who sent it; `nil` for the owner, and where it is not stated.
  package var sender: String?
  /// What distinguishes the sender from another one of the same name.
  package var senderID: String?
  /// Whether the owner of the file sent it; `nil` where the file does not state.
  package var isOwn: Bool?
  /// Why it cannot be known whose the text is, although the file speaks of it.
  package var fault: String?

  package init(
    sender: String? = nil,
    senderID: String? = nil,
    isOwn: Bool? = nil,
    fault: String? = nil
  ) {
    (self.sender, self.senderID, self.isOwn, self.fault) = (sender, senderID, isOwn, fault)
  }

  /// Who is called so that the file says nothing but that it is another person.
  static let unknown = "(Unknown)"

  /// A text inside of what another message quotes or forwards.
  static let quoted = Authorship(fault: "it is quoted or forwarded, and who wrote it is not said")
}

/// The members of one object that say who wrote its text.
struct AuthorMembers {
  private var persons: [(name: MemberRole.PersonName, value: JSONValue)] = []
  private var counterpartNames: [JSONValue] = []
  private var counterpartIDs: [JSONValue] = []
  private var title: JSONValue?
  private var directions: [(name: String, direction: MemberRole.Direction, value: JSONValue)] = []
  private var forward: String?
  private var hasThread = false

  /// Takes note of a member.
  mutating func add(_ name: String, _ role: MemberRole?, _ value: JSONValue) {
    if value.isNull || value.text?.isEmpty == true { return }
    switch role {
    case .person(let person):
      guard value.boolean == nil, Self.isSet(value) || value.integer == 0 else { return }
      persons.append((person, value))
    case .counterpart(isID: true): counterpartIDs.append(value)
    case .counterpart(isID: false): counterpartNames.append(value)
    case .name: title = value
    case .direction(let direction): directions.append((name, direction, value))
    case .forward: if Self.isSet(value) { forward = name }
    case .envelope:
      let part = MemberRole.normal(name)
      if part == "threadid" || part == "servicecenter" { hasThread = true }
      addAll(of: value, named: part)
    case .text(let rank): if MemberRole.texts[rank] == "body" { hasThread = true }
    case .quote: if Self.saysForward(value) { forward = name }
    case .date, .game, nil: break
    }
  }

  /// What a part of the object says of it; a message's context names those of another message.
  private mutating func addAll(of value: JSONValue, named part: String) {
    for member in value.object?.members ?? [] {
      switch MemberRole.ofAuthor(member.name) {
      case .forward: add(member.name, .forward, member.value)
      case .person(let person) where part != "contextinfo":
        add(member.name, .person(person), member.value)
      case .direction(let direction) where part != "contextinfo":
        add(member.name, .direction(direction), member.value)
      default: break
      }
    }
  }

  /// Whether a reference to another message is that of a forward: Discord writes a word or 1.
  private static func saysForward(_ reference: JSONValue) -> Bool {
    guard let type = reference["type"] else { return false }
    return type.integer == 1 || type.text?.lowercased() == "forward"
  }

  /// Whether a value says yes: anything but nothing, `false` and zero.
  private static func isSet(_ value: JSONValue) -> Bool {
    switch value {
    case .null: false
    case .boolean(let flag): flag
    case .number(let number): number.double != 0
    case .string(let text): !["", "0", "false", "no"].contains(text.lowercased())
    case .array(let elements): !elements.isEmpty
    case .object(let object): !object.isEmpty
    }
  }

  /// What they say of the text that the object has, or of those inside of it; `nil` for nothing.
  func authorship(of text: String?) -> Authorship? {
    var found = Authorship()
    let direction = direction
    found.isOwn = direction.isOwn
    found.fault = direction.fault
    if let forward { found.fault = "“\(forward)” says that it was forwarded" }
    let isPrivate = !counterpartIDs.isEmpty || !counterpartNames.isEmpty
    let person = person(isPrivate: isPrivate)
    switch found.isOwn {
    case true?: break
    case false?:
      let other = person ?? counterpart
      (found.sender, found.senderID) = (other?.name ?? Authorship.unknown, other?.id)
    case nil:
      if let person {
        (found.sender, found.senderID) = (person.name, person.id)
      } else if let text {
        if !persons.isEmpty {
          found.fault = found.fault ?? "what names its sender is not read"
        } else if isPrivate {
          found.fault = found.fault ?? "it does not say whether it was sent or received"
        } else if let name = title?.text, !Self.contains(text, name) {
          found.sender = name
        }
      }
    }
    return found == Authorship() ? nil : found
  }

  /// Whether a text says a word of its title, as that of a game.
  private static func contains(_ text: String, _ title: String) -> Bool {
    let (text, title) = (MemberRole.normal(text), MemberRole.normal(title))
    return title.isEmpty || text.contains(title)
  }

  // MARK: Persons

  private typealias Person = (name: String, id: String?)

  /// Who wrote it, by the best of the words for it.
  private func person(isPrivate: Bool) -> Person? {
    // A private message of a telephone says by `name` who the other side is.
    let ordered = persons.filter { !isPrivate || !$0.name.isWeak }.sorted { left, right in
      (left.name.rank, left.name.isBare ? 1 : 0) < (right.name.rank, right.name.isBare ? 1 : 0)
    }
    var name: (rank: Int, word: String)?
    var ids: [(rank: Int, word: String)] = []
    for person in ordered {
      if person.name.isID, let word = Self.word(person.value) {
        ids.append((person.name.rank, word))
      } else if let (word, id) = Self.person(person.value, depth: 0) {
        if let id { ids.append((person.name.rank, id)) }
        if let name {
          // `sender` beside `sender_name`.
          if name.rank == person.name.rank, id == nil { ids.append((name.rank, word)) }
        } else {
          name = (person.name.rank, word)
        }
      }
    }
    guard let name else { return ids.first.map { ($0.word, $0.word) } }
    let id = ids.first { $0.rank == name.rank } ?? ids.first
    return (name.word, id?.word)
  }

  private var counterpart: Person? {
    let weak = persons.filter(\.name.isWeak).map(\.value)
    let names = counterpartNames + weak + (title.map { [$0] } ?? [])
    let name = names.lazy.compactMap { Self.person($0, depth: 0)?.name }
      .first { $0 != Authorship.unknown }
    let id = counterpartIDs.lazy.compactMap { Self.person($0, depth: 0)?.name }.first
    guard let word = name ?? id else { return nil }
    return (word, id)
  }

  /// Who a value is: a name or a number, or an object with one.
  private static func person(_ value: JSONValue, depth: Int) -> Person? {
    if let elements = value.array {
      return elements.count == 1 ? person(elements[0], depth: depth + 1) : nil
    }
    guard let object = value.object else { return word(value).map { ($0, nil) } }
    var names: [String: JSONValue] = [:]
    for member in object.members where names[MemberRole.normal(member.name)] == nil {
      names[MemberRole.normal(member.name)] = member.value
    }
    func first(of known: [String]) -> String? {
      known.lazy.compactMap { names[$0].flatMap(word) }.first
    }
    // Whatever else is called an id or a name: `gaia_id`, `fallback_name`.
    func last(_ ending: String) -> String? {
      names.keys.filter { $0.hasSuffix(ending) }.sorted().lazy.compactMap {
        names[$0].flatMap(word)
      }
      .first
    }
    let id = first(of: ids) ?? last("id")
    if let name = first(of: Self.names) ?? last("name") ?? id { return (name, id) }
    // Microsoft writes `from: { user: { displayName … } }`.
    guard depth < 2 else { return nil }
    for inner in ["user", "person", "profile", "emailaddress", "application"] {
      if let found = names[inner].flatMap({ person($0, depth: depth + 1) }) { return found }
    }
    return nil
  }

  private static let names = [
    "name", "displayname", "fullname", "realname", "username", "login", "nickname", "nick",
    "screenname", "title", "handle", "firstname",
  ]
  private static let ids = [
    "id", "userid", "uuid", "guid", "email", "emailaddress", "address", "phone", "phonenumber",
    "number", "jid",
  ]

  private static func word(_ value: JSONValue) -> String? {
    switch value {
    case .string(let text): text.isEmpty ? nil : text
    case .number(let number): number.literal
    case .null, .boolean, .array, .object: nil
    }
  }

  // MARK: Directions

  private var direction: (isOwn: Bool?, fault: String?) {
    var answers: Set<Bool> = []
    for (name, direction, value) in directions {
      switch direction {
      case .flag(let isOwn):
        guard let flag = Self.flag(value) else { return (nil, Self.unread(name)) }
        answers.insert(flag == isOwn)
      case .othersOnly(let flag):
        if case .boolean(flag) = value { answers.insert(false) }
      case .word:
        guard let isOwn = Self.isOwn(value, isShort: true) else { return (nil, Self.unread(name)) }
        answers.insert(isOwn)
      case .side: if let isOwn = Self.isOwn(value, isShort: true) { answers.insert(isOwn) }
      case .kind:
        if let isOwn = Self.isOwn(value, isShort: false) ?? isOwn(box: value, name) {
          answers.insert(isOwn)
        }
      }
    }
    guard answers.count < 2 else { return (nil, "it says both that it was sent and received") }
    return (answers.first, nil)
  }

  private static func unread(_ name: String) -> String {
    "“\(name)” says whether it was sent or received, in a form that is not read"
  }

  private static func flag(_ value: JSONValue) -> Bool? {
    switch value {
    case .boolean(let flag): return flag
    case .number(let number):
      let number = number.double
      return number == 1 ? true : number == 0 ? false : nil
    case .string(let text):
      switch text.lowercased() {
      case "true", "yes", "1", "y": return true
      case "false", "no", "0", "n": return false
      default: return nil
      }
    case .null, .array, .object: return nil
    }
  }

  /// What a word says; a short one counts only where a direction is named.
  private static func isOwn(_ value: JSONValue, isShort: Bool) -> Bool? {
    guard let text = value.text else { return nil }
    let words = text.lowercased().split { !$0.isLetter }.map(String.init)
    let others: Set = ["incoming", "inbound", "received", "inbox"]
    let own: Set = ["outgoing", "outbound", "sent", "outbox"]
    if words.contains(where: others.contains) { return false }
    if words.contains(where: own.contains) { return true }
    guard isShort, let word = words.last else { return nil }
    if ["in", "receive", "recv", "them", "theirs", "other", "left"].contains(word) { return false }
    return ["out", "send", "me", "mine", "self", "right"].contains(word) ? true : nil
  }

  /// The boxes of a telephone: what lies in 1 was received, in 2 to 6 written by its owner.
  private func isOwn(box value: JSONValue, _ name: String) -> Bool? {
    let isBox = MemberRole.normal(name).contains("box") || MemberRole.normal(name) == "smstype"
    guard isBox || !counterpartIDs.isEmpty || hasThread && persons.isEmpty else { return nil }
    return Self.isOwn(box: value.text ?? value.integer.map { String($0) })
  }

  /// Whether the owner of a telephone wrote what lies in a box of it; `nil` for other boxes.
  static func isOwn(box: String?) -> Bool? {
    switch box {
    case "1": false
    case "2", "3", "4", "5", "6": true
    default: nil
    }
  }
}
