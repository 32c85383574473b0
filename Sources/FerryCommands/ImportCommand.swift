import ArgumentParser
import CommandOptions
import CommandOutput
import ExportPackage
import Files
import JSONText
import LegacyFiles
import PackageStages
import Profiles
import Reporting
import ResultImport
import ResultStages
import ResultText
import StageSupport

/// `ferry import`: shared texts and stored results of legacy files, into a package.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Bring game results that people shared as text, or an app stored, into a package.",
    discussion: """
      EXAMPLES
        ferry import results.txt -o results.ferry
        ferry import chat.txt --sender Anna -o results.ferry

      FILE is a property list, JSON or JSON Lines, a table, XML, an Android message backup, a \
      chat of WhatsApp (its .zip too), LINE, KakaoTalk, imessage-exporter or \
      DiscordChatExporter, messages copied from Discord or Slack, plain text, a folder of such \
      files, or - for standard input. Ferry recognises the form by the bytes; --as gives it. \
      Every text ends as described, undescribed (no description knows the game), duplicate, \
      refused, of other people, or not a result. With --into the new \
      package holds what PKG holds as well; importing the same twice adds nothing.

      A message backup knows what its owner sent: those results are taken, and received ones are \
      refused. A chat of several senders needs --sender NAME. With --sender, a text is refused if \
      its file does not say who wrote it. Quoted and forwarded results are refused. With \
      --all-senders the results of others come too, each with its player, and a package with them is \
      never sent.

      EXIT STATUS
        0   The package is there; with --explain, every text was explained.
        3   It is there, and some texts were refused, whole or in part; they
            are in rejected/, with the reason.
        10  A file is missing, damaged, hostile or of no form that is read;
            nothing was written.
        12  The package named with --into is damaged, or another package is in
            the way.
        64  A chat has several senders, and --sender does not name whose
            results are wanted.
      """
  )

  @Argument(help: "The files.", completion: .file())
  var files: [String]

  @Option(name: [.short, .long], help: "Where the package is to be.", completion: .file())
  var output: String?

  @Option(
    help: ArgumentHelp(
      "A package whose content the new one holds as well; it is not changed.",
      valueName: "package"
    ),
    completion: .file()
  )
  var into: String?

  @Flag(help: "Say of each text what was recognised where, and import nothing.")
  var explain = false

  @OptionGroup(title: "Encryption") var sealing: SealingOptions
  @OptionGroup(title: "Encryption") var identity: IdentityOptions
  @OptionGroup(title: "Forms of files") var legacy: LegacyFileOptions
  @OptionGroup(title: "Results") var rules: ImportRuleOptions

  @Option(
    help: ArgumentHelp("The profile that describes the app.", valueName: "file"),
    completion: .file()
  )
  var profile: String?

  @OptionGroup(title: "Reports") var reports: ReportOptions
  @OptionGroup(title: "Profile") var variables: VariableOptions
  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func validate() throws {
    guard !files.isEmpty else { throw ValidationError("Name at least one file.") }
    guard files.filter({ $0 == "-" }).count < 2 else {
      throw ValidationError("Standard input can be read once.")
    }
    guard explain || output != nil || into != nil else {
      throw ValidationError("Say with -o where the package is to be, or pass --explain.")
    }
    guard !explain || output == nil && into == nil else {
      throw ValidationError("--explain imports nothing: leave out -o and --into.")
    }
    guard !explain || sealing.encryptTo.isEmpty else {
      throw ValidationError("--explain writes no package that --encrypt-to could encrypt.")
    }
  }

  func run() async throws {
    let context = CommandContext(shared, reports, "import", of: files.first)
    let output = output ?? into.map(Self.nextPath)
    let keys = try PackageKeys(sealing, identity)
    let pseudonyms = try reports.redact ? reports.makePseudonyms() : nil
    try await context.run(output.map { "ferry validate \($0)" }) {
      let whole = try pseudonyms.map { _ in try PrivatePackage() }
      let profile: Profile? =
        if let profile {
          try context.profile(at: ProfilePlace(named: profile, given: variables.given))
        } else { nil }
      let input = try StandardInput.replacing(files)
      let found = try ImportStage.files(at: input.paths, form: legacy.form)
      let stage = ImportStage(
        files: found.files.map { $0.path == input.held?.path ? $0.named("standard input") : $0 },
        options: legacy.options(profile),
        settings: try rules.settings(profile),
        catalogue: try rules.catalogue(),
        profile: profile,
        keys: whole?.keys ?? keys,
        progress: context.screen.reporter
      )
      defer { withExtendedLifetime(input) {} }
      guard let output else { return try explain(stage, context) }
      let base = try into.map { path in try PackageReader(path, identities: keys.identities) }
      try base?.refuseDamaged()
      var result = try stage.run(
        into: base,
        output: whole?.path ?? output,
        toolVersion: FerryVersion.text,
        interruption: context.signals.interruption
      )
      if let whole, let pseudonyms, let package = result.package {
        result.package = try whole.redact(
          package,
          to: output,
          pseudonyms: pseudonyms,
          keys: keys,
          progress: context.screen.reporter,
          interruption: context.signals.interruption
        )
      }
      result.notes += found.notes
      context.screen.result(ImportText.lines(of: result))
      context.screen.result(ImportText.value(of: result))
      return result.counts.refusals > 0 ? .finishedWithRejects : .done
    }
  }

  private func explain(
    _ stage: ImportStage,
    _ context: CommandContext
  ) throws -> ExitStatus {
    var output = ExplanationOutput(context.screen)
    defer { output.flush() }
    let result = try stage.explain(interruption: context.signals.interruption) { text in
      output.add(text)
    }
    output.finish()
    for line in ImportText.countLines(of: result.counts) { context.screen.say(line) }
    return .done
  }

  /// A free name beside a package: `results-2.ferry` beside `results.ferry`.
  private static func nextPath(_ path: String) -> String {
    var stem = path
    while stem.count > 1, stem.hasSuffix("/") { stem.removeLast() }
    let ending = stem.hasSuffix(".ferry") ? ".ferry" : ""
    stem.removeLast(ending.count)
    var number = 2
    while InputFile.isPresent("\(stem)-\(number)\(ending)") { number += 1 }
    return "\(stem)-\(number)\(ending)"
  }
}
