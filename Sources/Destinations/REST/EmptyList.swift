import JSONText
import Profiles

/// An answer that has no rows because they do not exist, and so not even the member for them.
///
/// Firestore answers `{}`, FHIR a bundle without entries, others `null`. An answer of another form must not
/// pass for an empty list, or everything would be made a second time: so nothing may be in it but what
/// speaks of a list, and no array but one of links.
enum EmptyList {
  /// Whether an answer is one for a list without rows, which would appear at `items`.
  static func isShown(by answer: JSONView, at items: MemberPath) -> Bool {
    guard !items.names.isEmpty else { return answer.kind == .null }
    var view = answer
    for (index, name) in items.names.enumerated() {
      guard view.kind == .object, let members = view.members else { return false }
      guard let inner = view[name] else {
        return members.allSatisfy { isOfList($0.name, $0.value) }
      }
      if inner.kind == .null {
        return index == items.names.count - 1
          && members.allSatisfy { ofFaults.isDisjoint(with: PageWords.words(of: $0.name)) }
      }
      view = inner
    }
    return false
  }

  private static func isOfList(_ name: String, _ value: JSONView) -> Bool {
    let words = Set(PageWords.words(of: name))
    guard words.isSubset(of: PageWords.all.union(PageWords.containers).union(ofLists)) else {
      return false
    }
    switch value.kind {
    case .array:
      return words.isSubset(of: ["link", "links"])
        && value.elements?.allSatisfy { ($0["rel"] ?? $0["relation"]) != nil } == true
    case .object: return (value.members ?? []).allSatisfy { isOfList($0.name, $0.value) }
    // A count of rows that are not shown is at odds with there being none.
    case .number: return words.isDisjoint(with: PageWords.counts) || value.literal == "0"
    case .boolean: return value.boolean == true || words.isDisjoint(with: ofSuccess)
    case .string: return ofFailure.isDisjoint(with: PageWords.words(of: value.text ?? ""))
    case .null: return true
    }
  }

  /// Words of what is said of a fault.
  private static let ofFaults: Set = [
    "message", "msg", "error", "errors", "detail", "reason", "fault", "exception",
  ]

  /// Words of members that are false where the server did not do what it was asked.
  private static let ofSuccess: Set = ["success", "ok", "result", "found"]

  /// Words of texts that say so.
  private static let ofFailure: Set = [
    "error", "errors", "fault", "exception", "fail", "failed", "failure",
  ]

  /// Words of what a list says of itself besides its pages.
  private static let ofLists: Set = [
    "kind", "type", "resource", "object", "etag", "read", "time", "timestamp", "last", "updated",
    "version",
    "took", "success", "ok", "tag", "profile", "language", "base", "name",
  ]
}
