import AgeEncryption
package import ExportPackage
import Files
package import Redaction
package import StageSupport

/// Where a whole package lies while another form is made of it: in a private folder that goes with this value,
/// encrypted with keys that only this run has.
package struct PrivatePackage: Sendable {
  private let folder: PrivateFolder
  package let path: String
  /// The keys of this run.
  package let keys: PackageKeys

  package init() throws {
    folder = try PrivateFolder()
    path = "\(folder.path)/whole.ferry"
    let identity = AgeIdentity()
    keys = PackageKeys(recipients: [identity.recipient], identities: [identity])
  }

  /// Writes the package again without what its records say.
  package func redact(
    _ whole: PackageReader,
    to output: String,
    pseudonyms: Pseudonyms,
    keys: PackageKeys,
    progress: ProgressReporter,
    interruption: CancellationToken
  ) throws -> PackageReader {
    try RedactionStage(
      whole,
      output: output,
      pseudonyms: pseudonyms,
      keys: keys,
      progress: progress
    ).run(interruption: interruption)
  }
}
