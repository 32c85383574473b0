import JSONText
import Records

/// Which members of an object hold what somebody shared, and when, and who it was.
///
/// | the program | text | date | sender |
/// |---|---|---|---|
/// | Telegram | `text`, perhaps in pieces | `date` | `from` |
/// | Slack | `text` | `ts` | `user` |
/// | Discord | `content` | `timestamp` | `author`, with a `name` |
///
/// An object is a message when it has a text and beside it a date or a sender, or when a person named
/// the member of its text.
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
      else: ["sender", "from", "author", "user", "sender_name", "author_name"]
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
    let sender: String?
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
    let said = [dates, senders].joined()
    guard isTextNamed || said.contains(where: { value($0) != nil }) else { return nil }
    for name in texts {
      guard let text = value(name).flatMap(Self.text) else { continue }
      let told = [dates, senders, games].map { names in names.first { value($0) != nil } }
      let found = told.map { $0.flatMap(value) }
      return Message(
        text: text,
        reading: date(found[0]),
        sender: found[1].flatMap(Self.sender),
        game: found[2]?.text,
        members: Set(([name] + told.compactMap(\.self)).map(\.description))
      )
    }
    return nil
  }

  /// The message that an object of a document is; `nil` for anything else.
  func message(of object: JSONNode, in document: JSONDocument) -> Message? {
    message { name in
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
      for name in ["name", "$date"] as [JSONName] {
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

  /// Who sent a message: a name, or an object with one.
  static func sender(_ value: JSONValue) -> String? {
    value.text ?? value["name"]?.text
  }
}
