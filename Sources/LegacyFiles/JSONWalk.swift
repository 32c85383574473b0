import JSONText
import PropertyLists

/// Looks through a JSON value for stored results, stored streaks and texts.
///
/// | an object with | is |
/// |---|---|
/// | `sharedText`, or `gameName` beside `completed` or `score` | a stored result |
/// | `currentStreak` and `maxStreak` | a stored streak |
///
/// Any other text is a candidate. What holds neither result nor streak is noted by its name.
struct JSONWalk {
  private var found: [LegacyItem] = []
  private var number = 0
  private var leftOutCount = 0
  /// Where the document stands.
  private var start = ""
  /// The way from its root to the value at hand, which becomes words where there is something to say.
  private var trail: [Step] = []

  private enum Step {
    case named(String)
    /// The place of an element, counted from one.
    case element(Int)
  }

  static let depthLimit = 64
  /// So many values without a result are named; of more there is a count.
  private static let leftOutLimit = 1_000

  /// What was found, and at the end how much was left out beside what is named.
  var items: [LegacyItem] {
    let unlisted = leftOutCount - Self.leftOutLimit
    guard unlisted > 0 else { return found }
    let cause = "\(unlisted) more values, and no result among them"
    return found + [.note(LegacyNote(code: "left-out", place: "", cause: cause))]
  }

  /// How many items there are so far.
  var count: Int { found.count }

  /// Looks through the value of `document`, which stands at `place`.
  mutating func walk(_ document: JSONDocument, place: String, depth: Int = 0) {
    start = place
    trail = []
    walk(document.root, in: document, depth: depth)
  }

  private mutating func walk(_ node: JSONNode, in document: JSONDocument, depth: Int) {
    guard depth < Self.depthLimit else {
      return note(
        "depth",
        place,
        "values lie more than \(Self.depthLimit) deep, and are not looked at"
      )
    }
    switch document.kind(of: node) {
    case .object: walk(object: node, in: document, depth: depth)
    case .array:
      var index = 0
      document.forEachElement(of: node) { element in
        index += 1
        trail.append(.element(index))
        walk(element, in: document, depth: depth + 1)
        trail.removeLast()
      }
    case .string:
      guard document.writtenSize(ofText: node) <= Self.longestText else {
        return noteLongText(place)
      }
      candidate(document.text(of: node), place: place)
    case .null, .boolean, .number: break
    }
  }

  private mutating func walk(object node: JSONNode, in document: JSONDocument, depth: Int) {
    if let kind = StoredObject.kind(of: node, in: document),
      let object = document.value(of: node).object
    {
      return take(object, kind, place: place)
    }
    document.forEachMember(of: node) { name, member in
      trail.append(.named(String(decoding: name, as: UTF8.self)))
      let before = count
      walk(member, in: document, depth: depth + 1)
      if depth == 0 {
        noteLeftOut(Self.words(for: member, in: document), place: place, since: before)
      }
      trail.removeLast()
    }
  }

  /// Takes an object that an app stored.
  mutating func take(_ object: JSONObject, _ kind: StoredObject.Kind, place: String) {
    number += 1
    found.append(.entry(StoredObject.entry(kind, object, place: .named(place), number: number)))
  }

  private var place: String {
    trail.reduce(start) { place, step in
      switch step {
      case .named(let name): Self.inside(place, name)
      case .element(let index): Self.inside(place, "element \(index)")
      }
    }
  }

  /// Notes a value in which nothing but candidates was found, by the words for it.
  mutating func noteLeftOut(_ words: String?, place: String, since before: Int) {
    guard let words else { return }
    let isUsed = found[before...].contains { item in
      guard case .entry(let entry) = item else { return true }
      return entry.kind != .candidate
    }
    guard !isUsed else { return }
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

  mutating func candidate(_ text: String, place: String) {
    guard text.utf8.count >= 6 else { return }
    guard text.utf8.count <= Self.longestText else { return noteLongText(place) }
    number += 1
    found.append(
      .entry(LegacyEntry(.candidate, text: Array(text.utf8), place: .named(place), number: number))
    )
  }

  mutating func note(_ code: String, _ place: String, _ cause: String) {
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
  enum Kind { case result, streak }

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
    if isText(game), isThere(completed) || isThere(score) { return .result }
    return isInteger(current) && isInteger(longest) ? .streak : nil
  }

  private static let text = JSONName("sharedText")
  private static let game = JSONName("gameName")
  private static let completed = JSONName("completed")
  private static let score = JSONName("score")
  private static let current = JSONName("currentStreak")
  private static let longest = JSONName("maxStreak")

  static func entry(
    _ kind: Kind,
    _ object: JSONObject,
    place: LegacyPlace,
    number: Int
  ) -> LegacyEntry {
    LegacyEntry(
      kind == .result ? .result(object) : .streak(object),
      text: Array((object["sharedText"]?.text ?? "").utf8),
      date: object["date"].flatMap(date),
      game: object["gameName"]?.text,
      place: place,
      number: number
    )
  }

  /// A date as JSON encoders write it: ISO 8601, seconds since 2001, or a date of an archive.
  static func date(_ value: JSONValue) -> LegacyDate? {
    if let text = value.text { return LegacyDate(text) }
    if let seconds = value.double { return LegacyDate(secondsSinceReferenceDate: seconds) }
    return value["$date"].flatMap(date)
  }
}
