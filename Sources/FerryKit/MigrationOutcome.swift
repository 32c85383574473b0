import Checkpoint
import Execution
import Migration
import PackageStages
import Records
import Reporting
import UploadPlanning
import Verification

/// What a migration or a rollback came to.
public struct MigrationOutcome: Hashable, Sendable {
  /// How it ended.
  public let ending: Ending
  /// The name of the run, by which it is rolled back and handed back.
  public let run: String
  /// Why it stopped before its end.
  public let reason: String?
  /// What became of the records, by entity; every one that was read is in exactly one place.
  public let records: [Line]
  /// What became of the media files, by category.
  public let media: [Line]
  /// What reading everything back showed; empty when the run did not come so far.
  public let verified: [Check]
  /// What a person should know, at most 1,000 of each kind of source.
  public let findings: [MigrationFinding]
  /// Where the package lies on the device, which holds everything that was read.
  public let package: String

  /// How a run ended.
  public enum Ending: Hashable, Sendable {
    /// Everything is where it should be, read back and equal.
    case done
    /// It came to its end, but records were rejected or quarantined, or media that was to be fetched
    /// could not be.
    case doneWithRejects
    /// The destination differs from the package, or records are in conflict.
    case differences
    /// It was paused; the next start goes on with it.
    case paused
    /// A passing fault stopped it; the next start goes on with it.
    case stopped
    /// The destination refuses: sign-in, rights, quota.
    case refused
    /// It was given up or failed, and what it had sent is rolled back.
    case rolledBack
  }

  /// How many records of one entity ended where.
  public struct Line: Hashable, Sendable {
    /// The entity, or the category of media.
    public let name: String
    /// How many were read.
    public let read: Int
    /// Made at the destination.
    public let created: Int
    /// Changed there.
    public let updated: Int
    /// There already, and given the references or files that they lacked.
    public let completed: Int
    /// Removed there.
    public let deleted: Int
    /// To be removed there, and gone already.
    public let gone: Int
    /// There already with the same content.
    public let unchanged: Int
    /// Refused by the destination, or quarantined.
    public let rejected: Int
    /// Changed on both sides, and no one decided.
    public let conflicted: Int
    /// Not sent: derived, left out, or without a place at the destination.
    public let notSent: Int
    /// Still to be sent, or without an answer so far.
    public let remaining: Int
  }

  /// What reading one entity back showed.
  public struct Check: Hashable, Sendable {
    /// The entity, or the category of media.
    public let name: String
    /// Records that are there with the same content.
    public let same: Int
    /// Records that differ there.
    public let different: Int
    /// Records that are not there.
    public let missing: Int
    /// Records that are there and should not be.
    public let untracked: Int
  }
}

extension MigrationOutcome {
  init(_ migrated: MigrationResult, undo: RunResult?, of exported: ExportResult) {
    let isBack = undo.map { ExitStatus($0) == .done } ?? false
    self.init(
      migrated.result,
      ending: isBack
        ? .rolledBack : Ending(.strongest([ExitStatus(migrated), ExitStatus(exported)])),
      verification: migrated.verification,
      fetch: exported.fetch,
      undo: undo
    )
  }

  init(rollback result: RunResult) {
    let ending = Ending(ExitStatus(result))
    self.init(result, ending: ending == .done ? .rolledBack : ending, verification: nil, fetch: nil)
  }

  private init(
    _ result: RunResult,
    ending: Ending,
    verification: VerificationReport?,
    fetch: FetchReport?,
    undo: RunResult? = nil
  ) {
    self.ending = ending
    run = result.run.id
    reason =
      switch result.conclusion {
      case .passingFault(let reason), .refused(let reason): reason
      case .done, .interrupted: nil
      }
    records = result.summary.records.map(Line.init)
    media = result.summary.media.map(Line.init)
    verified = (verification?.lines ?? []).map(Check.init)
    let found = [
      fetch?.findings, result.summary.findings, verification?.findings, undo?.summary.findings,
    ]
    findings = found.compactMap(\.self).flatMap(\.self).map(MigrationFinding.init)
    package = result.run.packagePath
  }
}

extension MigrationOutcome.Ending {
  fileprivate init(_ status: ExitStatus) {
    self =
      switch status {
      case .done: .done
      case .finishedWithRejects: .doneWithRejects
      case .interrupted, .terminated: .paused
      case .passingFault: .stopped
      case .refused, .mismatch: .refused
      default: .differences
      }
  }
}

extension MigrationOutcome.Line {
  fileprivate init(_ line: RunSummary.Line) {
    func count(_ buckets: RecordOutcome...) -> Int {
      buckets.reduce(0) { $0 + (line.buckets[$1] ?? 0) }
    }
    name = line.entity.text
    read = line.total
    created = count(.created)
    updated = count(.updated)
    completed = count(.completed)
    deleted = count(.deleted)
    gone = count(.gone)
    unchanged = count(.unchanged, .duplicate)
    rejected = count(.rejected)
    conflicted = count(.conflicted)
    notSent = count(.skipped, .unmapped)
    remaining = count(.remaining, .unknown)
  }
}

extension MigrationOutcome.Check {
  fileprivate init(_ line: VerificationReport.Line) {
    name = line.entity.text
    same = line.sameCount
    different = line.differentCount
    missing = line.missingCount
    untracked = line.untrackedCount
  }
}
