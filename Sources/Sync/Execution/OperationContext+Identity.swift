import Checkpoint
import DestinationModel
import HTTPTransport
import JSONText
import Profiles
import Reconciliation
import Records
import RequestMapping
import StageSupport
import SyncReading
import UploadPlanning

// What becomes of a record that the destination has under another identity than its request chose, or under
// another spelling of it.

extension OperationContext {
  /// Outcomes of requests that make records, held against what the checkpoint knows of the
  /// identities that the destination answered with.
  ///
  /// An identity that another record has, or that existed before the run, is not that of a new record.
  func identified(
    _ outcomes: [Int64: ItemOutcome],
    of items: [OutgoingBatch.Item]
  ) -> [Int64: ItemOutcome] {
    var outcomes = outcomes
    for item in items where reader.isChosen(item.record.entity) {
      guard let outcome = outcomes[item.operation] else { continue }
      do throws(MappingError) {
        outcomes[item.operation] = try identified(outcome, of: item)
      } catch {
        outcomes[item.operation] = .unknown(reason: error.reason)
      }
    }
    return outcomes
  }

  private func identified(
    _ outcome: ItemOutcome,
    of item: OutgoingBatch.Item
  ) throws(MappingError) -> ItemOutcome {
    let entity = item.record.entity
    switch outcome {
    case .stored(let serverID, _) where !serverID.hasSameScalars(as: item.clientID):
      if let reason = try reasonNotToTake(serverID, for: item.record) {
        return .conflicted(reason: reason)
      }
      findings.addFirst(.spelledOtherwise(entity, item.clientID, as: serverID))
    case .displaced(let serverID?, _, _):
      let isKnown = try reader.ask { checkpoint throws(CheckpointError) in
        try checkpoint.isAccountedFor(serverID, of: entity)
      }
      if isKnown {
        return .conflicted(
          reason:
            "the destination answered with “\(serverID)”, which another record had before: it takes both "
            + "records for the same"
        )
      }
    default: break
    }
    return outcome
  }

  /// Why the record that has an identity at the destination is not the one that is asked about, although the
  /// identities are spellings of one: it is that of another record; `nil` where it may be.
  func reasonNotToTake(
    _ serverID: String,
    for record: RecordID
  ) throws(MappingError) -> String? {
    let keys = try reader.ask { checkpoint throws(CheckpointError) in
      try checkpoint.keys(at: serverID, of: record.entity)
    }
    guard let other = keys.first(where: { !$0.hasSameScalars(as: record.key) }) else { return nil }
    return
      "the destination takes the identities of this record and of \(record.entity)/\(other) for the same: "
      + "it keeps “\(serverID)” for both"
  }

  /// The record that a reading by identity came to, unless it is another record's whose identity is
  /// only spelled like this one's.
  func own(
    _ remote: RemoteRecord?,
    of record: RecordID,
    at serverID: String
  ) throws(MappingError) -> RemoteRecord? {
    guard let remote, !remote.serverID.hasSameScalars(as: serverID) else { return remote }
    return try reasonNotToTake(remote.serverID, for: record) == nil ? remote : nil
  }

  /// Looks for records that are not under the identities that their requests chose among those that
  /// are new at the account: a destination that chooses identities itself has them under others.
  ///
  /// All else that was sent has to be the same, and each new record is found once.
  func lookUpDisplaced(
    _ operations: [Operation],
    of entity: EntityName,
    into results: inout [Int64: LookUpResult]
  ) async throws {
    let mapping = mappings[entity]
    guard mapping.program.api.list != nil, unproven.contains(entity) else { return }
    let identity = mapping.program.api.identityMember
    let rules = mapping.comparisonRules(judgesIdentity: false)
    var wanted: [(operation: Operation, made: RecordCopy)] = []
    for operation in operations {
      do throws(MappingError) {
        let members = try reader.form(of: operation).create.filter { $0.name != identity }
        if !members.isEmpty { wanted.append((operation, mapping.copy(of: members))) }
      } catch {
        if let fault = error.package { throw fault }
      }
    }
    guard !wanted.isEmpty else { return }
    try await reader.forEachPage(of: entity) { page in
      for remote in page.records where !wanted.isEmpty {
        let isKnown = try checkpoint.isAccountedFor(remote.serverID, of: entity)
        guard !isKnown,
          let place = wanted.firstIndex(where: {
            let copy = mapping.remoteCopy(of: remote, isAlone: false)
            return mapping.hasArrived($0.made, as: copy, rules, isIdentified: false) == true
          })
        else { continue }
        let operation = wanted.remove(at: place).operation
        results[operation.number] = .displaced(
          serverID: remote.serverID,
          version: remote.version,
          reason: mapping.program.api.displacement(
            of: mappings.clientID(of: operation.record),
            to: remote.serverID
          )
        )
      }
    }
  }

  /// Has a run that comes to rest say of a record which the destination made, and which no answer and no list
  /// shows, that it may be there: it is not absent.
  func keepUntraced(
    _ operations: [Operation],
    of entity: EntityName,
    in results: inout [Int64: LookUpResult]
  ) throws {
    guard givesUp else { return }
    let found = try checkpoint.displacement(of: entity)
    guard let found, found.serverID == nil, results[found.operation] == .notThere,
      operations.contains(where: { $0.number == found.operation })
    else { return }
    results[found.operation] = .different(
      reason: "the destination created it, and does not show it: find and remove it there by hand"
    )
  }
}

extension Finding {
  /// That the destination keeps identities in another spelling than requests choose.
  static func spelledOtherwise(
    _ entity: EntityName,
    _ chosen: String,
    as kept: String
  ) -> Finding {
    let isLower = kept.hasSameScalars(as: chosen.lowercased())
    return Finding(
      code: "destination.spelling",
      severity: .warning,
      entity: entity,
      cause:
        "the destination spells identities of \(entity) its own way: it keeps “\(chosen)” as “\(kept)”. "
        + "Both count as the same, and the destination's spelling is written down",
      cure: isLower
        ? "write “client-id: lower” under “api” in the profile"
        : "have the app spell its identities as the destination does"
    )
  }
}
