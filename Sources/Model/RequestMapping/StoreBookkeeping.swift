package import JSONText
package import Profiles
import Records

/// The attributes in which an app keeps what it knows of the destination: identity, revision, state, time.
package struct StoreBookkeeping: Sendable {
  private let identity: String?
  private let revision: String?
  private let asOf: String?
  private let state: String?
  private let deleted: String?
  private let syncedState: JSONValue?
  private let unsentState: JSONValue?
  private let unsetRevision: JSONValue

  /// Finds them in a profile; an entity that is not sent has none.
  package init(_ profile: EntityProfile, _ api: EntityApi?) {
    func attribute(_ member: String?) -> String? {
      member.flatMap { profile.attribute(of: MemberPath(names: [$0])) }
    }
    let kept = attribute(api?.serverIDs.first)
    identity = kept.flatMap { profile.identity == .attribute($0) ? nil : $0 }
    revision = attribute(profile.sync?.version)
    asOf = attribute(profile.sync?.asOf)
    state = attribute(profile.sync?.state)
    deleted = attribute(profile.sync?.deleted)
    let meanings = profile.sync?.meanings ?? [:]
    func value(meaning: SourceClaim.Meaning) -> JSONValue? {
      let names = meanings.filter { $0.value == meaning }.map(\.key)
      return names.count == 1 ? Self.plain(names[0]) : nil
    }
    syncedState = value(meaning: .synced)
    unsentState = value(meaning: .create) ?? value(meaning: .changed)
    unsetRevision = profile.sync?.unset.first.map(Self.plain) ?? .null
  }

  /// The values of a record on which both sides agree.
  ///
  /// `syncedAt` is RFC 3339 in UTC.
  package func settled(serverID: String?, revision: String?, syncedAt: String?) -> JSONObject {
    var values = JSONObject()
    if let identity, let serverID { values[identity] = .string(serverID) }
    if let name = self.revision, let revision { values[name] = Self.plain(revision) }
    if let asOf, let syncedAt { values[asOf] = .string(syncedAt) }
    if let state, let syncedState { values[state] = syncedState }
    return values
  }

  /// The values of a record that the destination no longer has: those of one that was never sent.
  package var withdrawn: JSONObject {
    var values = JSONObject()
    if let identity { values[identity] = .null }
    if let revision { values[revision] = unsetRevision }
    if let asOf { values[asOf] = .null }
    if let state, let unsentState { values[state] = unsentState }
    return values
  }

  /// The values that say that the record is not deleted.
  package var undeleted: JSONObject {
    var values = JSONObject()
    if let deleted { values[deleted] = .null }
    return values
  }

  /// A whole number where the text is one in its only spelling, else the text.
  private static func plain(_ text: String) -> JSONValue {
    guard let number = Int64(text), String(number) == text else { return .string(text) }
    return .number(JSONNumber(number))
  }
}
