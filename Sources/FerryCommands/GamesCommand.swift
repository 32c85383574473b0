import ArgumentParser
import CommandOutput
import Files
import JSONText
import LegacyFiles
import Reporting
import ResultImport
import ResultStages
import ResultText
import StageSupport

/// `ferry games`: the games whose shared texts are understood.
struct GamesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "games",
    abstract: "List the games whose shared texts are understood, check and draft descriptions.",
    discussion: """
      EXAMPLES
        ferry games
        ferry games draft chat.txt > zorkle.json
        ferry games check zorkle.json chat.txt
        ferry import chat.txt --game zorkle.json -o results.ferry
      """,
    subcommands: [GamesListCommand.self, GamesCheckCommand.self, GamesDraftCommand.self],
    defaultSubcommand: GamesListCommand.self
  )
}

/// `ferry games list`: every described game.
struct GamesListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List every described game.",
    discussion: """
      EXAMPLES
        ferry games list --format json

      EXIT STATUS
        0  The games are listed.
      """
  )

  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run {
      let games = try GameFiles.catalogue().games.sorted { $0.id < $1.id }
      context.screen.result(games.map { "\($0.id)  \($0.name)" } + ["\(games.count) games"])
      context.screen.result(
        .object([
          "games": .array(
            games.map { .object(["game": .string($0.id), "name": .string($0.name)]) }
          )
        ])
      )
      return .done
    }
  }
}

/// `ferry games check`: whether a description reads the texts it is for.
struct GamesCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Say which of some texts a description reads, and which it refuses.",
    discussion: """
      EXAMPLES
        ferry games check zorkle.json chat.txt

      EXIT STATUS
        0   The description reads at least one text, and refuses none.
        6   It reads none, or refuses some.
        10  A file is missing or of no form that is read.
      """
  )

  @Argument(help: "The description (schema ferry.game.v1).", completion: .file())
  var description: String

  @Argument(help: "Files with texts, in any form that import reads.", completion: .file())
  var texts: [String]

  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run {
      let game = try GameFiles.description(at: description)
      let catalogue = try GameFiles.catalogue(with: game)
      var read = 0
      var refused: [String] = []
      _ = try GameFiles.stage(texts, catalogue, context).explain(
        interruption: context.signals.interruption
      ) { text in
        let reading = text.outcome.reading
        if reading.results.contains(where: { $0.game == game.id }) { read += 1 }
        for refusal in reading.refusals where refusal.game == game.id {
          refused.append("  \(text.file.name), \(text.entry.place): \(refusal.cause)")
        }
      }
      context.screen.result(
        ["\(game.name): \(read) texts are read, \(refused.count) are refused"] + refused
      )
      context.screen.result(
        .object([
          "game": .string(game.id), "read": .number(JSONNumber(Int64(read))),
          "refused": .number(JSONNumber(Int64(refused.count))),
        ])
      )
      return read > 0 && refused.isEmpty ? .done : .differences
    }
  }
}

/// `ferry games draft`: descriptions of the games that no description knows.
struct GamesDraftCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "draft",
    abstract: "Draft a description of each game that was seen and no description knows.",
    discussion: """
      EXAMPLES
        ferry games draft chat.txt > zorkle.json

      Each line is the description of one game, the one with the most results first. A draft says \
      what its results show: a person who knows the game adds its rules.

      EXIT STATUS
        0   The drafts are there.
        6   Every game that was seen is described.
        10  A file is missing or of no form that is read.
      """
  )

  @Argument(help: "Files with texts, in any form that import reads.", completion: .file())
  var texts: [String]

  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run {
      var drafts: [String: GameDraft] = [:]
      let catalogue = try GameFiles.catalogue()
      _ = try GameFiles.stage(texts, catalogue, context).explain(
        interruption: context.signals.interruption
      ) { text in
        for result in text.outcome.reading.undescribed {
          drafts[result.name.lowercased(), default: GameDraft(name: result.name)].add(result)
        }
      }
      for draft in drafts.values.sorted(by: { ($1.count, $0.name) < ($0.count, $1.name) }) {
        context.screen.line(draft.description)
      }
      return drafts.isEmpty ? .differences : .done
    }
  }
}

/// Reads descriptions of games, and texts to try them on.
private enum GameFiles {
  /// The built-in games, and one more.
  static func catalogue(with game: GameDescription? = nil) throws -> GameCatalogue {
    do throws(GameDescriptionError) {
      return try BuiltInGames.catalogue().adding(game.map { [$0] } ?? [])
    } catch {
      throw MigrationError.badImport(reason: error.description, cure: "correct the description")
    }
  }

  static func description(at path: String) throws -> GameDescription {
    let bytes = try InputFile.contents(of: path, limit: 4 << 20)
    do throws(GameDescriptionError) { return try GameDescription(json: bytes, file: path) } catch {
      throw MigrationError.badImport(reason: error.description, cure: "correct the description")
    }
  }

  /// Reads the texts of all senders, and keeps nothing.
  static func stage(
    _ paths: [String],
    _ catalogue: GameCatalogue,
    _ context: CommandContext
  ) throws -> ImportStage {
    var settings = ImportSettings()
    settings.takesOthers = true
    return ImportStage(
      files: try ImportStage.files(at: paths, form: nil).files,
      options: LegacyOptions(),
      settings: settings,
      catalogue: catalogue,
      profile: nil,
      progress: context.screen.reporter
    )
  }
}
