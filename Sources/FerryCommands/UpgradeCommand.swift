import ArgumentParser
import CommandOptions
import CommandOutput
import ExportPackage
import PackageStages
import Profiles
import Reporting
import StageSupport

/// `ferry upgrade`: an older package or export, sent to the newest version.
struct UpgradeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upgrade",
    abstract: "Bring an older package, or an older program's export, to the newest version.",
    discussion: """
      EXAMPLES
        ferry upgrade old.ferry -o new.ferry

      The steps are declared in APP.upgrades.json: built in, or beside the profile. Each is \
      reported with the number of records it changed. The result is a new package, validated; \
      what is read is not touched. A record that no step fits is kept in rejected/, with the \
      reason.

      EXIT STATUS
        0   The new package is there, or there was nothing to upgrade.
        3   It is there, and some records were rejected.
        4   It is there, and breaks its schemas or references.
        12  The package is damaged or too new, or no upgrade is
            known for it.
      """
  )

  @Argument(help: "The package, or the file that an older program exported.", completion: .file())
  var source: String

  @Option(name: [.short, .long], help: "Where the new package is to be.", completion: .file())
  var output: String

  @Option(
    help: ArgumentHelp("The file that declares the upgrades.", valueName: "file"),
    completion: .file()
  )
  var upgrades: String?

  @Option(
    help: ArgumentHelp("The profile that describes the app.", valueName: "file"),
    completion: .file()
  )
  var profile: String?

  @OptionGroup(title: "Encryption") var sealing: SealingOptions
  @OptionGroup(title: "Encryption") var identity: IdentityOptions
  @OptionGroup(title: "Profile") var variables: VariableOptions
  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    let keys = try PackageKeys(sealing, identity)
    try keys.checkReadingBack(to: "validated")
    try await context.run {
      try NamedFile.expect(.packageOrText, at: source)
      let named: Profile? =
        if let profile {
          try context.profile(at: ProfilePlace(named: profile, given: variables.given))
        } else { nil }
      let stage = UpgradeStage(
        source: source,
        output: output,
        profile: named,
        upgradesPath: upgrades,
        toolVersion: FerryVersion.text,
        keys: keys,
        progress: context.screen.reporter
      )
      let result = try await stage.run(interruption: context.signals.interruption)
      context.screen.result(UpgradeText.lines(of: result))
      context.screen.result(UpgradeText.value(of: result))
      guard result.validation.isValid else { return .invalid }
      return result.rejectedCount > 0 ? .finishedWithRejects : .done
    }
  }
}
