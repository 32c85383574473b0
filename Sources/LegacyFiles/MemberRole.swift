/// What a member of an object says of the text beside it, reported by name.
///
/// Names are compared without case and marks: `senderName`, `sender_name` and `Sender Name` are one.
enum MemberRole: Hashable {
  case text(rank: Int)
  case date(rank: Int)
  case game
  /// Who wrote it; the lower the rank, the surer it is.
  case person(PersonName)
  /// The other side of a private message, who wrote it only if it was received.
  case counterpart(isID: Bool)
  /// A title, or a person's name.
  case name
  case direction(Direction)
  /// Whether, or from whom, it was forwarded.
  case forward
  /// Another message that this one answers or quotes.
  case quote
  /// A part of the object that may say more of it.
  case envelope

  struct PersonName: Hashable {
    let rank: Int
    let isID: Bool
    /// Whether it is the bare word, `sender`, rather than `sender_name`.
    let isBare: Bool
    /// Whether it may name the other side as well.
    let isWeak: Bool
  }

  enum Direction: Hashable {
    /// True for a message of the owner, or, where it is turned, for one of another person.
    case flag(isOwn: Bool)
    /// States only when it has this value: the message is another person's.
    case othersOnly(if: Bool)
    /// A word that is to be read.
    case word
    /// A kind of anything, which may be a direction.
    case kind
    /// A part that another device has, which may be that of the owner or of the other side.
    case side
  }

  /// Letters in small and digits; nothing else of a name counts.
  static func normal(_ name: String) -> String {
    var normal = String.UnicodeScalarView()
    for scalar in name.unicodeScalars {
      if scalar.isASCII {
        let value = UInt8(scalar.value)
        switch value {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): normal.append(Unicode.Scalar(value | 0x20))
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
          normal.append(scalar)
        default: break
        }
      } else {
        normal.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
      }
    }
    return String(normal)
  }

  static let texts = [
    "text", "sharedtext", "body", "message", "content", "contents", "messagetext", "messagebody",
    "textcontent", "plaintext", "msg", "conversation", "caption", "nachricht", "mensaje",
    "mensagem",
    "messaggio", "bericht", "texto", "testo", "сообщение", "текст", "消息", "内容", "內容",
    "メッセージ", "메시지",
  ]
  static let dates = [
    "date", "time", "timestamp", "ts", "timestampms", "createdat", "sentat", "createddate",
    "createddatetime", "messagedate", "datetime", "messagetimestamp", "originserverts",
    "originalarrivaltime", "sentdate", "senttime", "datesent", "created", "servertimestamp",
    "datum",
    "fecha", "zeit", "hora", "дата", "日期", "时间", "時間", "日時", "날짜",
  ]

  /// The role of a member with a name that is known; `nil` for all others.
  static func known(_ name: String) -> MemberRole? {
    guard name.utf8.count <= 48 else { return nil }
    let name = normal(name)
    if let rank = texts.firstIndex(of: name) { return .text(rank: rank) }
    if let rank = dates.firstIndex(of: name) { return .date(rank: rank) }
    return about(name)
  }

  /// The role of a member that says whose a text is.
  static func ofAuthor(_ name: String) -> MemberRole? {
    name.utf8.count <= 48 ? about(normal(name)) : nil
  }

  private static func about(_ name: String) -> MemberRole? {
    if let direction = directions[name] { return .direction(direction) }
    switch name {
    case "name": return .name
    case "game": return .game
    case "address", "contactnumber", "contactaddress": return .counterpart(isID: true)
    case "contact", "contactname": return .counterpart(isID: false)
    case "key", "id", "header", "headers", "info", "meta", "metadata", "contextinfo", "threadid",
      "servicecenter":
      return .envelope
    default: break
    }
    if isForward(name) { return .forward }
    if isQuote(name) { return .quote }
    return person(name).map { .person($0) }
  }

  private static let directions: [String: Direction] = {
    var found: [String: Direction] = [:]
    for name in [
      "isfromme", "fromme", "frommyself", "isfrommyself", "sentbyme", "issentbyme", "sentfromme",
      "isoutgoing", "outgoing", "isoutbound", "outbound", "ismine", "mine", "isself", "fromself",
      "isfromself", "isown", "own", "isme", "issender", "issend", "issent", "byme", "isbyme",
    ] {
      found[name] = .flag(isOwn: true)
    }
    for name in [
      "isincoming", "incoming", "isinbound", "inbound", "isreceived", "isfromthem", "fromthem",
      "isfromother", "fromother",
    ] {
      found[name] = .flag(isOwn: false)
    }
    found["sent"] = .othersOnly(if: false)
    found["received"] = .othersOnly(if: true)
    for name in ["side", "role", "party"] { found[name] = .side }
    for name in ["direction", "messagedirection", "msgdirection", "dir", "flow"] {
      found[name] = .word
    }
    for name in [
      "type", "kind", "box", "msgbox", "messagebox", "mailbox", "folder", "boxtype", "smstype",
      "messagetype", "msgtype",
    ] {
      found[name] = .kind
    }
    return found
  }()

  private static func isForward(_ name: String) -> Bool {
    // How often others sent it on, and whether they may, says nothing of where it comes from.
    guard !name.hasSuffix("count"), name != "forwards", name != "noforwards" else { return false }
    return name.contains("forward") || name.contains("fwd") || name.contains("repost")
      || ["savedfrom", "sharedfrom", "crosspost", "viaforward", "messagesnapshots"].contains(name)
      || name.hasPrefix("original") && person(String(name.dropFirst(8))) != nil
  }

  private static func isQuote(_ name: String) -> Bool {
    name.contains("quot") || name.hasPrefix("repl") || name.hasPrefix("inreply")
      || [
        "referencedmessage", "originalmessage", "parentmessage", "threadparent", "messagereference",
        "reference",
      ].contains(name)
  }

  /// Words for who wrote something, the best first.
  private static let persons = [
    "sender", "from", "author", "creator", "user", "sentby", "postedby", "writtenby", "createdby",
    "sharedby", "poster", "writer", "player", "speaker", "talker", "participant", "member", "nick",
    "handle", "push", "screen", "actor", "originator", "initiator", "commenter", "owner", "login",
    "who", "by", "u", "person", "display", "full", "source", "bot",
    "absender", "verfasser", "autor", "auteur", "autore", "expéditeur", "remitente", "remetente",
    "mittente", "afzender", "avsändare", "отправитель", "автор", "发送者", "发送人", "发件人", "寄件者",
    "送信者", "差出人", "보낸사람", "보낸이",
  ]
  /// Those of them that are no person alone.
  private static let incomplete: Set<String> = [
    "push", "screen", "display", "full", "source", "bot",
  ]
  private static let nameEndings: Set<String> = [
    "", "name", "names", "fullname", "displayname", "nick", "nickname", "username", "firstname",
    "title", "label", "login", "handle",
  ]
  private static let idEndings: Set<String> = [
    "id", "uid", "uuid", "guid", "number", "phone", "phonenumber", "email", "emailaddress", "mail",
    "address", "jid", "mri", "serviceid", "uri", "userid", "deviceid", "accountid",
  ]

  private static func person(_ name: String) -> PersonName? {
    var names = [name]
    for start in ["message", "msg", "chat", "real"] where name.hasPrefix(start) {
      names.append(String(name.dropFirst(start.count)))
    }
    for name in names {
      for (rank, word) in persons.enumerated() where name.hasPrefix(word) {
        let ending = String(name.dropFirst(word.count))
        if ending.isEmpty, incomplete.contains(word) { continue }
        // A `uid` may be that of the message.
        if word == "u", !ending.isEmpty { continue }
        guard nameEndings.contains(ending) || idEndings.contains(ending) else { continue }
        return PersonName(
          rank: rank,
          isID: idEndings.contains(ending),
          isBare: ending.isEmpty,
          isWeak: word == "display" || word == "full"
        )
      }
    }
    return nil
  }
}
