import Checkpoint
import Reconciliation
import Records
import RequestMapping
import SyncReading
import UploadPlanning
import ScratchFiles

// The content at the destination in place of a record, as far as the plan has read it.

extension UploadPlanner {
  func remote(
    _ serverID: String,
    of record: LocalRecord
  ) throws -> RemoteRecord? {
    try snapshot.record(serverID, of: record.id.entity)
  }

  /// What a record says; the content of for what is only now made stays.
  func statement(of record: LocalRecord) throws -> FieldStatement {
    do throws(MappingError) {
      let form = try record.read.form(resolver)
      return FieldStatement(update: form.update, whole: form.whole)
    } catch {
      return try lookingUp(reader.mappings[record.id.entity].statement(record.plain, resolver))
    }
  }

  /// The content that a change expects to find, where no row has its version: what the plan saw, if that
  /// is not what a run left there, or if the store's own `wins` whatever is there.
  ///
  /// A deletion removes what the plan did not see too: that may be anything only where a person said so.
  func expecting(
    _ decision: PlanDecision,
    _ question: Question,
    wins: Bool
  ) throws -> PlanDecision {
    let record = question.record
    let serverID: String
    let version: String?
    var isAlone = wins
    switch decision {
    case .update(let place, let known):
      serverID = place
      version = known
    case .delete(let place, let known):
      serverID = place
      version = known
      isAlone = options.conflictPolicy == .local
    case .create, .adopt, .unchanged, .conflict, .keptRemote, .remoteNewer, .skip: return decision
    }
    let isBasedOnContent =
      question.triple.agreement == nil || record.known?.serverID == nil
      ? !reader.mappings.listsRevisions(of: record.id.entity) : question.isSeenAlone
    guard version == nil || wins,
      let remote = try remote(serverID, of: record), remote.version == nil,
      wins || isBasedOnContent
    else { return decision }
    let mark = reader.mappings[record.id.entity].contentMark(of: remote.body, isAlone: isAlone).text
    if case .delete = decision { return .delete(serverID: serverID, version: mark) }
    return .update(serverID: serverID, version: mark)
  }

  /// Asks the checkpoint where the records and files are that something names.
  func lookingUp<Value>(
    _ value: @autoclosure () throws(MappingFault) -> Value
  ) throws -> Value {
    do throws(MappingFault) { return try value() } catch {
      throw CheckpointError.unreadable(path: checkpoint.path, reason: error.finding.cause)
    }
  }
}
