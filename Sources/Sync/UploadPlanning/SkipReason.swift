/// Why a record is exported and not sent, without a fault of anybody's.
package enum SkipReason: String, Hashable, Sendable, CaseIterable {
  /// The app never meant it for the server.
  case ignored
  /// The user deleted it before the server ever had it.
  case neverSent
  /// The user deleted it, and the server no longer has it either.
  case alreadyGone
  /// The user deleted it, and the destination has no way to delete.
  case noDeletion
  /// It belongs to another account than the one that is signed in.
  case otherOwner
  /// It names no user as its owner.
  case unowned
  /// A person left it out of this run.
  case notChosen
  /// It depends on a record that is not sent.
  case parentLeft
  /// The destination has it under a record that its user deleted, and loses both together.
  case parentDeleted
}
