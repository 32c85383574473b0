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
      throw refusal("\(kind.parentName): Expected number")
    }
    var body = try changes(in: input)
    switch kind {
    case .tasting:
      for name in ["rating", "notes", "servingStyle", "color"] { body[name] = body[name] ?? .null }
      for name in ["tags", "friends"] { body[name] = body[name] ?? [] }
    case .comment:
      guard body["comment"] != nil else { throw refusal("comment: Required") }
    }
    return (parent, body)
  }

  /// The members of a request that say something about the row itself; others are passed over.
  func changes(in input: JSONObject) throws(Refusal) -> JSONObject {
    var changes = JSONObject()
    for member in input.members {
      guard let isRight = rule(member.name) else { continue }
      guard isRight(member.value) else { throw refusal("\(member.name): Invalid input") }
      changes[member.name] = member.value
    }
    return changes
  }

  private func rule(_ name: String) -> ((JSONValue) -> Bool)? {
    guard kind == .tasting else {
      return name == "comment" ? { $0.text?.isEmpty == false } : nil
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

  private func refusal(_ message: String) -> Refusal {
    Refusal(.badRequest, "BAD_REQUEST", "Input validation failed: \(message)")
  }
}
