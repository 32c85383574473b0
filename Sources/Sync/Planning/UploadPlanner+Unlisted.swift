import Checkpoint
import Records
import SyncReading
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
  /// - Returns: Whether any of them answers, so that the list alone does not say what is gone.
  func leavesOutRecords(of entity: EntityName) async throws -> Bool {
    guard isAskedAlone(entity) else { return false }
    var place = ""
    var left = Self.unlistedLimit
    var foundCount = 0
    while left > 0 {
      let after = place
      let page = try checkpoint.records(of: entity, after: after, limit: 1_000)
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
  func isAskedAlone(_ entity: EntityName) -> Bool { reader.isAskedAlone(entity) }

  /// Those of some identities that are not among what was read, and that no one said are gone.
  private func unlisted(
    _ serverIDs: [String],
    of entity: EntityName
  ) throws -> [String] {
    let listed = try snapshot.records(serverIDs, of: entity)
    var unlisted: [String] = []
    for serverID in serverIDs where listed[serverID] == nil {
      if try !snapshot.isGone(serverID, of: entity) { unlisted.append(serverID) }
    }
    return unlisted
  }

  /// Those of the records with these identities that are there, asked for alone.
  func records(
    _ serverIDs: [String],
    of entity: EntityName
  ) async throws -> [RemoteRecord] {
    try await reader.askAlone(serverIDs, of: entity, passesOverFaults: false).found
  }
}

extension Finding {
  /// Records of which their own addresses say another thing than the list.
  fileprivate static func unlisted(_ entity: EntityName, count: Int) -> Finding {
    Finding(
      code: "plan.unlisted",
      severity: .warning,
      entity: entity,
      cause: "the list does not show \(count.counted("record")) of \(entity), and their own "
        + "addresses answer",
      cure: "where the server only retires records, write `presence: list` under `read` in the "
        + "profile, or `gone` with the member that marks a retired record"
    )
  }
}
