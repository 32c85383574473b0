/// A fault built into a history on purpose, which the checker has to find.
package enum Plant: String, CaseIterable, Sendable {
  /// The engine is informed of a commit before the disk has it.
  case sentBeforeCommit
  /// A commit is now and then not written at all.
  case forgottenCommit
  /// A crash may take the last commit back, although the engine was informed of it.
  case commitNotSynced
  /// A lost request is given no time to arrive.
  case skippedSettling
  /// A request without an answer counts as carried out.
  case lossTakenForArrival
  /// A request without an answer counts as not carried out.
  case lossTakenForFailure
  /// What was begun before a crash counts as done.
  case begunTakenForDone
  /// What was begun before a crash counts as never sent.
  case begunTakenForPlanned
  /// A page of operations counts as the last one when it is not.
  case pageCutShort
  /// Each attempt has an idempotency key of its own.
  case keyForEachAttempt
  /// The key does not change when a record was undone and is sent again.
  case generationNotCounted
  /// A look-up may find a row that belongs to another record.
  case rowFoundTwice
  /// What an update overwrites is not written down.
  case readingNotKept
  /// Where a file will be is not written down before it counts.
  case placeNotKept
  /// What another device changed is changed all the same.
  case changedRowOverwritten
  /// What cannot be read is sent all the same, on what the plan knew of it.
  case unreadSentAnyway
  /// Rolling back removes parents before their children.
  case parentsRemovedFirst
  /// A run that is paused forgets the changes that arrived and were not heard of.
  case settlingForgetsChanges
  /// What was undone is still believed to be there.
  case undoneStillKnown
}
