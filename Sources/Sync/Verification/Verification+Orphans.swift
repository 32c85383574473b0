import Checkpoint
import DestinationModel
import Records
import StageSupport
import SyncReading

extension Verifier {
  /// Reports files at the destination, in the account's own part of it, that nothing here knows of.
  ///
  /// They change no count: another device may have put them there. A destination that does not
  /// list its files is no reason to stop either: that no one could look is reported.
  func findOrphans(
    _ entity: EntityName,
    _ interruption: CancellationToken,
    into report: inout VerificationReport
  ) async throws {
    var mark: String?
    repeat {
      if interruption.isCancelled { throw MigrationError.interrupted }
      let after = mark
      let page = try await reader.readingDestination { () async throws(DestinationError) in
        try await destination.mediaPage(of: entity, after: after)
      }
      guard let page else { return }
      for file in page.files where try !isKnown(file.serverID, of: entity) {
        report.add(.orphanedFile(file, entity))
      }
      if let refusal = page.refusal { report.add(.filesUnlisted(refusal, entity)) }
      for key in page.unfinished { report.add(.unfinishedFile(key, entity)) }
      mark = page.next
    } while mark != nil
  }

  /// Whether this store's records, or those of another store of the account, name the file.
  private func isKnown(
    _ serverID: String,
    of entity: EntityName
  ) throws -> Bool {
    try checkpoint.holds(serverID, of: entity)
      || reader.siblings.contains { try $0.holds(serverID, of: entity) }
  }
}

extension Finding {
  fileprivate static func filesUnlisted(
    _ refusal: MediaPage.Refusal,
    _ entity: EntityName
  ) -> Finding {
    Finding(
      code: "verify.files-unlisted",
      severity: .note,
      entity: entity,
      cause: "the destination does not list \(refusal.subject): \(refusal.reason)",
      cure: refusal.cure
    )
  }

  fileprivate static func orphanedFile(_ file: MediaPage.File, _ entity: EntityName) -> Finding {
    Finding(
      code: "verify.orphaned-file",
      severity: .warning,
      entity: entity,
      record: file.serverID,
      cause:
        "a file\(file.size.map { " of \($0) bytes" } ?? "") lies at the destination that no run of this "
        + "store sent",
      cure: "check whether another device sent it; a file that no record names can be removed there"
    )
  }

  fileprivate static func unfinishedFile(_ key: String, _ entity: EntityName) -> Finding {
    Finding(
      code: "verify.unfinished-file",
      severity: .warning,
      entity: entity,
      record: key,
      cause: "the sending of a file was begun and not ended",
      cure: "`ferry upload` goes on with it, and `ferry rollback` takes its parts away"
    )
  }
}
