package import DestinationModel
import Files

/// What is looked at before a store is exported: whether the destination lets the account in, and how much
/// space the disk has.
package struct Readiness: Hashable, Sendable {
  /// Whose data the destination serves.
  package let account: String
  /// What this user may still write to the disk of the package, in bytes; `nil` where the system does not say.
  package let freeBytes: Int64?

  /// Reads the credentials, signs in and asks whose data the destination serves; writes nothing.
  ///
  /// - Parameters:
  ///   - destination: The destination.
  ///   - folder: Where the package will be, or where a folder for it will be made.
  ///   - patience: How often a passing fault is tried again.
  /// - Throws: `DestinationError`
  package init(
    of destination: any Destination,
    packagesIn folder: String,
    patience: ReadPatience
  ) async throws {
    account = try await patience.attempt { () async throws(DestinationError) in
      try await destination.account()
    }
    freeBytes = Folder.freeBytes(at: Folder.nearest(to: folder))
  }
}
