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
  private(set) var items: [LegacyItem] = []
  private var number = 0

  static let depthLimit = 64

  /// Looks through `value`, which stands at `place`.
  mutating func walk(_ value: JSONValue, place: String, depth: Int = 0) {
    guard depth < Self.depthLimit else {
      note("depth", place, "values lie more than \(Self.depthLimit) deep, and are not looked at")
      return
    }
    switch value {
    case .object(let object): walk(object, place: place, depth: depth)
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        walk(element, place: Self.inside(place, "element \(index + 1)"), depth: depth + 1)
      }
    case .string(let text): candidate(text, place: place)
    case .null, .boolean, .number: break
    }
  }

  private mutating func walk(_ object: JSONObject, place: String, depth: Int) {
    if let kind = StoredObject.kind(of: object) {
      number += 1
      items.append(.entry(StoredObject.entry(kind, object, place: .named(place), number: number)))
      return
    }
    for member in object.members {
      let name = Self.inside(place, member.name)
      let before = items.count
      walk(member.value, place: name, depth: depth + 1)
      guard depth == 0 else { continue }
      noteLeftOut(member.value, place: name, since: before)
    }
  }

  /// Notes a value in which nothing but candidates was found.
  mutating func noteLeftOut(_ value: JSONValue, place: String, since before: Int) {
    let isUsed = items[before...].contains { item in
      guard case .entry(let entry) = item else { return true }
      return entry.kind != .candidate
    }
    guard !isUsed else { return }
    let words: String =
      switch value {
      case .array(let elements): elements.isEmpty ? "" : "\(elements.count) elements"
      case .object(let object): object.isEmpty ? "" : "\(object.count) members"
      case .null: ""
      case .boolean, .number, .string: "a value"
      }
    if !words.isEmpty { note("left-out", place, "\(words), and no result among them") }
  }

  mutating func candidate(_ text: String, place: String) {
    guard text.utf8.count >= 6 else { return }
    number += 1
    items.append(
      .entry(LegacyEntry(.candidate, text: Array(text.utf8), place: .named(place), number: number))
    )
  }

  mutating func note(_ code: String, _ place: String, _ cause: String) {
    items.append(.note(LegacyNote(code: code, place: place, cause: cause)))
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
    if object["sharedText"]?.text != nil { return .result }
    if object["gameName"]?.text != nil, object["completed"] != nil || object["score"] != nil {
      return .result
    }
    if object["currentStreak"]?.integer != nil, object["maxStreak"]?.integer != nil {
      return .streak
    }
    return nil
  }

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
