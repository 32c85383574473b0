import Checkpoint
package import Execution
package import Migration
package import PackageStages
package import RowExport
import StageSupport
package import UploadPlanning
package import Verification

/// How a command ended, as a number that never changes its meaning.
package enum ExitStatus: Int32, Sendable, CaseIterable {
  case done = 0
  /// A failure not named here.
  case failure = 1
  /// The plan has changes (`--detailed-exitcode` only).
  case planHasChanges = 2
  /// Finished, but records were rejected or quarantined, media could not be fetched, or a store or database
  /// of a folder is not read.
  case finishedWithRejects = 3
  /// The package or a document is invalid; nothing was sent.
  case invalid = 4
  /// Stopped by a passing fault; a rerun resumes.
  case passingFault = 5
  /// Differences, conflicts, breaking or lossy changes, or rows that a rollback kept or failed to
  /// roll back.
  case differences = 6
  /// The destination refuses: sign-in, rights, quota, wrong environment.
  case refused = 7
  /// A limit given by flag was reached.
  case limitReached = 8
  /// The source is missing, unreadable, unsupported, unsteady or implausibly empty.
  case sourceUnusable = 10
  /// Locked by another run.
  case locked = 11
  /// Checkpoint, package or profile do not belong together, are damaged or too new.
  case mismatch = 12
  case usage = 64
  /// Interrupted by the person, saved; a rerun resumes.
  case interrupted = 130
  /// Terminated by the system, saved; a rerun resumes.
  case terminated = 143

  /// The name that a summary repeats.
  package var name: String {
    switch self {
    case .done: "done"
    case .failure: "failed"
    case .planHasChanges: "changes"
    case .finishedWithRejects: "finished with rejects"
    case .invalid: "invalid"
    case .passingFault: "stopped by a passing fault"
    case .differences: "differences"
    case .refused: "refused by the destination"
    case .limitReached: "limit reached"
    case .sourceUnusable: "source unusable"
    case .locked: "locked"
    case .mismatch: "mismatch"
    case .usage: "usage"
    case .interrupted: "interrupted"
    case .terminated: "terminated"
    }
  }

  /// Whether a machine may simply run the same line again.
  package var mayRetry: Bool {
    switch self {
    case .passingFault, .interrupted, .terminated, .locked: true
    default: false
    }
  }

  /// The order in which one of several statuses is chosen: the first wins.
  private static let precedence: [ExitStatus] = [
    .failure, .sourceUnusable, .locked, .usage, .interrupted, .terminated, .mismatch, .refused,
    .invalid, .differences, .limitReached, .passingFault, .finishedWithRejects, .planHasChanges,
  ]

  /// The status that is when several apply.
  package static func strongest(_ statuses: some Sequence<ExitStatus>) -> ExitStatus {
    let given = Set(statuses)
    return precedence.first { given.contains($0) } ?? .done
  }
}

extension ExitStatus {
  /// The status of an error that ended a command.
  package init(_ error: any Error) {
    self =
      switch Failure(error).kind {
      case .other: .failure
      case .passing: .passingFault
      case .source: .sourceUnusable
      case .mismatch: .mismatch
      case .invalid: .invalid
      case .usage: .usage
      case .refused: .refused
      case .limit: .limitReached
      case .locked: .locked
      case .interrupted: .interrupted
      }
  }

  /// The status of a run's end.
  package init(_ conclusion: EngineConclusion) {
    self =
      switch conclusion {
      case .done: .done
      case .passingFault: .passingFault
      case .refused: .refused
      case .interrupted: .interrupted
      }
  }

  /// The status of an export: whether all of it is in the package.
  package init(_ export: ExportResult) {
    let isWhole =
      export.rejectedCount == 0 && (export.fetch?.failedCount ?? 0) == 0 && !export.hasUnreadRows
    self = isWhole ? .done : .finishedWithRejects
  }

  /// The status of an export of rows: whether each record that has a table has a row.
  package init(_ rows: RowExportResult) {
    self = rows.isWhole ? .done : .finishedWithRejects
  }

  /// The status of an upload or a rollback.
  package init(_ result: RunResult) {
    var statuses = [ExitStatus(result.conclusion)]
    if let fault = result.accountFault { statuses.append(ExitStatus(fault)) }
    let summary = result.summary
    if summary.hasAny(.conflicted) { statuses.append(.differences) }
    if summary.hasAny(.rejected) || summary.hasUncompleted {
      // What should be gone is still there: that is a difference, anyone who is to blame.
      statuses.append(result.run.kind == .rollback ? .differences : .finishedWithRejects)
    }
    if summary.hasUnreplayedQueue { statuses.append(.finishedWithRejects) }
    self = .strongest(statuses)
  }

  /// The status of a plan that the run did not ask more of: what it would refuse, and what a person has to
  /// decide.
  package init(plan summary: RunSummary) {
    var statuses: [ExitStatus] = [.done]
    if summary.hasAny(.rejected) || summary.hasUnreplayedQueue {
      statuses.append(.finishedWithRejects)
    }
    if summary.hasAny(.conflicted) { statuses.append(.differences) }
    self = .strongest(statuses)
  }

  /// The status of a verification: a conflict that the last run settled in favour of the destination is a
  /// difference as well.
  package init(_ report: VerificationReport) {
    self = report.isClean && !report.hasNewConflicts ? .done : .differences
  }

  /// The status of the whole way: what was refused is missing for a known reason, anything else that
  /// is not as it should be is a difference.
  package init(_ migrated: MigrationResult) {
    var status: ExitStatus = migrated.isUnread ? .interrupted : ExitStatus(migrated.result)
    if let undo = migrated.undo { status = .strongest([status, ExitStatus(undo)]) }
    guard let report = migrated.verification, !report.isClean,
      status == .done || !report.isExplainedByRejects
    else {
      self = status
      return
    }
    self = .strongest([status, .differences])
  }
}
