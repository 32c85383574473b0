import Reconciliation
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
}

extension Set<String> {
  /// The names in order, as a message lists them.
  package var inWords: String { sorted().joined(separator: ", ") }
}
