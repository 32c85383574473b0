import Checkpoint
import DestinationModel
import ExportPackage
import JSONText
import Profiles
package import Records
package import StageSupport
import UploadPlanning

/// What reading everything back showed.
package struct VerificationReport: Hashable, Sendable {
  package struct Line: Hashable, Sendable {
    package let entity: EntityName
    /// Records of the package that the destination has with the same content.
    package var sameCount = 0
    /// Records that differ, or are not there.
    package var differentCount = 0
    /// Records of which a conflict left the destination's content, so that it is not what the package says.
    package var conflictedCount = 0
    package var missingCount = 0
    /// Records that the last run could not place: refused, in conflict, or still to be sent.
    package var unsentCount = 0
    /// Records at the account that neither were there before nor belong to this package.
    package var surplusCount = 0
    /// Records that the destination has no place for, which are left out.
    package var leftOutCount = 0
  }

  package var lines: [Line] = []
  /// At most ``findingLimit`` of them; the counts are whole, and of files that are in no count the number
  /// is told that are not named.
  package var findings: [Finding] = []

  /// Whether the last run settled a conflict by its policy in favour of the destination.
  package internal(set) var hasNewConflicts = false

  package static let findingLimit = 1_000

  /// Whether the destination holds exactly what the package, and how conflicts ended, say it should.
  package var isClean: Bool {
    lines.allSatisfy {
      $0.differentCount == 0 && $0.missingCount == 0 && $0.surplusCount == 0 && $0.unsentCount == 0
    }
  }

  /// Whether records that were not sent are all that is wrong.
  package var isExplainedByRejects: Bool {
    lines.allSatisfy {
      $0.differentCount == 0 && $0.missingCount == 0 && $0.surplusCount == 0
    }
  }

  /// Gives whether there was room for it.
  @discardableResult
  mutating func add(_ finding: Finding) -> Bool {
    guard findings.count < Self.findingLimit else { return false }
    findings.append(finding)
    return true
  }
}

extension UploadSession {
  /// Reads every record back and compares its content with the package.
  ///
  /// Where nothing differs, the destination's own mark is remembered, and the next run asks only for
  /// what changed since. Where a record is gone, the next run reads everything.
  ///
  /// The versions that the destination gives to records whose content agrees are remembered, so
  /// that a later run or a rollback can tell whether somebody changed them since.
  ///
  /// What was left to the destination against the store's word counts as the same where it `isAgreed` on.
  package func verify(
    interruption: Interruption,
    isAgreed: Bool = true
  ) async throws(MigrationError) -> VerificationReport {
    progress.report(.stageBegan(.verify))
    let package = try package()
    try options.plan.selection.check(profile, package)
    let names = try names(in: package)
    let desk = try desk(findings: FindingCollector())
    let snapshot = try snapshot()
    var report = VerificationReport()
    report.findings = neighbours.untold()
    var done = 0
    for entity in profile.entities {
      let count = package.manifest.recordCount(of: entity.name)
      guard entity.bucketWithoutSending(profile.api) == nil else {
        report.lines.append(
          VerificationReport.Line(entity: entity.name, leftOutCount: count)
        )
        continue
      }
      guard !options.plan.selection.leavesOut(entity.name) else {
        report.lines.append(
          VerificationReport.Line(entity: entity.name, leftOutCount: count)
        )
        continue
      }
      if interruption.isWished { throw .interrupted }
      let mark = try await read(entity.name, into: snapshot, desk: desk)
      var comparison = EntityComparison(
        entity: entity.name,
        desk: desk,
        snapshot: snapshot,
        checkpoint: checkpoint,
        rule: names.rule(for: entity, options.plan.selection),
        leavesParents: leavesRecords,
        takesLeft: isAgreed
      )
      try desk.wires.forEachRecord(of: entity.name, in: package) {
        line,
        source throws(MigrationError) in
        try comparison.compare(line, source, into: &report)
        done += 1
        if done.isMultiple(of: 1_000) {
          progress.report(.advanced(.verify, done: done, total: package.manifest.recordCount))
        }
      }
      for (member, count) in comparison.unplaced.sorted(by: { $0.key < $1.key })
      where !profile.accepts(entity.name, member) {
        report.add(.unplaced(entity.name, member: member, count: count, isAccepted: false))
      }
      try comparison.finish(into: &report)
      // What is gone may be in no list of changes: the next run reads everything, and tells it too. What
      // nobody knows yet has to be among the changes that it is told of.
      let isWhole = comparison.isAgreed && comparison.line.surplusCount == 0
      if mark != nil && isWhole || comparison.line.missingCount > 0 {
        try checkpointing { () throws(CheckpointError) in
          try checkpoint.setMark(comparison.isAgreed ? mark : nil, of: entity.name)
        }
      }
    }
    if destination.traits.takesMedia {
      for category in profile.mediaCategories {
        if let line = try await verifyFiles(
          .media(category),
          of: package,
          interruption,
          into: &report
        ) {
          report.lines.append(line)
        }
      }
      // They take no room from what is missing.
      for category in profile.mediaCategories {
        try await findStrays(.media(category), interruption, into: &report)
      }
    }
    progress.report(.stageEnded(.verify))
    return report
  }

  /// Whether any record may be left out by its owner, its state or a person's choice.
  private var leavesRecords: Bool {
    options.plan.selection != .all
      || profile.entities.contains { $0.owner != nil || $0.sync != nil }
  }

  private func read(
    _ entity: EntityName,
    into snapshot: DestinationSnapshot,
    desk: OperationDesk
  ) async throws(MigrationError) -> String? {
    let mark = try await desk.forEachPage(of: entity) { page throws(MigrationError) in
      try checkpointing { () throws(CheckpointError) in
        try snapshot.drop(page.removed, of: entity)
        try snapshot.add(page.records.map { ($0, nil) }, of: entity)
        try snapshot.addGone(page.removed, of: entity)
      }
    }
    return destination.traits.canTellChangesSince[entity] == true ? mark : nil
  }
}

/// Compares the records of one entity, one after the other.
struct EntityComparison {
  let entity: EntityName
  let desk: OperationDesk
  let snapshot: DestinationSnapshot
  let checkpoint: CheckpointFile
  let rule: LeaveRule
  let leavesParents: Bool
  /// Whether what was left to the destination against the store's word is what should be there.
  let takesLeft: Bool
  var line: VerificationReport.Line
  /// How many records have something in a member that the destination has no place for.
  private(set) var unplaced: [String: Int] = [:]
  var versions: [(record: RecordID, version: String)] = []
  /// Whether records of the destination can be found by what a person tells them by.
  var hasNaturalKeys = false

  init(
    entity: EntityName,
    desk: OperationDesk,
    snapshot: DestinationSnapshot,
    checkpoint: CheckpointFile,
    rule: LeaveRule,
    leavesParents: Bool,
    takesLeft: Bool
  ) {
    self.rule = rule
    self.takesLeft = takesLeft
    self.leavesParents = leavesParents
    self.entity = entity
    self.desk = desk
    self.snapshot = snapshot
    self.checkpoint = checkpoint
    line = VerificationReport.Line(entity: entity)
  }

  /// Whether all that was sent is there as it was sent.
  var isAgreed: Bool { line.differentCount == 0 && line.missingCount == 0 }

  mutating func compare(
    _ bytes: [UInt8],
    _ source: RecordSource,
    into report: inout VerificationReport
  ) throws(MigrationError) {
    var read: WireRecord
    // A validated package has no line that is none; a damaged one is refused before.
    do throws(WireRefusal) { read = try desk.wires[entity].record(bytes) } catch { return }
    guard let key = read.key else { return }
    let record = RecordID(entity: entity, key: key)
    let known = try checkpointing { () throws(CheckpointError) in try checkpoint.known(record) }
    do throws(WireRefusal) {
      read = try desk.wires[entity].record(bytes, carriedAs: known) ?? read
    } catch {
      return
    }
    let claim = read.claim
    let isIgnored = claim.meaning == .ignore && !claim.isDeleted
    if !read.missingNeeds.isEmpty || isIgnored || rule.reason(for: read) != nil {
      line.leftOutCount += 1
      return
    }
    if claim.isDeleted { return try compareDeleted(record, known, claim, into: &report) }
    for member in read.unplaced { unplaced[member, default: 0] += 1 }
    guard let serverID = known?.serverID else {
      if leavesParents, hangsOnNothing(read) {
        line.leftOutCount += 1
        return
      }
      line.unsentCount += 1
      report.add(.unsent(record, isInTheWay: try takeRival(of: record, read)))
      return
    }
    let remote = try checkpointing { () throws(CheckpointError) in
      let remote = try snapshot.record(serverID, of: entity)
      if remote != nil { try snapshot.take(serverID, of: entity, for: key) }
      return remote
    }
    guard let remote else {
      line.missingCount += 1
      report.add(
        .verification(
          record,
          "verify.missing",
          "the destination no longer has it",
          "find out who removed it; `ferry upload` with --full and --on-conflict local makes it again"
        )
      )
      return
    }
    let isSent = known?.content == OperationKey.digest(of: bytes)
    try judge(record, read, remote, known: known, isSent: isSent, into: &report)
  }

  private mutating func judge(
    _ record: RecordID,
    _ read: WireRecord,
    _ remote: RemoteRecord,
    known: KnownRecord?,
    isSent: Bool,
    into report: inout VerificationReport
  ) throws(MigrationError) {
    let left: JSONObject
    let changes: [String]
    let unlinked: [String]
    var isOwn = true
    do throws(WireRefusal) {
      let resolver = desk.namingDeleted(WireResolver(checkpoint: checkpoint), snapshot)
      let form = try read.form(resolver)
      left = try sent(record, read, known)
      let seen = try differing(remote, form, left)
      changes = try seen.isEmpty && !isSent ? emptied(record, read, known, remote) : seen
      if !left.isEmpty {
        isOwn = try desk.wires[entity].changes(from: remote.body, to: form.whole).isEmpty
      }
      // Where somebody's address stands, and was left, none is missing.
      unlinked = try read.unlinkedMembers(resolver).filter { left[$0] == nil }
    } catch {
      line.differentCount += 1
      report.add(.verification(record, error.code, error.reason, "run `ferry upload` again"))
      return
    }
    let isSame = changes.isEmpty && unlinked.isEmpty
    if !isSame, read.claim.meaning == .synced, remote.version != known?.version {
      // The app knows of no change of its own: what stands there is newer, and stays.
      line.leftOutCount += 1
      return
    }
    guard changes.isEmpty else {
      line.differentCount += 1
      report.add(
        .verification(
          record,
          "verify.different",
          "it differs at the destination in \(changes.joined(separator: ", "))",
          "see who changed it; a change in the app is sent by the next `ferry upload`, and what a "
            + "backup took back by one with --full and --on-conflict local"
        )
      )
      return
    }
    guard unlinked.isEmpty else {
      line.unsentCount += 1
      report.add(.withoutFile(record, unlinked))
      return
    }
    if !isOwn { isOwn = try !isOfConflict(record, into: &report) }
    if isOwn { line.sameCount += 1 }
    // Where the destination's state was left standing, the version that the app knows stays the one that counts.
    if let version = remote.version, version != known?.version,
      left.isEmpty || known?.version == nil, isSent || read.isAsSent(known)
    {
      versions.append((record, version))
      if versions.count >= 1_000 { try saveVersions() }
    }
  }

  private mutating func saveVersions() throws(MigrationError) {
    let batch = versions
    versions = []
    try checkpointing { () throws(CheckpointError) in try checkpoint.setVersions(batch) }
  }

  /// Counts what is at the account and belongs to nobody known.
  mutating func finish(into report: inout VerificationReport) throws(MigrationError) {
    try saveVersions()
    var place = ""
    while true {
      let after = place
      let page = try checkpointing { () throws(CheckpointError) in
        try snapshot.untaken(of: entity, after: after, limit: 1_000)
      }
      guard let last = page.last else { break }
      place = last.serverID
      for remote in page {
        let isAccountedFor = try checkpointing { () throws(CheckpointError) in
          if try checkpoint.isAccountedFor(remote.serverID, of: entity) { return true }
          for sibling in desk.siblings {
            if try sibling.holds(remote.serverID, of: entity) { return true }
          }
          return false
        }
        guard !isAccountedFor else { continue }
        line.surplusCount += 1
        report.add(
          Finding(
            code: "verify.surplus",
            severity: .warning,
            entity: entity,
            record: remote.serverID,
            cause: "the destination holds a record that no run of this store made",
            cure: "see whether another device made it; a second copy that a late request of a run "
              + "made goes with `ferry rollback` of that run"
          )
        )
      }
    }
    report.lines.append(line)
  }
}

extension Finding {
  /// A record that is there as it was sent, and whose file never was.
  fileprivate static func withoutFile(_ record: RecordID, _ members: [String]) -> Finding {
    verification(
      record,
      "verify.unsent",
      "the file for \(members.joined(separator: ", ")) was not sent, so it is not at the destination",
      "run `ferry upload` again; if the file was refused, mend it first"
    )
  }

  /// A record that no run sent, and whether the destination has another content in its place.
  fileprivate static func unsent(_ record: RecordID, isInTheWay: Bool) -> Finding {
    isInTheWay
      ? verification(
        record,
        "verify.unsent",
        "it was not sent, and the destination has other content in its place",
        "see what the run said of it; `ferry upload` with --on-conflict local sends the store's own"
      )
      : verification(
        record,
        "verify.unsent",
        "it was not sent, so it is not at the destination",
        "run `ferry upload` again; if it was refused, mend the record first"
      )
  }

  static func verification(
    _ record: RecordID,
    _ code: String,
    _ cause: String,
    _ cure: String
  ) -> Finding {
    Finding(
      code: code,
      severity: .error,
      entity: record.entity,
      record: record.key,
      cause: cause,
      cure: cure
    )
  }
}
