import JSONText
import Records

/// Which members of an object hold what a person shared, and when, and who it was.
///
/// | the program | text | date | whose it is |
/// |---|---|---|---|
/// | Telegram | `text`, perhaps in pieces | `date` | `from` and `from_id` |
/// | Slack | `text` | `ts` | `user`, `username` or `bot_id` |
/// | Discord | `content` | `timestamp` | `author`, with a `name` |
/// | Matrix | `content`, with a `body` | `origin_server_ts` | `sender` |
/// | Microsoft Teams | `body`, with a `content` | `createdDateTime` | `from`, with a `user` |
/// | a telephone | `body` | `date` | `type`, and `address` for the other side |
///
/// These are examples: ``MemberRole`` knows by its name what a member is. An object is a message when it has
/// a text and beside it a date or what says whose it is, or when a person named the member of its text.
/// A member that is null is not one.
struct MessageMembers {
  let unit: DateUnit?
  private let textField: String?
  private let dateField: String?
  private let senderField: String?
  private let gameField: String?
  /// What the names that were found are.
  private var roles: [String: MemberRole?] = [:]

  init(_ options: LegacyOptions) {
    unit = options.dateUnit
    textField = options.textField
    dateField = options.dateField
    senderField = options.senderField
    gameField = options.gameField
  }

  /// The names that a text is looked for under, for a person.
  var textNames: [String] { textField.map { [$0] } ?? MemberRole.texts }

  /// What the member called so is; `nil` for one that says nothing of a text beside it.
  mutating func role(of name: String) -> MemberRole? {
    if let role = roles[name] { return role }
    let role = newRole(of: name)
    if roles.count < Self.mostNames { roles[name] = .some(role) }
    return role
  }

  /// So many names are remembered.
  private static let mostNames = 4_096

  private func newRole(of name: String) -> MemberRole? {
    if name == textField { return .text(rank: 0) }
    if name == dateField { return .date(rank: 0) }
    if name == gameField { return .game }
    if name == senderField {
      return .person(MemberRole.PersonName(rank: -1, isID: false, isBare: true, isWeak: false))
    }
    switch MemberRole.known(name) {
    case .text where textField != nil, .date where dateField != nil, .game where gameField != nil:
      return nil
    // The member that a person named says it, and no other one.
    case .person where senderField != nil, .name where senderField != nil: return nil
    case let role: return role
    }
  }

  /// What an object says of a text that a person shared.
  struct Message {
    let text: String
    let reading: DateReading
    var authorship: Authorship?
    let game: String?

    /// The members that state it.
    fileprivate let members: [String]

    /// Whether a member holds the message, or its text once more with its marks.
    func isReported(by name: String?) -> Bool {
      guard let name else { return false }
      return members.contains(name) || name == "text_entities" || name == "blocks"
    }
  }

  /// What an object says of itself, and of what is inside of it.
  struct Facts {
    var message: Message?
    /// The message that it is where it has a text and nothing else of one.
    var bareMessage: Message?
    var authorship: Authorship?
    /// Its date, for what is inside of it; `nil` where it says none or the message has taken it.
    var reading: DateReading?
  }

  private typealias Member = (name: String, role: MemberRole, value: JSONValue)

  /// What the members of an object say; `nil` where none has a role.
  mutating func facts(of object: JSONObject) -> Facts? {
    var members: [Member] = []
    for member in object.members {
      if let role = role(of: member.name) { members.append((member.name, role, member.value)) }
    }
    return facts(of: members)
  }

  /// What an object of a document says; `nil` where no member of it has a role.
  mutating func facts(of object: JSONNode, in document: JSONDocument) -> Facts? {
    var members: [Member] = []
    var children = document.children(of: object)
    while let (name, node) = document.next(&children) {
      guard let name, let role = role(of: name) else { continue }
      members.append((name, role, Self.value(of: node, in: document, depth: 3)))
    }
    return facts(of: members)
  }

  private func facts(of members: [Member]) -> Facts? {
    guard !members.isEmpty else { return nil }
    var texts: [(rank: Int, name: String, text: String)] = []
    var dates: [(rank: Int, name: String, value: JSONValue)] = []
    var game: (name: String, value: JSONValue)?
    var authors = AuthorMembers()
    for (name, role, value) in members where !value.isNull {
      switch role {
      case .text(let rank):
        if let text = Self.text(value) { texts.append((rank, name, text)) }
      case .date(let rank): dates.append((rank, name, value))
      case .game: game = game ?? (name, value)
      default: break
      }
      authors.add(name, role, value)
    }
    let text = texts.min { $0.rank < $1.rank }
    let date = dates.min { $0.rank < $1.rank }
    var facts = Facts()
    facts.authorship = authors.authorship(of: text?.text)
    let reading = self.date(date?.value, named: date?.name ?? "")
    guard let text, textField != nil || date != nil || facts.authorship != nil else {
      if date != nil, facts.authorship != nil { facts.reading = reading }
      if let text {
        facts.bareMessage = Message(
          text: text.text,
          reading: reading,
          game: nil,
          members: [text.name]
        )
      }
      return facts
    }
    var explained = [text.name] + [date?.name, game?.name].compactMap(\.self)
    for member in members {
      switch member.role {
      case .person, .counterpart, .direction: explained.append(member.name)
      case .text, .date, .game, .name, .forward, .quote, .envelope: break
      }
    }
    facts.message = Message(
      text: text.text,
      reading: reading,
      authorship: facts.authorship,
      game: game?.value.text,
      members: explained
    )
    return facts
  }

  /// What a value may state: of a container no more than a message has, however much it holds.
  private static func value(
    of node: JSONNode,
    in document: JSONDocument,
    depth: Int
  ) -> JSONValue {
    switch document.kind(of: node) {
    case .null, .boolean, .number, .string: return document.value(of: node)
    case .object:
      guard depth > 0, document.count(of: node) <= mostMembers else { return .object([:]) }
      var object = JSONObject()
      var children = document.children(of: node)
      while let (name, child) = document.next(&children) {
        if let name { object[name] = value(of: child, in: document, depth: depth - 1) }
      }
      return .object(object)
    case .array:
      guard depth > 0, document.count(of: node) <= mostPieces else { return .array([]) }
      var pieces: [JSONValue] = []
      document.forEachElement(of: node) { piece in
        pieces.append(value(of: piece, in: document, depth: depth - 1))
      }
      return .array(pieces)
    }
  }

  /// An object with more members is looked at no further.
  private static let mostMembers = 64
  /// A text in more pieces is no message.
  private static let mostPieces = 10_000

  /// The text for the date of a message.
  ///
  /// - Parameters:
  ///   - value: What the member holds.
  ///   - name: What the member is called: one that ends in `_ms` counts milliseconds since 1970.
  /// - Returns: The date, or why it is not read.
  func date(_ value: JSONValue?, named name: String = "") -> DateReading {
    let unit = unit ?? (name.hasSuffix("_ms") ? .millisecondsSince1970 : nil)
    return DateReading(value, unit: unit, naming: "--date-field")
  }

  /// A text, which may be in pieces, texts and objects with a `text`, or inside of an object.
  private static func text(_ value: JSONValue) -> String? {
    if let object = value.object {
      let inner = object.members.compactMap { member -> (rank: Int, text: String)? in
        guard case .text(let rank) = MemberRole.known(member.name), let text = member.value.text
        else { return nil }
        return (rank, text)
      }
      return inner.min { $0.rank < $1.rank }?.text
    }
    guard let pieces = value.array else { return value.text }
    guard !pieces.isEmpty else { return nil }
    var text = ""
    for piece in pieces {
      guard let more = piece.text ?? piece["text"]?.text else { return nil }
      text += more
    }
    return text
  }
}
