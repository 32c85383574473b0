/// What a checkpoint belongs to.
///
/// All of it must agree before a run may use it.
package struct CheckpointBinding: Hashable, Sendable {
  /// The identity of the store the records come from.
  package let store: String
  /// Scheme, host and port of the destination.
  package let origin: String
  /// Who the destination says the account is.
  package let account: String
  /// The profile's name for the app.
  package let profile: String

  package init(
    store: String,
    origin: String,
    account: String,
    profile: String
  ) {
    self.store = store
    self.origin = origin
    self.account = account
    self.profile = profile
  }
}
