import ArgumentParser
import CommandOptions
import CommandOutput
import PackageStages
import Records
import Reporting
import RunHistory
import StoreReading

/// `ferry inspect`: what a store is and what is in it, or how two models differ.
struct InspectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Show what a store is and holds, or what a migration between two models would lose.",
    discussion: """
      EXAMPLES
        ferry inspect default.store --report store.html
        ferry inspect old.store new.store --report change.md
        ferry inspect default.store --format mermaid

      A store is a file (Core Data and SwiftData, any SQLite database, Core Data XML, preferences, \
      Realm, CSV, JSON) or a folder that holds some (an app's container, a device's backup). It is \
      read through a private copy and never written. Values of records and the app's own metadata \
      are not shown. With a second store or model, the two models are compared. `--format mermaid` \
      draws the model as an entity relationship diagram; of two models, it draws the second with \
      each difference marked.

      EXIT STATUS
        0   The store can be read; nothing would be lost.
        3   A database or store of the folder is not read.
        6   A migration from the first model to the second would lose data, or
            fail.
        10  A store is missing, unreadable, unsupported or unsteady.
      """
  )

  @Argument(
    help: "The store: a file or a folder; with a second one, also a model.",
    completion: .file()
  )
  var store: String

  @Argument(help: "The store or model to compare with.", completion: .file())
  var other: String?

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Source") var secrets: StoreCredentialOptions
  @OptionGroup(title: "Reports") var reports: ReportOptions
  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(
      shared,
      draws: true,
      reports: ReportWriting(reports, command: "inspect", subject: other ?? store)
    )
    try await context.run {
      for path in [store, other].compactMap(\.self) { try NamedFile.expect(.store, at: path) }
      let options = try await source.options(secrets.credentials, context)
      if let other { return try compare(with: other, options, on: context.screen) }
      if context.screen.format == .mermaid {
        let model = try StoreInspection.model(at: store, options: options)
        context.screen.diagram(InspectionMermaid.text(of: model))
        guard context.isReported else { return .done }
      }
      try showContainer(options, in: context)
      let inspected = try InspectedStore(store, options: options)
      context.screen.result(InspectionText.lines(of: inspected))
      context.screen.result(InspectionText.value(of: inspected))
      let words = ["init", store] + source.words + ["-o", "draft"]
      context.screen.suggest("ferry " + words.map(\.quotedForShell).joined(separator: " "))
      return inspected.hasUnread ? .finishedWithRejects : .done
    }
  }

  /// Shows what a folder holds besides its stores; nothing for a file.
  private func showContainer(
    _ options: Source.Options,
    in context: CommandContext
  ) throws {
    guard let container = try StoreInspection.container(at: store, options: options) else { return }
    let value = ContainerText.value(of: container)
    context.screen.result(ContainerText.lines(of: container) + [""])
    // JSON is one value, which is the store's.
    context.screen.format == .ndjson
      ? context.screen.result(value) : context.screen.recorder.add(value)
  }

  private func compare(
    with other: String,
    _ options: Source.Options,
    on screen: Screen
  ) throws -> ExitStatus {
    let old = try StoreInspection.model(at: store, options: options)
    let new = try StoreInspection.model(at: other, options: options)
    let comparison = ModelComparison(from: old, to: new)
    if screen.format == .mermaid {
      screen.diagram(InspectionMermaid.text(of: comparison, from: old, to: new))
    }
    screen.result(ComparisonText.lines(of: comparison))
    screen.result(ComparisonText.value(of: comparison, from: store))
    return (comparison.severity ?? .compatible) > .compatible ? .differences : .done
  }
}
