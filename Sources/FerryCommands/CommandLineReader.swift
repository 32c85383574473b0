import ArgumentParser
import Checkpoint
import CommandOutput
import CommandSettings
import Files
import Foundation
import JSONText
import Reporting
import RunHistory
import StageSupport

/// Reads the command line before the argument parser does: names the verb that was meant, and adds
/// what the environment and the settings file say.
enum CommandLineReader {
  /// What the argument parser is to read.
  struct Line {
    let words: [String]
    /// What was not typed.
    let additions: [Setting]
    /// What a run of the line remembers for later commands about it.
    var flags: [RunFlag] = []

    /// Says of a fault in a value where that came from, when no one typed it.
    func explain(_ error: any Error) {
      guard FerryCommand.exitCode(for: error) != .success else { return }
      let message = FerryCommand.fullMessage(for: error)
      for setting in additions where message.contains("--\(setting.flag.key)") {
        CommandLineReader.say("ferry: --\(setting.flag.key) comes from \(setting.origin)")
      }
    }
  }

  /// The line of this process.
  static let line = read(Array(CommandLine.arguments.dropFirst()))

  /// The verb that was called, without what it was called with.
  static var command: String {
    do throws(SettingsError) {
      let typed = Array(CommandLine.arguments.dropFirst())
      return CommandLineWords(typed, in: try catalogue(for: typed)).verb.words
    } catch {
      return ""
    }
  }

  /// Reads the words after the program's name; ends the process where nothing is left to be done.
  static func read(_ typed: [String]) -> Line {
    // Flags alone, as --version, call no verb that could take a setting.
    guard typed.contains(where: { !$0.hasPrefix("-") }) else {
      return Line(words: typed, additions: [])
    }
    do throws(SettingsError) {
      let guide = try catalogue(for: typed)
      let words = CommandLineWords(typed, in: guide)
      if let misplaced = words.misplaced { refuse(misplaced, words.verb) }
      guard !words.asksForHelp, words.verb.flags.contains(where: { $0.key == "config" }) else {
        return Line(words: words.adding([]), additions: [])
      }
      let environment = ProcessInfo.processInfo.environment
      let file = try SettingsPlace.file(
        for: words,
        environment: environment,
        catalogue: catalogue
      )
      var additions = try SettingSources(words, environment: environment, file: file).additions()
      var whole = CommandLineWords(words.adding(additions.flatMap(\.words)), in: guide)
      let state = SharedOptions.state(at: whole.given["state-dir"]?.last)
      if let run = RememberedRun.settings(of: whole, in: state) {
        let sources = SettingSources(words, environment: environment, file: file, run: run)
        additions = try sources.additions()
        whole = CommandLineWords(words.adding(additions.flatMap(\.words)), in: guide)
      }
      try OverwriteCheck.check(whole, protected: state.folders)
      return Line(words: whole.words, additions: additions, flags: RememberedRun.flags(of: whole))
    } catch {
      say("ferry: \(error)".plainLines)
      leave(.usage)
    }
  }

  /// All verbs and flags.
  static func catalogue() throws(SettingsError) -> CommandCatalogue { try described.get() }

  /// What a line needs of it: the verb that it calls, by itself, else all.
  ///
  /// To describe every verb takes longer than many a verb takes for its work.
  private static func catalogue(for typed: [String]) throws(SettingsError) -> CommandCatalogue {
    var command: any ParsableCommand.Type = FerryCommand.self
    var path = [command._commandName]
    for word in typed {
      let verbs = command.configuration.subcommands
      guard let verb = verbs.first(where: { $0._commandName == word }) else { break }
      command = verb
      path.append(word)
    }
    guard path.count > 1, command.configuration.subcommands.isEmpty else { return try catalogue() }
    return try CommandCatalogue(dump: command._dumpHelp(), of: path)
  }

  private static let described: Result<CommandCatalogue, SettingsError> = {
    do throws(SettingsError) {
      return .success(try CommandCatalogue(dump: FerryCommand._dumpHelp()))
    } catch {
      return .failure(error)
    }
  }()

  private static func refuse(_ word: String, _ verb: Verb) -> Never {
    let program = verb.path.joined(separator: " ")
    let question = NearestWord.question(word, among: verb.verbs.map(\.name))
    say("ferry: there is no verb “\(word)” of \(program)\(question)".plainForTerminal)
    say("  cure: `\(program) --help` lists the verbs")
    leave(.usage)
  }

  private static func say(_ text: String) {
    StandardError.put("\(text.plainLines)\n")
  }
}
