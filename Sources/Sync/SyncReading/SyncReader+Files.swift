import Checkpoint
package import DestinationModel
package import ExportPackage
package import Records
package import StageSupport

extension SyncReader {
  /// What the destination has of a file that a run sent.
  package typealias SentFile = (file: MediaReference, state: Result<MediaState, any Error>)

  /// Asks what the destination has of each file of a category that runs sent, a hundred at a time.
  ///
  /// `body` takes what it has of some, and gives whether it is asked about the others. Those that `package`
  /// has are compared with it.
  package func forEachSentFile(
    of category: EntityName,
    comparedWith package: PackageReader? = nil,
    _ interruption: CancellationToken,
    _ body: ([SentFile]) throws -> Bool
  ) async throws {
    var place = ""
    while true {
      if interruption.isCancelled { throw MigrationError.interrupted }
      let after = place
      let page = try checkpoint.records(of: category, after: after, limit: 100)
      guard let last = page.last else { return }
      place = last.record.key
      let files = page.compactMap { known in
        known.serverID.map { serverID in
          let digest = Digest(hexadecimal: known.record.key)
          let source = digest.flatMap { package?.media($0) }
          return MediaReference(
            record: known.record,
            serverID: serverID,
            comparing: source == nil ? .none : .all,
            source: source
          )
        }
      }
      let states = await sideBySide(
        files,
        width: concurrency,
        goesOn: { _ in true },
        { file in (file: file, state: await state(of: file)) }
      )
      guard try body(states) else { return }
    }
  }
}
