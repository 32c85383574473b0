import JSONText
import PropertyLists
import Records
import ResultGrammar
import ResultText

/// Looks through a JSON value for stored results, stored streaks and texts.
///
/// | an object with | is |
/// |---|---|
/// | `sharedText`, or `gameName` beside `completed` or `score` | a stored result |
/// | `currentStreak` and `maxStreak` | a stored streak |
/// | `gameName` as above, and `dateInt` without `date` | a score as it is published: no result |
/// | a text, and beside it a date or what says whose it is | a message, as ``MessageMembers`` says |
///
/// Any other text is a candidate; one inside of an object that says whose it is, is so too, unless it
/// lies in what the object quotes or forwards. What holds neither result
/// nor streak is noted by its name.
///
/// It looks at one value a step, so that nothing is held of what was found before.
struct JSONWalk {
  private var members: MessageMembers
  /// What was found and not taken yet.
  private var found: [LegacyItem] = []
  private var number = 0
  private var leftOutCount = 0
  /// How much was found that is more than a candidate.
  private(set) var usedCount = 0
  private var document: JSONDocument?
  /// Where the document is.
  private var start = ""
  /// The containers on the way from its root to the value at hand.
  private var levels: [Level] = []

  /// A container that is gone through.
  private struct Level {
    let depth: Int
    var children: JSONChildren
    /// The value at hand: the name of a member, or the place of an element, counted from one.
    var name: String?
    var index = 0
    /// The member of the root at hand, and how much was used before it.
    var member: (node: JSONNode, usedBefore: Int)?
    /// What the container itself says, if it is a message.
    var message: MessageMembers.Message?
    var context: Context
  }

  /// What the objects around a value say of it.
  struct Context {
    var authorship: Authorship?
    var reading: DateReading?

    /// What is said of the values inside of an object that says this of itself.
    func inside(_ facts: MessageMembers.Facts?) -> Context {
      var context = self
      if let own = facts?.authorship {
        // A forward alone does not say who sent it on.
        let isForward = own == Authorship(fault: own.fault) && own.fault != nil
        if isForward, let outer = authorship {
          context.authorship = outer
          context.authorship?.fault = own.fault
        } else {
          context.authorship = own
        }
      }
      if let reading = facts?.reading { context.reading = reading }
      return context
    }

    /// What is said of the values inside of a member.
    func inside(_ role: MemberRole?) -> Context {
      switch role {
      case .quote, .forward: Context(authorship: .quoted)
      default: self
      }
    }
  }

  init(_ options: LegacyOptions) { members = MessageMembers(options) }

  static let depthLimit = 64
  /// So many values without a result are named; of more there is a count.
  private static let leftOutLimit = 1_000

  /// Takes what was found so far.
  mutating func takeFound() -> [LegacyItem] {
    defer { found.removeAll(keepingCapacity: true) }
    return found
  }

  /// How much was left out beside what is named.
  var unlisted: LegacyItem? {
    let count = leftOutCount - Self.leftOutLimit
    guard count > 0 else { return nil }
    let cause = "\(count) more values, and no result among them"
    return .note(LegacyNote(code: "left-out", place: "", cause: cause))
  }

  /// Whether a document is looked through.
  var isWalking: Bool { document != nil }

  /// Begins to look through the value of `document`, which is at `place`, and perhaps in a message.
  mutating func begin(
    _ document: JSONDocument,
    place: String,
    depth: Int = 0,
    context: Context = Context()
  ) {
    self.document = document
    start = place
    look(at: document.root, in: document, depth: depth, context: context)
    if levels.isEmpty { self.document = nil }
  }

  /// Begins to look through what the message that the root of `document` is holds beside its text.
  mutating func begin(
    inside document: JSONDocument,
    place: String,
    _ message: MessageMembers.Message,
    context: Context
  ) {
    self.document = document
    start = place
    let children = document.children(of: document.root)
    levels = [Level(depth: 1, children: children, message: message, context: context)]
  }

  /// Looks at one value more.
  mutating func step() {
    guard let document, let last = levels.indices.last else { return document = nil }
    if let (node, usedBefore) = levels[last].member {
      noteLeftOut(Self.words(for: node, in: document), place: place, since: usedBefore)
      levels[last].member = nil
    }
    guard let (name, node) = document.next(&levels[last].children) else {
      levels.removeLast()
      if levels.isEmpty { self.document = nil }
      return
    }
    levels[last].name = name
    levels[last].index += 1
    let message = levels[last].message
    if message?.isReported(by: name) == true { return }
    let depth = levels[last].depth
    if depth == 0, name != nil, message == nil { levels[last].member = (node, usedCount) }
    let role: MemberRole? = if let name { members.role(of: name) } else { nil }
    let context = levels[last].context.inside(role)
    look(at: node, in: document, depth: depth + 1, context: context)
  }

  private mutating func look(
    at node: JSONNode,
    in document: JSONDocument,
    depth: Int,
    context: Context
  ) {
    guard depth < Self.depthLimit else {
      return note(
        "depth",
        place,
        "values lie more than \(Self.depthLimit) deep, and are not looked at"
      )
    }
    switch document.kind(of: node) {
    case .object:
      let kind = StoredObject.kind(of: node, in: document)
      if let kind, let object = document.value(of: node).object {
        if kind != .score { take(object, kind, place: place, context: context) }
        return
      }
      let facts = members.facts(of: node, in: document)
      let inside = context.inside(facts)
      if let message = facts?.message { take(message, place: place, context: inside) }
      levels.append(
        Level(
          depth: depth,
          children: document.children(of: node),
          message: facts?.message,
          context: inside
        )
      )
    case .array:
      levels.append(
        Level(depth: depth, children: document.children(of: node), context: context)
      )
    case .string:
      guard document.writtenSize(ofText: node) <= Self.longestText else {
        return noteLongText(place)
      }
      candidate(document.text(of: node), place: place, context: context)
    case .null, .boolean, .number: break
    }
  }

  /// Takes an object that an app stored.
  mutating func take(
    _ object: JSONObject,
    _ kind: StoredObject.Kind,
    place: String,
    context: Context
  ) {
    number += 1
    usedCount += 1
    var entry = StoredObject.entry(
      kind,
      object,
      place: .named(place),
      number: number,
      unit: members.unit
    )
    entry.take(context.inside(members.facts(of: object)).authorship)
    found.append(.entry(entry))
  }

  /// What the members of an object say.
  mutating func facts(of object: JSONObject) -> MessageMembers.Facts? { members.facts(of: object) }

  /// What the member of an object that is called so is.
  mutating func role(of name: String) -> MemberRole? { members.role(of: name) }

  /// Takes a message that another device sent.
  mutating func take(_ message: MessageMembers.Message, place: String, context: Context) {
    guard message.text.utf8.count <= Self.longestText else { return noteLongText(place) }
    number += 1
    usedCount += 1
    let isDated = message.reading.date != nil || message.reading.fault != nil
    let reading = isDated ? message.reading : context.reading ?? message.reading
    var entry = LegacyEntry(
      .text,
      text: Array(message.text.utf8),
      date: reading.date,
      dateFault: reading.fault,
      game: message.game,
      place: .named(place),
      number: number
    )
    entry.take(context.authorship)
    found.append(.entry(entry))
  }

  private var place: String {
    levels.reduce(start) { place, level in
      Self.inside(place, level.name ?? "element \(level.index)")
    }
  }

  /// Notes a value in which nothing but candidates was found, by the words for it.
  mutating func noteLeftOut(_ words: String?, place: String, since usedBefore: Int) {
    guard let words, usedCount == usedBefore else { return }
    leftOutCount += 1
    if leftOutCount > Self.leftOutLimit { return }
    note("left-out", place, "\(words), and no result among them")
  }

  /// What is said of a value without a result; `nil` for one that holds nothing.
  private static func words(for node: JSONNode, in document: JSONDocument) -> String? {
    let count = document.count(of: node)
    return switch document.kind(of: node) {
    case .array: count == 0 ? nil : "\(count) elements"
    case .object: count == 0 ? nil : "\(count) members"
    case .null: nil
    case .boolean, .number, .string: "a value"
    }
  }

  mutating func candidate(_ text: String, place: String, context: Context) {
    guard text.utf8.count >= 6 else { return }
    guard text.utf8.count <= Self.longestText else { return noteLongText(place) }
    number += 1
    var entry = LegacyEntry(
      .candidate,
      text: Array(text.utf8),
      date: context.reading?.date,
      dateFault: context.reading?.fault,
      place: .named(place),
      number: number
    )
    entry.take(context.authorship)
    found.append(.entry(entry))
  }

  mutating func note(_ code: String, _ place: String, _ cause: String) {
    usedCount += 1
    found.append(.note(LegacyNote(code: code, place: place, cause: cause)))
  }

  /// The longest text that is looked through, as in every other form.
  static let longestText = 4 << 20

  mutating func noteLongText(_ place: String) {
    let limit = Self.longestText >> 20
    note("left-out", place, "a text of more than \(limit) MiB, which no result has")
  }

  static func inside(_ place: String, _ name: String) -> String {
    let name = name.utf8.count > longestName ? name.prefix(longestName / 2) + "…" : name
    return place.isEmpty ? name : place + ", " + name
  }

  /// So many bytes of a name are shown; a longer one is cut.
  private static let longestName = 200
}

/// Results and streaks that an app stored as objects.
enum StoredObject {
  enum Kind {
    case result, streak
    /// A score as an app publishes it for others, which it made of a result.
    case score
  }

  static func kind(of object: JSONObject) -> Kind? {
    kind(
      isThere: { object[$0.description] != nil },
      isText: { object[$0.description]?.text != nil },
      isInteger: { object[$0.description]?.integer != nil }
    )
  }

  static func kind(of node: JSONNode, in document: JSONDocument) -> Kind? {
    kind(
      isThere: { document.member(of: node, $0) != nil },
      isText: { document.member(of: node, $0).map(document.kind) == .string },
      isInteger: { document.member(of: node, $0).flatMap(document.int64) != nil }
    )
  }

  private static func kind(
    isThere: (JSONName) -> Bool,
    isText: (JSONName) -> Bool,
    isInteger: (JSONName) -> Bool
  ) -> Kind? {
    if isText(text) { return .result }
    if isText(game), isThere(completed) || isThere(score) {
      return isThere(day) && !isThere(moment) ? .score : .result
    }
    return isInteger(current) && isInteger(longest) ? .streak : nil
  }

  private static let text = JSONName("sharedText")
  private static let game = JSONName("gameName")
  private static let completed = JSONName("completed")
  private static let score = JSONName("score")
  private static let moment = JSONName("date")
  private static let day = JSONName("dateInt")
  private static let current = JSONName("currentStreak")
  private static let longest = JSONName("maxStreak")

  static func entry(
    _ kind: Kind,
    _ object: JSONObject,
    place: LegacyPlace,
    number: Int,
    unit: DateUnit?
  ) -> LegacyEntry {
    let reading = DateReading(object["date"], unit: unit)
    var object = object
    // One encoder writes both moments.
    if case .number? = object["lastModified"],
      let date = DateReading(object["lastModified"], unit: unit).date
    {
      object["lastModified"] = .string(date.text(in: .utc))
    }
    return LegacyEntry(
      kind == .result ? .result(object) : .streak(object),
      text: Array((object["sharedText"]?.text ?? "").utf8),
      date: reading.date,
      dateFault: reading.fault,
      game: object["gameName"]?.text,
      place: place,
      number: number
    )
  }
}
