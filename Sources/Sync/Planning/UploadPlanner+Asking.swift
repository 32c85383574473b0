import JSONText
import Reconciliation
import Records
import RequestMapping
import SyncReading
import UploadPlanning

extension UploadPlanner {
  func askedConflict(
    _ place: ConflictCase,
    _ question: Question
  ) throws -> AskedConflict {
    let record = question.record
    let mapping = reader.mappings[record.id.entity]
    let remote = try remote(place.serverID, of: record)
    var here = JSONObject()
    var there = JSONObject()
    if let remote, let body = mapping.object(remote.body) {
      let members: [RequestField]
      do throws(MappingError) {
        let form = try record.read.form(resolver)
        members = try mapping.changes(from: remote.body, to: form.update)
      } catch {
        members = record.plain.update
      }
      let mine = mapping.program.image(of: members)
      for name in mine.names {
        here[name] = mine[name] ?? .null
        there[name] = body[name] ?? .null
      }
    }
    let hasBase = try base(of: record.id, record.known) != nil
    let canMerge = hasBase && !record.claim.isDeleted && question.triple.agreement != nil
    return AskedConflict(
      record: record.id,
      reason: place.reason,
      isDeletedHere: record.claim.isDeleted,
      here: here.inWords,
      there: there.inWords,
      answers: canMerge ? [.local, .remote, .merge] : [.local, .remote],
      mark: AskedConflict.mark(of: record.content.description, remote)
    )
  }

  /// The conflict about a record of which the store has no row any more, and that was changed there.
  func askedConflict(_ record: RecordID, _ remote: RemoteRecord) -> AskedConflict {
    let mapping = reader.mappings[record.entity]
    var there = JSONObject()
    let body = mapping.object(remote.body) ?? JSONObject()
    for name in mapping.updated { there[name] = body[name] }
    return AskedConflict(
      record: record,
      reason: .wasDeletedHere,
      isDeletedHere: true,
      here: JSONObject(),
      there: there.inWords,
      answers: [.local, .remote],
      mark: AskedConflict.mark(of: record.description, remote)
    )
  }
}

extension AskedConflict {
  /// Names a conflict by what both sides hold.
  fileprivate static func mark(of here: String, _ remote: RemoteRecord?) -> String {
    let parts = [here, remote.map { OperationKey.digest(of: $0.body).description } ?? ""]
    let mark = OperationKey.digest(of: Array(parts.joined(separator: "\n").utf8)).description
    return String(mark.prefix(24))
  }
}

extension Finding {
  /// A conflict in which a person decided for the destination's side.
  static func decided(_ record: RecordID, _ reason: String) -> Finding {
    Finding(
      code: decidedCode,
      severity: .note,
      entity: record.entity,
      record: record.key,
      cause: "\(reason); the destination's content stays, as a person decided",
      cure: "the store's state is kept in the package"
    )
  }

  static let decidedCode = "plan.decided"
}

/// A record that both sides changed.
struct ConflictCase {
  let serverID: String
  let version: String?
  let reason: String

  func with(reason: String) -> ConflictCase {
    ConflictCase(serverID: serverID, version: version, reason: reason)
  }

  func keepRemote(_ reason: String) -> PlanDecision {
    .keptRemote(serverID: serverID, version: version, reason: reason)
  }

  /// What is done where the record here wins.
  func local(_ isDeleted: Bool) -> PlanDecision {
    isDeleted
      ? .delete(serverID: serverID, version: version)
      : .update(serverID: serverID, version: version)
  }
}
