import Backends
import Checkpoint
import ExportPackage
import Files
import Profiles
import Records

extension UploadSession {
  /// Asks for every file that was sent, where the destination can tell.
  ///
  /// - Returns: `nil` where it cannot, and where none was sent.
  func verifyFiles(
    _ entity: EntityName,
    of package: PackageReader,
    _ interruption: Interruption,
    into report: inout VerificationReport
  ) async throws(MigrationError) -> VerificationReport.Line? {
    let desk = try desk(findings: FindingCollector())
    var line = VerificationReport.Line(entity: entity)
    var place = ""
    while true {
      if interruption.isWished { throw .interrupted }
      let after = place
      let page = try checkpointing { () throws(CheckpointError) in
        try checkpoint.records(of: entity, after: after, limit: 100)
      }
      guard let last = page.last else { return place.isEmpty ? nil : line }
      place = last.record.key
      let files = page.compactMap { known in
        known.serverID.map { MediaReference(record: known.record, serverID: $0) }
      }
      let states = await sideBySide(
        files,
        width: desk.concurrency,
        goesOn: { _ in true },
        { file in (file, await desk.state(of: file)) }
      )
      for (file, state) in states {
        switch try state.get() {
        case .unknowable:
          if isSentByTickets { report.findings.append(.unread(entity)) }
          return nil
        case .absent:
          line.missingCount += 1
          report.add(.missing(file.record))
        case .present(_, _, let size) where try isSize(size, of: file.record, in: package):
          line.sameCount += 1
        case .present, .other:
          line.differentCount += 1
          report.add(.different(file.record))
        }
      }
    }
  }

  /// Whether what became of a file is told by no record either, as it is where a file is part of one.
  private var isSentByTickets: Bool {
    guard let media = profile.api?.media, case .tickets = media.way else { return false }
    return true
  }

  /// Whether a file has this size in the package, as far as both are known.
  private func isSize(
    _ size: Int64?,
    of record: RecordID,
    in package: PackageReader
  ) throws(MigrationError) -> Bool {
    guard let size, let digest = Digest(hexadecimal: record.key) else { return true }
    guard let file = package.media(digest) else { return true }
    return try filing { () throws(FileError) in try file.open().size() == size }
  }
}

extension Finding {
  /// Files that nobody can look at: that their records are as they were sent says nothing of them.
  fileprivate static func unread(_ entity: EntityName) -> Finding {
    Finding(
      code: "verify.files-unread",
      severity: .note,
      entity: entity,
      cause: "whether the files that were sent still lie there was not looked at: the destination "
        + "does not tell which files it has",
      cure: "open some at the destination, if it matters"
    )
  }

  fileprivate static func missing(_ file: RecordID) -> Finding {
    Finding(
      code: "verify.missing",
      severity: .error,
      entity: file.entity,
      record: file.key,
      cause: "the file is no longer at the destination",
      cure: "find out who removed it; `ferry upload` with --full and --on-conflict local sends it "
        + "again"
    )
  }

  fileprivate static func different(_ file: RecordID) -> Finding {
    Finding(
      code: "verify.different",
      severity: .error,
      entity: file.entity,
      record: file.key,
      cause: "another file lies at the destination where it belongs",
      cure: "find out who put it there; remove it, and run `ferry upload` again"
    )
  }
}
