import AgeEncryption
import ArgumentParser
import Checkpoint
import CommandOptions
import CommandOutput
import ExportPackage
import JSONText
import LongTexts
import PackageStages
import RecordDiffs
import Records
import Reporting
import RunHistory
import StageSupport

/// `ferry show`: a saved plan, a package or a run, down to one record.
struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show what a saved plan, a package or a run holds, down to one record.",
    discussion: """
      EXAMPLES
        ferry show heroes.plan
        ferry show heroes.ferry
        ferry show heroes.ferry Hero
        ferry show 3f6c2a-1 Hero/B7E2 --show-values

      Of a plan or a run each record is shown with + ~ - and its fields from old to new; of a package \
      its entities, the records of one, or one record. Nothing is locked, changed or asked of a \
      destination.

      EXIT STATUS
        0   Shown.
        12  The plan, package or checkpoint is damaged, or of another format.
        64  No run, entity or record is called this.
      """
  )

  @Argument(help: "A saved plan, a package, or the name of a run.", completion: .file())
  var name: String

  @Argument(
    help: ArgumentHelp("Only an entity, or one record of it.", valueName: "entity[/key]")
  )
  var part: String?

  @Flag(help: "Show what the fields hold; without it, their names and kinds.")
  var showValues = false

  @OptionGroup(title: "Encryption") var identity: IdentityOptions
  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func validate() throws {
    guard try filter() != nil else {
      throw ValidationError("“\(part ?? "")” is not the name of an entity.")
    }
  }

  func run() async throws {
    let context = CommandContext(shared)
    let identities = try identity.identities()
    let filter = try filter() ?? .all
    try await context.run {
      switch NamedFile(name) {
      case .package:
        let package = try PackageReader(name, identities: identities)
        try show(package, filter, in: context)
      case .plan:
        let plan = try RecordedRun(plan: name, identities: identities)
        try show(plan, ("planned", "planned"), filter, in: context)
      case .store, .checkpoint: try NamedFile.expect(.packageOrPlan, at: name)
      case .other:
        let found = try FoundRun(name, inOrBelow: context.state)
        let end = try ListedRun.end(of: found)
        let run = try RecordedRun(found, identities: identities)
        try show(run, (end.words, end.name), filter, in: context)
      }
      return .done
    }
  }

  /// The part that was named; `nil` for one that cannot be an entity.
  private func filter() throws -> OperationFilter? {
    guard let part else { return .all }
    let words = part.split(separator: "/", maxSplits: 1)
    return words.first.flatMap { EntityName(String($0)) }.map { entity in
      OperationFilter(entity: entity, key: words.count > 1 ? String(words[1]) : nil)
    }
  }

  private func show(
    _ recorded: RecordedRun,
    _ end: (words: String, name: String),
    _ filter: OperationFilter,
    in context: CommandContext
  ) throws {
    context.screen.result(DiffText.head(of: recorded, end: end.words))
    context.screen.passing(DiffText.value(of: recorded, end: end.name))
    var count = 0
    try context.show(showsValues: showValues) { body in
      try recorded.forEachDiff(filter) { diff in
        count += 1
        try body(diff)
      }
    }
    let isNamed = filter.key == nil && (filter.entity.map(recorded.describes) ?? true)
    if count == 0, !isNamed, let part { throw MigrationError.nothingNamed(part, in: name) }
  }

  private func show(
    _ package: PackageReader,
    _ filter: OperationFilter,
    in context: CommandContext
  ) throws {
    guard let entity = filter.entity else {
      context.screen.result(ContentsText.lines(of: package))
      context.screen.result(ContentsText.value(of: package))
      return
    }
    // Without its values no more of a record is held than its short ones.
    let contents = PackageContents(showValues ? package : package.standingIn(LongTexts()))
    let text = ContentsText(showsValues: showValues)
    var count = 0
    try contents.forEachRecord(of: entity, key: filter.key) { id, record in
      count += 1
      context.screen.result(
        filter.key == nil ? [ContentsText.line(of: id.key, record)] : text.lines(of: id, record)
      )
      context.screen.passing(text.value(of: id, record))
    }
    let isThere = count > 0 || filter.key == nil && package.manifest.entity(entity) != nil
    if !isThere, let part { throw MigrationError.nothingNamed(part, in: name) }
  }
}
