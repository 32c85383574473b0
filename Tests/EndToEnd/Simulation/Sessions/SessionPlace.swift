/// A kind of destination that is spoken to over HTTP, on a server that runs in this process.
package enum SessionPlace: String, CaseIterable, Sendable {
  /// One record a request, under an identity that the client chooses, guarded by entity tags.
  case collections
  /// The same without versions: what another client changed is identified by its content alone.
  case contents
  /// Heroes and their stories by the batch, under identities that the server gives, with upload tickets;
  /// whether a request arrived is looked up.
  case stories
  /// All rows through one pair of routes.
  case changeset
  /// The public database of CloudKit Web Services.
  case cloudPublic = "cloudkit-public"
  /// A user's private one, where each request takes a token that is good once.
  case cloudPrivate = "cloudkit-private"

  /// Whether records have files.
  var keepsFiles: Bool { self == .stories || isCloud }

  var isCloud: Bool { self == .cloudPublic || self == .cloudPrivate }

  /// Whether the server holds a change against the version that it was made of.
  var checksVersions: Bool { self != .stories && self != .contents }

  /// Whether the client says under which identity a record is kept.
  var takesIdentities: Bool { self != .stories }
}
