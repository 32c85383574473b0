import ArgumentParser
import ExportPackage
import Files
import Migration
import Reports

/// `ferry export`: from a store to a package.
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Copy a store, decode and map it, and write a package.",
    discussion: """
      The store is read through a private copy and never written. The package appears whole or
      not at all; an interrupted export is gone on with by the same line. Without a profile,
      entities and attributes are named as the store's model names them.

      EXIT STATUS
        0   The package is there.
        3   It is there, and some rows could not be mapped; they are in rejected/.
        10  The store is missing, unreadable, unsupported, unsteady or empty.
        12  The profile does not fit the store, or another package is in the way.
      """
  )

  @Argument(help: "The store's file.")
  var store: String

  @Option(name: [.short, .long], help: "Where the package is to be.")
  var output: String

  @Option(help: "The app's container, where its media folders lie.")
  var container: String?

  @Flag(help: "Go on even when the store holds no record at all.")
  var allowEmptySource = false

  @OptionGroup var source: SourceOptions
  @OptionGroup var profile: ProfileOptions
  @OptionGroup var reports: ReportOptions
  @OptionGroup var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(
      shared,
      reports: ReportWriting(reports, command: "export", subject: store)
    )
    try await context.run("ferry validate \(output)") { () async throws(MigrationError) in
      let draft = try draft()
      let profile = try context.profile(
        at: draft.map { "\($0.folder.path)/\(DraftStage.profileName)" }
          ?? profile.path(beside: store)
      )
      let stage = ExportStage(
        profile: profile,
        store: store,
        container: container,
        output: .path(output),
        toolVersion: FerryVersion.text,
        allowsEmptySource: allowEmptySource,
        options: source.options,
        progress: context.screen.reporter
      )
      let result = try stage.run(
        interruption: context.signals.interruption,
        opened: draft?.source
      )
      context.screen.result(ExportText.lines(of: result))
      context.screen.result(ExportText.value(of: result))
      return result.rejectedCount > 0 ? .finishedWithRejects : .done
    }
  }

  /// A draft, and the source it was made from, for a store that nobody wrote a profile for yet.
  private func draft() throws(MigrationError) -> (folder: PrivateFolder, source: OpenedSource)? {
    guard !profile.isThere(beside: store) else { return nil }
    let folder: PrivateFolder
    do throws(FileError) {
      folder = try PrivateFolder()
    } catch {
      throw .file(error)
    }
    let opened = try OpenedSource(store, options: source.options)
    _ = try DraftStage.run(opened, into: folder.path)
    return (folder, opened)
  }
}
