import Checkpoint
import Reconciliation
import Records
import RequestMapping
import UploadPlanning

extension Conflict {
  /// Why nothing is sent.
  package var words: String {
    switch self {
    case .bothChanged, .withoutBase, .deletedLocally, .remotelyChanged, .stillPresent:
      "its content at the destination is not what Ferry last sent or read"
    case .remotelyDeleted: "the record is no longer at the destination"
    case .replaced: .wasReplaced
    case .restored: .wasRestored
    case .localRestored: .isRestoredHere
    case .fieldNotListed(let names):
      "the destination does not show \(names.inWords), so that a change of it there is not excluded"
    case .recordNotListed: PlanDecision.unlisted
    case .unreadable(let reason): .unreadable(reason)
    case .noRoute: "the destination has no route that changes it"
    case .createOnly(let names):
      "the destination takes \(names.inWords) only when a record is made"
    case .deferred(let names): "\(names.inWords) names what is not at the destination"
    case .deletedByThisRun: "the run deleted it"
    }
  }
}

extension String {
  /// Why nothing is sent where a backup was restored, or another device undid a change.
  package static var wasRestored: String { "the destination has an earlier state of it again" }

  /// Why nothing is sent where the store has earlier content again: an older copy of it is in use, or a person
  /// changed the record back.
  package static var isRestoredHere: String {
    "the store has it again as an earlier run agreed on it, before other content was agreed on"
  }

  /// The same of a record that this run did not read at the destination.
  package static var isRestoredHereUnread: String {
    "\(isRestoredHere), and this run did not read it at the destination"
  }

  /// Why nothing is sent of a record that the person deleted and another device changed.
  package static var wasDeletedHere: String {
    "it was deleted in the store and changed at the destination"
  }

  /// Why nothing is sent of a record that an earlier run sent, as the destination answered, and did not find.
  package static var isUnnamed: String {
    "the destination answered an earlier run that it created it, and no record like it is there"
  }

  /// What to do about a conflict of which this is the reason.
  package var cureOfConflict: String {
    switch self {
    case .wasReplaced:
      "nothing touches that record; with the checkpoint moved away, the next run looks for its "
        + "own record by its identity, and makes it if it is gone"
    case .wasRestored:
      "change the record at the destination; or move the file that `ferry checkpoint show` "
        + "names away, and run again with `--on-conflict local`, which sends the store's content"
    case .isRestoredHere:
      "`--on-conflict remote` keeps the destination's content, which a write-back gives to the "
        + "app; `--on-conflict local` sends the store's content"
    case .isRestoredHereUnread:
      "`--full` with `--on-conflict remote` reads and keeps the destination's content, which a write-back "
        + "gives to the app; `--on-conflict local` sends the store's content"
    case .isUnnamed: CheckpointFile.cureOfUnnamed
    case PlanDecision.unlisted: Finding.retiring
    case _ where hasPrefix(RecordID.sharedWords): Finding.separating
    default:
      "`--on-conflict local` sends the store's content; or make the same change in the app"
    }
  }
}

extension Set<String> {
  /// The names in order, as a message lists them.
  package var inWords: String { sorted().joined(separator: ", ") }
}
