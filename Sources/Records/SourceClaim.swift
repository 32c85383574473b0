/// What an app's own store says of where a record is at the server.
package struct SourceClaim: Hashable, Sendable {
  /// What the app meant by the state it kept.
  package enum Meaning: String, Sendable, CaseIterable {
    /// Nothing was changed since the server had it.
    case synced
    /// It is new, or was changed, or either of the two.
    case create, update, changed
    /// The user deleted it.
    case delete
    /// The app itself knew that both sides had changed.
    case conflict
    /// It is not meant for the server.
    case ignore
  }

  /// What the server's record looked like when the app last saw it.
  package enum Base: Hashable, Sendable {
    /// It had this version.
    case version(String)
    /// Its version is a date, and was not later than this one, in microseconds since 2001.
    case asOf(Int64)
  }

  /// `nil` where the profile maps no state.
  package let meaning: Meaning?
  /// Whether the user deleted the record.
  package let isDeleted: Bool
  /// The server's identity of the record, if the app kept one.
  package let serverID: String?
  package let base: Base?
  /// The value of the state that the profile does not list.
  package let unlisted: String?
  /// Whether the app's own fields say that the server never had the record.
  package let isNeverSynced: Bool

  /// A claim that says nothing, for records whose app kept no such state.
  package static let none = SourceClaim(meaning: nil, isDeleted: false, serverID: nil, base: nil)

  package init(
    meaning: Meaning?,
    isDeleted: Bool,
    serverID: String?,
    base: Base?,
    unlisted: String? = nil,
    isNeverSynced: Bool = false
  ) {
    self.meaning = meaning
    self.isDeleted = isDeleted
    self.serverID = serverID
    self.base = base
    self.unlisted = unlisted
    self.isNeverSynced = isNeverSynced
  }

  /// The same claim, of a record that a queue of changes says more about.
  package func with(meaning: Meaning) -> SourceClaim {
    SourceClaim(
      meaning: meaning,
      isDeleted: isDeleted || meaning == .delete,
      serverID: serverID,
      base: base,
      unlisted: unlisted,
      isNeverSynced: isNeverSynced
    )
  }

  /// The same claim about the record under an identity of the server's.
  package func with(serverID: String) -> SourceClaim {
    SourceClaim(
      meaning: meaning,
      isDeleted: isDeleted,
      serverID: serverID,
      base: base,
      unlisted: unlisted,
      isNeverSynced: isNeverSynced
    )
  }
}
