package import JSONText
import Profiles
package import Records
import TextCodecs

extension RequestProgram {
  /// What the app's own store says of where the record is at the server.
  ///
  /// Where the profile does not say how the app kept its state, nothing is claimed: an identity of
  /// the server's is then only a place to look at.
  package func claim(in record: JSONNode, of document: JSONDocument) -> SourceClaim {
    guard let rule = profile.sync else { return .none }
    let serverID = serverID(in: record, of: document)
    let reader = MemberReader(document: document, record: record)
    var meaning: SourceClaim.Meaning?
    var unlisted: String?
    if let state = rule.state {
      let text = reader.text(state) ?? ""
      meaning = rule.meanings[text]
      if meaning == nil {
        meaning = .changed
        unlisted = text
      }
    }
    let isMarked = rule.deleted.map { reader.holdsSomething($0) } ?? false
    let base = base(rule, reader)
    let keepsBase = rule.version != nil || rule.asOf != nil
    return SourceClaim(
      meaning: meaning,
      isDeleted: isMarked || meaning == .delete,
      serverID: serverID,
      base: base,
      unlisted: unlisted,
      isNeverSynced: meaning == .create || keepsBase && base == nil
    )
  }

  private func base(_ rule: SyncRule, _ reader: MemberReader) -> SourceClaim.Base? {
    if let member = rule.version, let text = reader.text(member), !rule.unset.contains(text) {
      return .version(text)
    }
    guard let member = rule.asOf, let text = reader.text(member) else { return nil }
    return Timestamp.microseconds(text).map { .asOf($0) }
  }

  /// Whom the record names as its owner; `nil` when it names no user.
  package func owner(in record: JSONNode, of document: JSONDocument) -> String? {
    guard let rule = profile.owner else { return nil }
    return MemberReader(document: document, record: record).text(rule.member)
  }

  /// The text of a member, as a person would write it; `nil` when it holds nothing.
  package func text(of member: String, in record: JSONNode, of document: JSONDocument) -> String? {
    MemberReader(document: document, record: record).text(member)
  }
}

extension SourceClaim {
  /// Whether the server's record still is what the app last saw; `nil` where the app kept no way to
  /// state.
  package func holds(at version: String?) -> Bool? {
    switch base {
    case nil: return nil
    case .version(let seen):
      guard let version else { return nil }
      if seen == version { return true }
      guard let left = Timestamp.microseconds(seen), let right = Timestamp.microseconds(version)
      else { return false }
      // The app may have kept whole milliseconds of a finer date.
      return left.subtractingReportingOverflow(right).partialValue.magnitude < 1_000
    case .asOf(let seen):
      guard let version, let now = Timestamp.microseconds(version) else { return nil }
      return now <= seen
    }
  }
}

/// Reads single members of a record as text.
private struct MemberReader {
  let document: JSONDocument
  let record: JSONNode

  private func node(_ member: String) -> JSONNode? {
    guard document.kind(of: record) == .object else { return nil }
    return document.member(of: record, named: member)
  }

  /// The text of a member, the digits of a number; `nil` when it holds nothing.
  func text(_ member: String) -> String? {
    guard let node = node(member) else { return nil }
    switch document.kind(of: node) {
    case .null: return nil
    case .string:
      let text = document.text(of: node)
      return text.isEmpty ? nil : text
    case .number: return document.int64(of: node).map(String.init) ?? literal(node)
    case .boolean, .array, .object: return literal(node)
    }
  }

  /// Whether a member holds more than nothing, `false` or zero.
  func holdsSomething(_ member: String) -> Bool {
    guard let text = text(member) else { return false }
    return text != "false" && text != "0"
  }

  private func literal(_ node: JSONNode) -> String { document.value(of: node).canonicalText }
}
