import Checkpoint
import DestinationModel
package import ExportPackage
import Profiles
package import Records
import RequestMapping
import Retrying
package import StageSupport
package import SyncReading
import ScratchFiles

/// What reading everything back showed.
package struct VerificationReport: Hashable, Sendable {
  package struct Line: Hashable, Sendable {
    package let entity: EntityName
    /// Records of the package that the destination has with the same content.
    package var sameCount = 0
    /// Records that differ, or of which the destination does not show whether they do.
    package var differentCount = 0
    /// Records of which a conflict left the destination's content, so that it is not what the package says.
    package var conflictedCount = 0
    package var missingCount = 0
    /// Records that the last run could not place: refused, in conflict, or still to be sent.
    package var unsentCount = 0
    /// Records at the account that neither existed before nor belong to this package.
    package var untrackedCount = 0
    /// Records that the destination has no place for, which are left out.
    package var leftOutCount = 0
  }

  package var lines: [Line] = []
  /// At most ``findingLimit`` of them, and the first of each rule.
  package private(set) var findings: [Finding] = []
  /// How many findings each rule has, however many are listed.
  package private(set) var ruleCounts: [Finding.Rule: Int] = [:]

  /// How many findings there are of each severity, however many are listed.
  package var findingCounts: [Finding.Severity: Int] { ruleCounts.bySeverity }

  /// Whether the last run settled a conflict by its policy in favour of the destination.
  package internal(set) var hasNewConflicts = false

  package static let findingLimit = 1_000

  /// Whether the destination holds exactly what the package, and how conflicts ended, say it should.
  package var isClean: Bool {
    lines.allSatisfy {
      $0.differentCount == 0 && $0.missingCount == 0 && $0.untrackedCount == 0
        && $0.unsentCount == 0
    }
  }

  /// Whether records that were not sent are all that is wrong.
  package var isExplainedByRejects: Bool {
    lines.allSatisfy {
      $0.differentCount == 0 && $0.missingCount == 0 && $0.untrackedCount == 0
    }
  }

  /// Counts a finding, and lists it where there is space or its rule has none yet.
  mutating func add(_ finding: Finding) {
    let count = ruleCounts[finding.rule, default: 0]
    ruleCounts[finding.rule] = count + 1
    if findings.count < Self.findingLimit || count == 0 { findings.append(finding) }
  }
}

/// Reads back what runs sent to the destination, and compares it with the package.
package struct Verifier: Sendable {
  package let reader: SyncReader
  package let package: PackageReader
  /// The names of the account that is signed in.
  package let names: AccountNames
  /// Which records are sent.
  package let selection: Selection
  package let progress: ProgressReporter

  package init(
    reader: SyncReader,
    package: PackageReader,
    names: AccountNames,
    selection: Selection,
    progress: ProgressReporter
  ) {
    self.reader = reader
    self.package = package
    self.names = names
    self.selection = selection
    self.progress = progress
  }

  var profile: Profile { reader.profile }
  var checkpoint: CheckpointFile { reader.checkpoint }
  var destination: any Destination { reader.destination }
}

extension Verifier {
  /// Reads every record back and compares its content with the package.
  ///
  /// Where nothing differs, the destination's own mark is remembered, and the next run asks only for
  /// what changed since. Where a record is gone, the next run reads everything.
  ///
  /// The versions that the destination gives to records whose content agrees are remembered, so
  /// that a later run or a rollback can know whether another device changed them since.
  ///
  /// What was left to the destination against the store's word counts as the same where it `isAgreed` on.
  package func verify(
    interruption: CancellationToken,
    isAgreed: Bool
  ) async throws -> VerificationReport {
    progress.report(.stageBegan(.verify))
    try selection.check(profile, package)
    let snapshot = try reader.snapshot()
    var report = VerificationReport()
    for finding in reader.neighbours.unreported() { report.add(finding) }
    var done = 0
    let earlier = try checkpoint.lastDiffering()
    for entity in profile.entities {
      guard entity.isSent(to: profile.api, selection) else {
        let count = package.manifest.recordCount(of: entity.name)
        report.lines.append(VerificationReport.Line(entity: entity.name, leftOutCount: count))
        continue
      }
      if interruption.isCancelled { throw MigrationError.interrupted }
      guard try reader.concerns(entity.name, in: package) else {
        report.lines.append(VerificationReport.Line(entity: entity.name))
        continue
      }
      let mark = try await read(entity.name, into: snapshot, reader: reader)
      var comparison = EntityComparison(
        rule: names.rule(for: entity, selection),
        reader: reader,
        snapshot: snapshot,
        leavesParents: leavesRecords,
        takesLeft: isAgreed
      )
      let undone = try comparison.compareRemoved(into: &report)
      try checkpoint.refute(undone, now: reader.clock.wallSeconds())
      var lines = try PackagedLines(of: entity.name, in: package, reader.mappings)
      while let line = try lines.next() {
        try checkpoint.holdReading()
        try comparison.compare(line.bytes, line.source, into: &report)
        done += 1
        if done.isMultiple(of: 1_000) {
          progress.report(.advanced(.verify, done: done, total: package.manifest.recordCount))
        }
        if comparison.unread.count == SyncReader.readTogether {
          try checkpoint.endReading()
          try await comparison.compareUnread(of: package, interruption, into: &report)
        }
        if comparison.differing.count >= 1_000 {
          try checkpoint.endReading()
          try comparison.saveDiffering()
        }
      }
      try checkpoint.endReading()
      try await comparison.compareUnread(of: package, interruption, into: &report)
      try comparison.saveDiffering()
      try checkpoint.forgetDiffering(of: entity.name, upTo: earlier)
      for (member, count) in comparison.unmapped.sorted(by: { $0.key < $1.key })
      where !profile.accepts(entity.name, member) {
        report.add(
          .unmapped(
            entity.name,
            member: member,
            count: count,
            isAccepted: false,
            isKey: member == reader.mappings[entity.name].program.lostKey
          )
        )
      }
      for (member, count) in comparison.unshown.sorted(by: { $0.key < $1.key }) {
        report.add(.unknown(entity.name, empty: member, count: count))
      }
      try comparison.finish(into: &report)
      // What is gone may be in no list of changes: the next run reads everything, and reports it too. What
      // no one knows yet has to be among the changes that it is informed of.
      let isWhole = comparison.isAgreed && comparison.line.untrackedCount == 0
      if mark != nil && isWhole || comparison.line.missingCount > 0 {
        try checkpoint.setCursor(comparison.isAgreed ? mark : nil, of: entity.name)
      }
    }
    try checkpoint.setReadBack()
    if reader.traits.takesMedia {
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
      // They take no space from what is missing.
      for category in profile.mediaCategories {
        try await findOrphans(.media(category), interruption, into: &report)
      }
    }
    progress.report(.stageEnded(.verify))
    return report
  }

  /// Whether any record may be left out by its owner, its state or a person's choice.
  private var leavesRecords: Bool {
    selection != .all
      || profile.entities.contains { $0.owner != nil || $0.sync != nil }
  }

  private func read(
    _ entity: EntityName,
    into snapshot: DestinationSnapshot,
    reader: SyncReader
  ) async throws -> String? {
    let mark = try await reader.forEachPage(of: entity) { page in
      try snapshot.drop(page.removed, of: entity)
      try snapshot.add(page.records.map { ($0, nil) }, of: entity)
      try snapshot.addGone(page.removed, of: entity)
    }
    return reader.traits.listsChangesSince[entity] == true ? mark : nil
  }
}
