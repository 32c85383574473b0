import DestinationModel
import ExportPackage
import Profiles
import Records
import StageSupport
import SyncReading

extension Verifier {
  /// Asks for every file that was sent, where the destination can know, and compares what it holds.
  ///
  /// - Returns: `nil` where it cannot, and where none was sent.
  func verifyFiles(
    _ entity: EntityName,
    of package: PackageReader,
    _ interruption: CancellationToken,
    into report: inout VerificationReport
  ) async throws -> VerificationReport.Line? {
    var line = VerificationReport.Line(entity: entity)
    var isAnySent = false
    var isKnowable = true
    try await reader.forEachSentFile(of: entity, comparedWith: package, interruption) {
      files in
      isAnySent = true
      for (file, state) in files {
        switch try state.get() {
        case .unknowable:
          isKnowable = false
          return false
        case .absent:
          line.missingCount += 1
          report.add(.missing(file: file.record))
        case .present: line.sameCount += 1
        case .other:
          line.differentCount += 1
          report.add(.different(file: file.record))
        }
      }
      return true
    }
    if !isKnowable, isSentByTickets { report.add(.unread(entity)) }
    return isAnySent && isKnowable ? line : nil
  }

  /// Whether what became of a file is reported by no record either, as it is where a file is part of one.
  private var isSentByTickets: Bool {
    guard let media = profile.api?.media, case .tickets = media.way else { return false }
    return true
  }
}

extension Finding {
  /// Files that no one can look at: that their records are as they were sent says nothing of them.
  fileprivate static func unread(_ entity: EntityName) -> Finding {
    Finding(
      code: "verify.files-unread",
      severity: .note,
      entity: entity,
      cause: "Ferry did not check whether the sent files still exist: the destination "
        + "does not list its files",
      cure: "open some at the destination, if it matters"
    )
  }

  fileprivate static func missing(file: RecordID) -> Finding {
    Finding(
      code: "verify.missing",
      severity: .error,
      entity: file.entity,
      record: file.key,
      cause: "the file is no longer at the destination",
      cure:
        "find out who removed it; a run with --full and --on-conflict local sends it "
        + "again"
    )
  }

  fileprivate static func different(file: RecordID) -> Finding {
    Finding(
      code: "verify.different",
      severity: .error,
      entity: file.entity,
      record: file.key,
      cause: "another file lies at the destination where it belongs",
      cure: "find out who put it there; remove it, and run `ferry migrate` or `ferry upload` again"
    )
  }
}
