/// A kind of destination that is spoken to over HTTP, on a server that runs in this process.
package enum SessionPlace: String, CaseIterable, Sendable {
  /// One record a request, under an identity that the client chooses, guarded by entity tags.
  case collections
  /// All rows through one pair of routes.
  case changeset
  /// The public database of CloudKit Web Services.
  case cloudPublic = "cloudkit-public"
  /// A user's private one, where each request takes a token that is good once.
  case cloudPrivate = "cloudkit-private"

  /// Whether records have files.
  var keepsFiles: Bool { self == .cloudPublic || self == .cloudPrivate }
}
