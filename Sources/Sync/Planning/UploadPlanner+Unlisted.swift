import Checkpoint
import JSONText
import Records
import RequestMapping
import SyncReading
import UploadPlanning
import ScratchFiles

extension UploadPlanner {
  /// Asks for records that are known and that a list did not show, by their identities, and reports those
  /// that answer.
  ///
  /// A server may only retire what it removes. A list that is read page by page while another client removes
  /// a row may pass over another row, and some destinations list late what was made: neither is gone.
  ///
  /// - Returns: Whether any of them answers, or cannot be read, so that the list alone does not say what is gone.
  func leavesOutRecords(of entity: EntityName) async throws -> Bool {
    guard isAskedAlone(entity), !reader.mappings.isAskedSingly(entity) else { return false }
    var place = ""
    var left = SyncReader.askedUnlisted
    var foundCount = 0
    var isUnread = false
    while left > 0 {
      let after = place
      let page = try checkpoint.records(of: entity, after: after, limit: 1_000)
      guard let last = page.last else { break }
      place = last.record.key
      let unlisted = try unlisted(page.compactMap(\.serverID), of: entity).prefix(left)
      left -= unlisted.count
      let asked = try await reader.askAlone(
        Array(unlisted),
        of: entity,
        passesOverFaults: true
      )
      foundCount += asked.found.count
      if !asked.faults.isEmpty { isUnread = true }
      let there = Set(asked.found.map { JSONName($0.serverID) }).union(asked.faults.keys)
      try snapshot.addGone(unlisted.filter { !there.contains(JSONName($0)) }, of: entity)
    }
    guard foundCount > 0 else { return isUnread }
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
      cure: retiring
    )
  }
}
