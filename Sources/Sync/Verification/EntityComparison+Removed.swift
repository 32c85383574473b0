import Checkpoint
import Reconciliation
import Records
import RequestMapping
import SyncReading
import UploadPlanning
import ScratchFiles

// Records that the last run deleted.

extension EntityComparison {
  private static let pageSize = 200

  /// Reports the records that the last run deleted, as the destination answered, and that are listed as they were:
  /// an answer alone is no proof.
  ///
  /// - Returns: Their deletions, which were not carried out.
  mutating func compareRemoved(
    into report: inout VerificationReport
  ) throws -> [RefutedUndo] {
    var refuted: [RefutedUndo] = []
    var after: Int64 = 0
    while true {
      let place = after
      let page = try reader.checkpoint.deletions(
        of: entity,
        after: place,
        limit: Self.pageSize
      )
      guard let last = page.last else { return refuted }
      after = last.number
      for operation in page {
        guard let serverID = operation.serverID,
          let remote = try snapshot.record(serverID, of: entity), try isSame(remote, as: operation)
        else { continue }
        _ = try take(serverID, for: operation.record)
        undeleted.insert(operation.record)
        let finding = Finding.stillThere(operation.record)
        add(finding, to: \.differentCount, &report)
        refuted.append(
          RefutedUndo(
            operation: operation.number,
            code: finding.code,
            reason: finding.cause,
            version: remote.version
          )
        )
      }
    }
  }

  /// Whether a record is the one that an operation deleted, as it was: the server may have given its ID to another
  /// one since.
  private func isSame(_ remote: RemoteRecord, as deletion: Operation) throws -> Bool {
    guard let before = try reader.before(of: deletion) else { return false }
    let earlier = reader.mappings[entity].copy(ofBefore: before)
    let triple = RecordTriple(
      base: RecordTriple.Base(earlier),
      wanted: .record(earlier),
      remote: remoteCopy(remote, isReadAlone: false)
    )
    switch triple.difference(rules).remote {
    case .unchanged, .undecidable: return true
    case .notRead, .notListed, .absent, .unreadable, .withoutBase, .fields, .restored: return false
    }
  }
}
