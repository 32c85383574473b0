import ArgumentParser
import CommandOptions
import CommandOutput
import ExportPackage
import Files
import Migration
import PackageStages
import Profiles
import Redaction
import Reporting
import Retrying
import RowExport
import StageSupport
import StoreReading

/// `ferry export`: from a store to a package.
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Copy a store, or read a destination, and write a package.",
    discussion: """
      EXAMPLES
        ferry export default.store -o heroes.ferry
        ferry export default.store --profile profile.yaml --as sql -o rows.sql
        ferry export --from production -o there.ferry

      The store is read through a private copy and never written. The package appears whole or \
      not at all; an interrupted export is gone on with by the same line. Without a profile, \
      entities and attributes are named as the store's model names them.

      With --fetch-media, files that records name by address are fetched first, and go into the \
      package like those of the app's container. What an earlier package at the same place has \
      from an address is not fetched again.

      With --from, what the account holds at a destination is read instead, into a package of the \
      records as they are there, which is never sent. Nothing is changed there; media files are \
      not read.

      With --as, the rows that the profile's api makes of the records are written instead of a \
      package: a script for PostgreSQL (sql), or a folder with a file for each table (csv). \
      Without an api, a row is the record itself. Media files are not written.

      With --encrypt-to every file of the package is encrypted, in the format of age. Only the \
      file of a recipient's identity opens it; all who read packages take --identity. With \
      --redact the package holds placeholders in the place of what the records say, and is never \
      sent.

      EXIT STATUS
        0   The package is there.
        3   It is there, and some rows could not be mapped; they are in
            rejected/. Or rows of the store, or a database of the folder,
            could not be read at all, which a finding says. Or records
            could not become rows for --as. Or media that
            --fetch-media asks for could not be fetched; these records keep
            the address.
        5   The destination could not be reached, or asks to wait, or the disk
            is full.
        7   The destination refuses: sign-in, rights.
        10  The store is missing, unreadable, unsupported, unsteady or empty.
        12  The profile does not fit the store, or another package is in the
            way.
      """
  )

  @Argument(help: "The store's file.", completion: .file())
  var store: String?

  @Option(
    help: ArgumentHelp(
      "A destination to read, instead of a store: a name from the profile, or an address.",
      valueName: "destination"
    )
  )
  var from: String?

  @Option(
    name: .customLong("credential"),
    help: ArgumentHelp(
      "A credential for --from, or the realm-key of a store; may be given several times.",
      valueName: "name=file:path|env:var|command:cmd"
    )
  )
  var credentials: [String] = []

  @Option(
    name: .customLong("as"),
    help: ArgumentHelp("Write rows instead of a package.", valueName: "sql|csv")
  )
  var form: RowForm?

  @Option(name: [.short, .long], help: "Where the package is to be.", completion: .file())
  var output: String

  @Option(help: "The app's container, where its media folders lie.", completion: .directory)
  var container: String?

  @Flag(help: "Go on even when the store holds no record at all.")
  var allowEmptySource = false

  @OptionGroup(title: "Media from addresses") var fetching: FetchOptions
  @OptionGroup(title: "Encryption") var sealing: SealingOptions
  @OptionGroup(title: "Encryption") var identity: IdentityOptions
  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Profile") var profile: ProfileOptions
  @OptionGroup(title: "Reports") var reports: ReportOptions
  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func validate() throws {
    guard (store == nil) != (from == nil) else {
      throw ValidationError("Name a store, or a destination with --from; one of the two.")
    }
    guard from == nil || !fetching.fetchMedia else {
      throw ValidationError("--fetch-media is about a store; --from reads no media files.")
    }
    guard form == nil || from == nil && !fetching.fetchMedia && !reports.redact else {
      throw ValidationError("--as is about a store, and goes without --fetch-media and --redact.")
    }
    guard form == nil || sealing.encryptTo.isEmpty else {
      throw ValidationError("--as writes rows that are not encrypted; leave out --encrypt-to.")
    }
    try fetching.check(sealing)
  }

  func run() async throws {
    let context = CommandContext(shared, reports, "export", of: store ?? from ?? "")
    let keys = try PackageKeys(sealing, identity)
    let pseudonyms = try reports.redact ? reports.makePseudonyms() : nil
    if let from { return try await read(from, keys, pseudonyms, context) }
    guard let store else { preconditionFailure("a store or a destination is named") }
    try await context.run(form == nil ? "ferry validate \(output)" : nil) {
      try NamedFile.expect(.store, at: store)
      let options = try await source.options(credentials, context)
      let draft = try draft(of: store, options)
      let profile = try context.profile(
        at: draft.map { ProfilePlace(named: "\($0.folder.path)/\(DraftStage.profileName)") }
          ?? profile.place(beside: store)
      )
      let whole = pseudonyms == nil && form == nil ? nil : try PrivatePackage()
      let stage = ExportStage(
        profile: profile,
        store: store,
        container: container,
        fetch: fetching.limits,
        output: .path(whole?.path ?? output),
        toolVersion: FerryVersion.text,
        allowsEmptySource: allowEmptySource,
        options: options,
        keys: whole?.keys ?? keys,
        progress: context.screen.reporter
      )
      let result = try await stage.run(
        interruption: context.signals.interruption,
        opened: draft?.source
      )
      if let form { return try writeRows(of: result, profile, as: form, context) }
      return try end(result, whole, keys, pseudonyms, context)
    }
  }

  private func writeRows(
    of export: ExportResult,
    _ profile: Profile,
    as form: RowForm,
    _ context: CommandContext
  ) throws -> ExitStatus {
    let stage = RowExportStage(export.package, profile: profile, as: form, output: output)
    let rows = try stage.run(interruption: context.signals.interruption)
    context.screen.result(RowExportText.lines(of: rows, export))
    context.screen.result(RowExportText.value(of: rows, export))
    return .strongest([ExitStatus(export), ExitStatus(rows)])
  }

  /// Reads what an account holds at a destination.
  private func read(
    _ place: String,
    _ keys: PackageKeys,
    _ pseudonyms: Pseudonyms?,
    _ context: CommandContext
  ) async throws {
    let flags = ["--to", place] + credentials.flatMap { ["--credential", $0] }
    let destination = try DestinationOptions.parse(flags)
    try await context.run {
      let profile = try context.profile(at: self.profile.place(beside: "profile.yaml"))
      let whole = try pseudonyms.map { _ in try PrivatePackage() }
      let result = try await context.withDestination(
        destination,
        profile: profile,
        isRehearsal: true
      ) { place in
        let stage = DestinationExportStage(
          profile: profile,
          destination: place,
          output: whole?.path ?? output,
          toolVersion: FerryVersion.text,
          patience: destination.sessionOptions(
            isRehearsal: true,
            profile: profile,
            interruption: context.signals.interruption
          ).readPatience(on: .system),
          keys: whole?.keys ?? keys,
          progress: context.screen.reporter
        )
        return try await stage.run(interruption: context.signals.interruption)
      }
      return try end(result, whole, keys, pseudonyms, context)
    }
  }

  /// Says what an export made: a package that can be handed to another person, where that was asked for.
  private func end(
    _ export: ExportResult,
    _ whole: PrivatePackage?,
    _ keys: PackageKeys,
    _ pseudonyms: Pseudonyms?,
    _ context: CommandContext
  ) throws -> ExitStatus {
    var result = export
    if let whole, let pseudonyms {
      let package = try whole.redact(
        export.package,
        to: output,
        pseudonyms: pseudonyms,
        keys: keys,
        progress: context.screen.reporter,
        interruption: context.signals.interruption
      )
      result = export.redacted(as: package)
    }
    context.screen.result(ExportText.lines(of: result))
    context.screen.result(ExportText.value(of: result))
    return ExitStatus(result)
  }

  /// A draft, and the source it was made from, for a store that no one wrote a profile for yet.
  private func draft(
    of store: String,
    _ options: Source.Options
  ) throws -> (folder: PrivateFolder, source: OpenedSource)? {
    guard !profile.isThere(beside: store) else { return nil }
    let folder = try PrivateFolder()
    let opened = try OpenedSource(store, options: options)
    _ = try DraftStage.run(opened, into: folder.path, isLasting: false)
    return (folder, opened)
  }
}

extension RowForm: ExpressibleByArgument {}
