import Checkpoint
import ExportPackage
import Planning
import Profiles
import Records
import RequestMapping
import StageSupport

/// Looks whether a package is of the store that a checkpoint knows, before anything of it is planned.
struct SourceCheck {
  let profile: Profile
  let checkpoint: CheckpointFile
  let options: PlanOptions
  /// Where the checkpoint lies; a dry run has a copy.
  let checkpointPath: String
  /// The request fields of the package that is looked at.
  let mappings: () throws -> RequestMappings
}

extension SourceCheck {
  /// How many records an entity must have had before fewer of them are thought unknown.
  private static let plausibleLoss = 10

  /// Refuses a package that has less than half of the records of an entity that earlier runs
  /// sent to the destination: the store is more likely broken than cleared by its user.
  ///
  /// - Throws: `MigrationError.shrunkenSource`
  func checkSize(of package: PackageReader) throws {
    guard !options.allowsShrunkenSource else { return }
    for entity in profile.entities where entity.outcomeWithoutSending(profile.api) == nil {
      guard !entity.evicts, package.manifest.entity(entity.name) != nil else { continue }
      let before = try checkpoint.recordCount(of: entity.name)
      let now = package.manifest.recordCount(of: entity.name)
      if before >= Self.plausibleLoss, now < before - now {
        throw MigrationError.shrunkenSource(entity: entity.name.text, now: now, before: before)
      }
    }
  }
}
