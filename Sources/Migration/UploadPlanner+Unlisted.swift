import Checkpoint
import DestinationModel
import JSONText
import Profiles
import Records
import StageSupport
import UploadPlanning

extension UploadPlanner {
  /// How many records are asked for before a list is believed that shows none of them.
  private static let unlistedLimit = 1_000

  /// Asks for records that are known and that a list did not show, by their identities, and reports those
  /// that answer.
  ///
  /// A server may only retire what it removes. A list that is read page by page while another client removes
  /// a row may pass over another row, and some destinations list late what was made: neither is gone.
  ///
  /// - Returns: Whether any of them answers, so that the list alone does not tell what is gone.
  func leavesOutRecords(of entity: EntityName) async throws(MigrationError) -> Bool {
    guard isAskedAlone(entity) else { return false }
    var place = ""
    var left = Self.unlistedLimit
    var foundCount = 0
    while left > 0 {
      let after = place
      let page = try checkpointing { () throws(CheckpointError) in
        try checkpoint.records(of: entity, after: after, limit: 1_000)
      }
      guard let last = page.last else { break }
      place = last.record.key
      let unlisted = try unlisted(page.compactMap(\.serverID), of: entity).prefix(left)
      left -= unlisted.count
      foundCount += try await records(Array(unlisted), of: entity).count
    }
    guard foundCount > 0 else { return false }
    var step = PlanStep()
    step.findings.append(.unlisted(entity, count: foundCount))
    try flush(&step)
    return true
  }

  /// Whether a record can be asked for by its identity, and is not looked for in a list.
  func isAskedAlone(_ entity: EntityName) -> Bool {
    profile.api?.entity(entity)?.isAskedAlone == true || desk.destination.traits.batchesChanges
  }

  /// Those of some identities that are not among what was read, and that nobody said are gone.
  private func unlisted(
    _ serverIDs: [String],
    of entity: EntityName
  ) throws(MigrationError) -> [String] {
    try checkpointing { () throws(CheckpointError) in
      let listed = try snapshot.records(serverIDs, of: entity)
      var unlisted: [String] = []
      for serverID in serverIDs where listed[serverID] == nil {
        if try !snapshot.isGone(serverID, of: entity) { unlisted.append(serverID) }
      }
      return unlisted
    }
  }

  /// Those of the records with these identities that are there, asked for alone.
  func records(
    _ serverIDs: [String],
    of entity: EntityName
  ) async throws(MigrationError) -> [RemoteRecord] {
    try await askAlone(serverIDs, of: entity, passesOverFaults: false).found
  }

  /// Asks for the records with these identities.
  ///
  /// Where each is asked for by itself, the destination may fail at one of them, which says nothing of the
  /// others: with `passesOverFaults` that is told, and does not end the reading.
  func askAlone(
    _ serverIDs: [String],
    of entity: EntityName,
    passesOverFaults: Bool
  ) async throws(MigrationError) -> AskedAlone {
    var asked = AskedAlone()
    guard !serverIDs.isEmpty else { return asked }
    let destination = desk.destination
    if destination.traits.batchesChanges {
      let found = try await desk.readingDestination { () async throws(DestinationError) in
        try await destination.records(of: entity, serverIDs: serverIDs)
      }
      asked.found = found.all
      return asked
    }
    let answers = await sideBySide(
      serverIDs,
      width: desk.concurrency,
      goesOn: { $0.failure.map { passesOverFaults && $0.isAnsweredFault } ?? true },
      { serverID in await answer(about: serverID, of: entity) }
    )
    for answer in answers {
      if let failure = answer.failure {
        guard passesOverFaults, failure.isAnsweredFault else { throw failure }
        asked.faults[JSONName(answer.serverID)] = failure
      } else if let record = answer.record {
        asked.found.append(record)
      }
    }
    return asked
  }

  private func answer(about serverID: String, of entity: EntityName) async -> AnswerAlone {
    var answer = AnswerAlone(serverID: serverID)
    do throws(MigrationError) {
      answer.record = try await desk.readingDestination { () async throws(DestinationError) in
        try await desk.destination.record(of: entity, serverID: serverID)
      }
    } catch {
      answer.failure = error
    }
    return answer
  }
}

/// What asking for some records alone came to; those in neither are not there.
struct AskedAlone {
  var found: [RemoteRecord] = []
  /// Why one could not be read, by its identity.
  var faults: [JSONName: MigrationError] = [:]
}

/// What asking for one record came to.
private struct AnswerAlone: Sendable {
  let serverID: String
  var record: RemoteRecord?
  var failure: MigrationError?
}

extension MigrationError {
  /// Whether the destination answered that something failed there.
  fileprivate var isAnsweredFault: Bool {
    guard case .destination(.unreachable(_, _, let isAnswered)) = self else { return false }
    return isAnswered
  }
}

extension Finding {
  /// Records of which their own addresses say another thing than the list.
  fileprivate static func unlisted(_ entity: EntityName, count: Int) -> Finding {
    Finding(
      code: "plan.unlisted",
      severity: .warning,
      entity: entity,
      cause: "\(count) record(s) of \(entity) answer at their own addresses, and the list does not "
        + "show them",
      cure: "where the server only retires records, write `presence: list` under `read` in the "
        + "profile, or `gone` with the member that marks a retired record"
    )
  }
}
