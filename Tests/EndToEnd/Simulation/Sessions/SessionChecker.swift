import Execution
import Migration
import Reconciliation
import Records
import UploadPlanning

/// Decides from the destination and the packages alone whether every record is where it belongs.
struct SessionChecker {
  let scenario: SessionScenario
  let server: any SessionBackend

  /// Whether no other user had a hand in it, and every record could be taken.
  var isUndisturbed: Bool {
    server.disturbed.isEmpty && server.movedLate.isEmpty && scenario.flaws.isEmpty
  }

  private func rows(of record: RecordID) -> [SessionRow] {
    server.rows.filter { $0.maker == record }
  }

  /// Whether a record may be otherwise than it was sent: for what others did, or for its flaw.
  private func mayDiffer(_ line: SessionScenario.Line) -> Bool {
    server.disturbed.contains(line.record) || scenario.flaws.contains(line.record)
      || line.parent.map { server.disturbed.contains($0) || scenario.flaws.contains($0) } ?? false
  }

  /// Whether the run stated why a record is not as it was to be.
  ///
  /// A change of ours that came late gave it a version that no run knows: a conflict. Or it names another
  /// that is itself not sent there, and is named for that.
  private func isReported(_ record: RecordID, _ result: RunResult) -> Bool {
    if server.movedLate.contains(record), hasLeft(result, of: record.entity) { return true }
    // What is there is found, anyone who comes first, and where the store's own is to win it does.
    guard scenario.hasCircles, scenario.conflictPolicy != .local || !isUndisturbed else {
      return false
    }
    return hasLeft(result) && result.reportsError(of: record)
  }

  /// Whether the destination gave no version for a record that is to go, which a run then reports and leaves.
  private func isUnversioned(_ record: RecordID, _ result: RunResult) -> Bool {
    scenario.place == .stories && result.reportsError(of: record)
  }

  /// Whether a run reports of records, of one entity or of any, that it did not bring there.
  func hasLeft(_ result: RunResult, of entity: EntityName? = nil) -> Bool {
    if entity == nil, !result.summary.isWhole { return true }
    return result.summary.records.contains { line in
      (entity == nil || line.entity == entity)
        && (line.buckets[.conflicted] ?? 0) + (line.buckets[.rejected] ?? 0) > 0
    }
  }

  /// The records that the app made itself, and that take a picture only then, of which a run reports it; all
  /// of them where the result is not that of the only run, for what one stated before it was killed is not
  /// reported again.
  func pictureless(_ result: RunResult, isWhole: Bool) -> [RecordID] {
    guard scenario.link == .once else { return [] }
    return scenario.packages.joined().filter { $0.claim != nil }.map(\.record).filter { record in
      !isWhole
        || result.summary.findings.contains { finding in
          finding.names(record) && ["upload.fixed", "upload.conflict"].contains(finding.code)
        }
    }
  }

  func violations(
    after upload: SessionHistory.Upload,
    _ result: RunResult,
    _ pictureless: Set<RecordID>
  ) -> [String] {
    let lines = scenario.packages[upload.package]
    var violations: [String] = []
    for line in lines {
      let rows = rows(of: line.record)
      if rows.count > 1 {
        violations.append("\(line.record) is there \(rows.count) times: \(rows)")
      }
      guard !mayDiffer(line), !isReported(line.record, result) else { continue }
      if line.claim?.isDeleted == true {
        if !rows.isEmpty { violations.append("\(line.record) was deleted, and is there: \(rows)") }
        continue
      }
      guard let row = rows.first else {
        violations.append("\(line.record) is not there")
        continue
      }
      let team = line.parent.flatMap { self.rows(of: $0).first?.id }
      let late = line.late.flatMap { self.rows(of: $0).first?.id }
      let isLinked =
        row.late == late
        || line.late.map { server.disturbed.contains($0) || scenario.flaws.contains($0) } ?? false
      if row.name != line.name || row.value != line.value || row.team != team || !isLinked {
        violations.append("\(line.record) is \(row), and should be \(line)")
      }
    }
    let absent = Set(scenario.packages[..<upload.package].joined().map(\.record))
      .subtracting(lines.map(\.record))
    for record in absent.sorted(by: { "\($0)" < "\($1)" })
    where !server.disturbed.contains(record) && !isReported(record, result)
      && !isUnversioned(record, result) && rows(of: record).contains(where: { !isHeld($0) })
    {
      violations.append("\(record), which is in the store no more, is still there")
    }
    violations += untracked(since: upload.before)
    violations += tallies(lines, result)
    violations += pictures(of: lines.filter { !pictureless.contains($0.record) }, result)
    violations += dangling()
    return violations
  }

  /// Each record shows its picture.
  private func pictures(of lines: [SessionScenario.Line], _ result: RunResult) -> [String] {
    guard scenario.files != nil else { return [] }
    return lines.compactMap { line in
      guard !mayDiffer(line), !isReported(line.record, result),
        let row = rows(of: line.record).first
      else { return nil }
      let wanted = line.picture.map { "\(SessionScenario.digest(of: $0))" }
      let file = row.picture.flatMap { server.files.file(at: $0) }
      guard file?.digest != wanted || file?.isConfirmed == false else { return nil }
      return
        "\(line.record) shows \(file.map { "\($0)" } ?? row.picture ?? "nothing"), and should \(line)"
    }
  }

  /// No record names a file that is not there.
  private func dangling() -> [String] {
    guard !server.wasRestored else { return [] }
    return server.rows.compactMap { row in
      guard let address = row.picture, server.files.file(at: address) == nil else { return nil }
      return "\(row) names a file that is not there"
    }
  }

  /// What an upload sent and no one names is not there any more, where it was rolled back.
  private func leftFiles(of upload: SessionHistory.Upload, _ result: RunResult) -> [String] {
    guard !hasLeftFiles(result) else { return [] }
    let named = server.rows.compactMap(\.picture)
    return server.files.all.compactMap { file in
      guard upload.files.contains(file.key),
        !named.contains(SessionFiles.address(of: file.key))
      else { return nil }
      return "\(file) was left, and no record names it"
    }
  }

  private func hasLeftFiles(_ result: RunResult) -> Bool {
    result.summary.media.contains { line in
      (line.buckets[.conflicted] ?? 0) + (line.buckets[.rejected] ?? 0) > 0
    } || result.summary.findings.contains { $0.code == "media.orphaned" }
  }

  /// Every record of the package is informed of once.
  private func tallies(_ lines: [SessionScenario.Line], _ result: RunResult) -> [String] {
    SessionScenario.entities.compactMap { entity in
      let wanted = lines.count { $0.record.entity == entity && $0.claim?.isDeleted != true }
      let line = result.summary.records.first { $0.entity == entity }
      let removed = (line?.buckets[.deleted] ?? 0) + (line?.buckets[.gone] ?? 0)
      let reported = (line?.total ?? 0) - removed
      return reported < wanted
        ? "\(reported) of \(wanted) \(entity) are reported for: \(line?.buckets ?? [:])" : nil
    }
  }

  /// What was no one's before a command and was not touched is as it was, but for what the policy gives.
  private func untracked(since before: [SessionRow]) -> [String] {
    let own = Set(scenario.packages.joined().map(\.name))
    return before.compactMap { row in
      guard row.maker == nil, !own.contains(row.name) else { return nil }
      let now = server.rows.first { $0.id == row.id && $0.entity == row.entity }
      guard now?.isTouched != true, now != row, !server.removed.contains(row.id) else { return nil }
      return "\(row), which is another device's, is \(now.map { "\($0)" } ?? "gone")"
    }
  }

  /// Whether a row of others, or one that they changed, depends on a row, perhaps by way of further ones.
  private func isHeld(_ row: SessionRow) -> Bool {
    let rows = server.rows
    var reached: Set<String> = [row.id]
    var count = 0
    while count < reached.count {
      count = reached.count
      for other in rows where reached.contains(where: { other.names($0) }) {
        if other.maker.map({ server.disturbed.contains($0) }) ?? true { return true }
        reached.insert(other.id)
      }
    }
    return false
  }

  func violations(
    afterRollbackOf upload: SessionHistory.Upload,
    _ result: RunResult,
    lastPackage: Int
  ) -> [String] {
    var violations = untracked(since: upload.before)
    violations += dangling() + leftFiles(of: upload, result)
    let records = Set(scenario.packages[...upload.package].joined().map(\.record))
    for record in records.sorted(by: { "\($0)" < "\($1)" })
    where !server.disturbed.contains(record) {
      let isWanted = scenario.packages[upload.package...lastPackage].allSatisfy { lines in
        lines.contains { $0.record == record && $0.claim?.isDeleted != true }
      }
      let before = upload.before.filter { $0.maker == record }
      let now = rows(of: record)
      // What the user deleted stays so, and what others need is not taken from under them.
      if !isWanted, now.isEmpty { continue }
      if before.isEmpty, now.count == 1, isHeld(now[0]) { continue }
      guard now.count == before.count else {
        violations.append("\(record) existed \(before.count) times, and is \(now.count) times")
        continue
      }
      for (old, new) in zip(before, now) where old.name != new.name || old.value != new.value {
        // A file that was a part of the record cannot be put back.
        if scenario.files == .parts, old.picture != new.picture, result.reportsError(of: record) {
          continue
        }
        violations.append("\(record) was \(old), and is \(new)")
      }
    }
    return violations
  }
}

extension RunResult {
  /// Whether a finding says that something of a record went wrong.
  fileprivate func reportsError(of record: RecordID) -> Bool {
    summary.findings.contains { $0.severity == .error && $0.names(record) }
  }
}

extension Finding {
  /// Whether it is about a record.
  fileprivate func names(_ record: RecordID) -> Bool {
    entity == record.entity && self.record == record.key
  }
}
