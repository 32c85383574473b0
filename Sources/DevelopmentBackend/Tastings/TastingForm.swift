import HTTPTypes
import JSONText

/// What a request about a tasting or a comment may say.
struct TastingForm: Sendable {
  private let kind: TastingRow.Kind

  init(_ kind: TastingRow.Kind) { self.kind = kind }

  private static let styles = ["neat", "rocks", "splash"]
  /// Pass, sip, savor; ratings in stars are of another age.
  private static let ratings: [Int64] = [-1, 1, 2]

  /// The parent's number and what is stored of a new row.
  func new(_ input: JSONObject) throws(Refusal) -> (parent: Int64, body: JSONObject) {
    guard let parent = input[kind.parentName]?.integer else {
      throw .invalid(kind.parentName, "Invalid input: expected number")
    }
    var body = try changes(in: input)
    switch kind {
    case .tasting:
      for name in ["rating", "notes", "servingStyle", "color", "imageUrl"] {
        body[name] = body[name] ?? .null
      }
      for name in ["tags", "friends"] { body[name] = body[name] ?? [] }
      if body["notes"]?.text == "" { body["notes"] = .null }
    case .comment:
      guard body["comment"] != nil else { throw .invalid("comment", "Required") }
    }
    return (parent, body)
  }

  /// The members of a request that say something about the row itself; others are passed over.
  func changes(in input: JSONObject) throws(Refusal) -> JSONObject {
    var changes = JSONObject()
    for member in input.members {
      guard let isRight = rule(member.name) else { continue }
      guard isRight(member.value) else { throw .invalid(member.name, "Invalid input") }
      changes[member.name] = Self.kept(member.name, member.value)
    }
    return changes
  }

  /// Refuses members that no such request has.
  func checkNames(of input: JSONObject, isNew: Bool) throws(Refusal) {
    let content = ["notes", "rating", "servingStyle", "color", "friends", "tags", "image"]
    let once = ["bottle", "createdAt", "flight", "imageUrl", "pendingImageId"]
    let names = isNew ? content + once : content
    for member in input.members where !names.contains(member.name) {
      throw .invalid(member.name, "Unrecognized key")
    }
  }

  /// A value as it is kept: tags in lower case and once, a comment without white space around it.
  private static func kept(_ name: String, _ value: JSONValue) -> JSONValue {
    switch name {
    case "tags":
      var tags: [JSONValue] = []
      for tag in value.array ?? [] {
        let kept = tag.text.map { JSONValue.string($0.lowercased()) } ?? tag
        if !tags.contains(kept) { tags.append(kept) }
      }
      return .array(tags)
    case "comment": return value.text.map { .string($0.trimmed) } ?? value
    default: return value
    }
  }

  private func rule(_ name: String) -> ((JSONValue) -> Bool)? {
    guard kind == .tasting else {
      return name == "comment" ? { $0.text?.trimmed.isEmpty == false } : nil
    }
    switch name {
    case "rating":
      return { $0.isNull || $0.integer.map { Self.ratings.contains($0) } ?? false }
    case "notes": return { $0.isNull || $0.text != nil }
    case "servingStyle":
      return { $0.isNull || $0.text.map { Self.styles.contains($0) } ?? false }
    case "color":
      return { $0.isNull || $0.integer.map { (0...20).contains($0) } ?? false }
    case "tags": return { $0.array?.allSatisfy { $0.text != nil } ?? false }
    case "friends": return { $0.array?.allSatisfy { $0.integer != nil } ?? false }
    default: return nil
    }
  }
}

extension Refusal {
  /// A request whose member breaks the schema of its route.
  static func invalid(_ member: String, _ message: String) -> Refusal {
    var refusal = Refusal(.badRequest, "BAD_REQUEST", "Input validation failed")
    refusal.details = ["issues": [["path": [.string(member)], "message": .string(message)]]]
    return refusal
  }
}

extension String {
  /// The text without white space around it.
  fileprivate var trimmed: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
