import JSONText
import Records

/// Which members of an object hold what somebody shared, and when, and who it was.
///
/// | the program | text | date | sender |
/// |---|---|---|---|
/// | Telegram | `text`, perhaps in pieces | `date` | `from`, else `from_id` |
/// | Slack | `text` | `ts` | `user`, else `username` or `bot_id` |
/// | Discord | `content` | `timestamp` | `author`, with a `name` |
///
/// An object is a message when it has a text and beside it a date or a sender, or when a person named
/// the member of its text. A member that is null is none.
struct MessageMembers {
  let texts: [JSONName]
  let dates: [JSONName]
  let senders: [JSONName]
  let games: [JSONName]
  let unit: DateUnit?
  private let isTextNamed: Bool

  init(_ options: LegacyOptions) {
    texts = Self.names(
      options.textField,
      else: ["text", "sharedText", "body", "message", "content"]
    )
    dates = Self.names(
      options.dateField,
      else: [
        "date", "time", "timestamp", "ts", "timestamp_ms", "createdAt", "created_at", "sent_at",
      ]
    )
    senders = Self.names(
      options.senderField,
      else: [
        "sender", "from", "author", "user", "sender_name", "author_name", "username", "from_id",
        "bot_id",
      ]
    )
    games = Self.names(options.gameField, else: ["game"])
    unit = options.dateUnit
    isTextNamed = options.textField != nil
  }

  private static func names(_ given: String?, else known: [String]) -> [JSONName] {
    (given.map { [$0] } ?? known).map { JSONName($0) }
  }

  /// What an object says of a text that somebody shared.
  struct Message {
    let text: String
    let reading: DateReading
    var sender: String?
    let game: String?

    /// The members that tell it.
    fileprivate let members: Set<String>

    /// Whether a member tells the message, or its text once more with its marks.
    func isTold(by name: String?) -> Bool {
      guard let name else { return false }
      return members.contains(name) || name == "text_entities" || name == "blocks"
    }
  }

  /// The message that an object is; `nil` for anything else.
  func message(_ value: (JSONName) -> JSONValue?) -> Message? {
    let moment = Self.first(dates, value)
    let person = Self.first(senders, value)
    guard isTextNamed || moment != nil || person != nil else { return nil }
    for name in texts {
      guard let text = value(name).flatMap(Self.text) else { continue }
      let game = Self.first(games, value)
      let told = [name] + [moment, person, game].compactMap { $0?.name }
      return Message(
        text: text,
        reading: date(moment?.value),
        sender: (person?.value).flatMap(Self.sender),
        game: game?.value.text,
        members: Set(told.map(\.description))
      )
    }
    return nil
  }

  /// The first of the members that is there.
  private static func first(
    _ names: [JSONName],
    _ value: (JSONName) -> JSONValue?
  ) -> (name: JSONName, value: JSONValue)? {
    for name in names {
      if let found = value(name), !found.isNull { return (name, found) }
    }
    return nil
  }

  /// The message that an object of a document is; `nil` for anything else.
  func message(of object: JSONNode, in document: JSONDocument) -> Message? {
    // Most objects have none of these, and are looked at no further.
    guard texts.contains(where: { document.member(of: object, $0) != nil }) else { return nil }
    return message { name in
      document.member(of: object, name).map { Self.told(by: $0, in: document) }
    }
  }

  /// What a value may tell: of a container no more than a message has, however much it holds.
  static func told(by node: JSONNode, in document: JSONDocument) -> JSONValue {
    func scalar(_ node: JSONNode, _ name: JSONName) -> JSONValue? {
      guard let member = document.member(of: node, name) else { return nil }
      let kind = document.kind(of: member)
      return kind == .object || kind == .array ? nil : document.value(of: member)
    }
    switch document.kind(of: node) {
    case .null, .boolean, .number, .string: return document.value(of: node)
    case .object:
      var object = JSONObject()
      for name in personMembers + ["$date"] {
        if let value = scalar(node, name) { object[name.description] = value }
      }
      return .object(object)
    case .array:
      guard document.count(of: node) <= mostPieces else { return .array([]) }
      var pieces: [JSONValue] = []
      document.forEachElement(of: node) { piece in
        let kind = document.kind(of: piece)
        if kind == .string {
          pieces.append(document.value(of: piece))
        } else {
          pieces.append((kind == .object ? scalar(piece, "text") : nil) ?? .null)
        }
      }
      return .array(pieces)
    }
  }

  /// A text in more pieces is no message.
  private static let mostPieces = 10_000

  /// What stands for the date of a message.
  func date(_ value: JSONValue?) -> DateReading {
    DateReading(value, unit: unit, naming: "--date-field")
  }

  /// A text, which may be in pieces: texts, and objects with a `text`.
  static func text(_ value: JSONValue) -> String? {
    guard let pieces = value.array else { return value.text }
    guard !pieces.isEmpty else { return nil }
    var text = ""
    for piece in pieces {
      guard let more = piece.text ?? piece["text"]?.text else { return nil }
      text += more
    }
    return text
  }

  /// Who sent a message: a name or a number, or an object with one.
  static func sender(_ value: JSONValue) -> String? {
    guard let object = value.object else { return word(value) }
    for member in personMembers {
      if let name = object[member.description].flatMap(Self.word) { return name }
    }
    return nil
  }

  /// What names a person in an object, the best first.
  private static let personMembers: [JSONName] = [
    "name", "display_name", "displayName", "username", "login", "id",
  ]

  private static func word(_ value: JSONValue) -> String? {
    switch value {
    case .string(let text): text.isEmpty ? nil : text
    case .number(let number): number.literal
    case .null, .boolean, .array, .object: nil
    }
  }
}
