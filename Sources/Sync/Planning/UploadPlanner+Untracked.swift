import Checkpoint
import Records
import RequestMapping
import SyncReading
import UploadPlanning
import ScratchFiles

extension UploadPlanner {
  /// Counts what others sent to the account since the last run as seen: no run of this checkpoint
  /// made it.
  ///
  /// What is the same as a record that a run made is not counted so. It may be its second copy, which
  /// a repeated request made: verifying goes on reporting it, and a rollback takes it away.
  func reportUntracked(_ entity: EntityName) throws {
    let untracked = UntrackedRecords(reader: reader, snapshot: snapshot)
    if untracked.canJudge(entity) {
      try setNaturalKeys(of: entity)
      try takeCopies(entity, untracked)
    }
    try forEachUntaken(entity) { records in
      try checkpoint.addSeen(records.map(\.serverID), of: entity)
    }
  }

  /// Takes the unknown records that are the same as one that a run made.
  private func takeCopies(
    _ entity: EntityName,
    _ untracked: UntrackedRecords
  ) throws {
    let mapping = reader.mappings[entity]
    var count = 0
    try reader.mappings.forEachRecord(of: entity, in: package) { line, _ in
      let form: RequestFieldSet
      let key: String
      do throws(MappingError) {
        let read = try mapping.record(line)
        guard let found = read.key else { return }
        key = found
        form = try read.form(resolver.leavingOpen())
      } catch {
        return
      }
      let id = RecordID(entity: entity, key: key)
      guard try checkpoint.isMadeByRun(id) else { return }
      for copy in try untracked.like(form, of: entity).same
      where try !untracked.isAccountedFor(copy.serverID, of: entity) {
        try untracked.take(copy, for: id)
        count += 1
      }
    }
    guard count > 0 else { return }
    var step = PlanStep()
    step.findings.append(.duplicates(entity, count: count))
    try flush(&step)
  }

  private func forEachUntaken(
    _ entity: EntityName,
    _ body: ([RemoteRecord]) throws -> Void
  ) throws {
    var place = ""
    while true {
      let after = place
      let page = try snapshot.untaken(of: entity, after: after, limit: 1_000)
      guard let last = page.last else { return }
      place = last.serverID
      try body(page)
    }
  }
}
