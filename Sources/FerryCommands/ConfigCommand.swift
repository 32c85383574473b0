import ArgumentParser
import CommandOutput
import CommandSettings
import Foundation
import JSONText
import Reporting

/// `ferry config`: what is set, and by whom.
struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Show each setting with its value and where it came from.",
    discussion: """
      EXAMPLES
        ferry config
        ferry config upload
        ferry config upload --rate 5 --config team.yaml

      A flag goes before a variable, a variable before ferry.yaml, and the section of a verb in \
      it before its other keys. With a verb only its settings are shown, as that line would have \
      them. A credential is shown only as the place where it lies.

      EXIT STATUS
        0   Shown.
        64  The settings file or a variable cannot be used; all that is wrong
            is said.
      """
  )

  @Argument(parsing: .allUnrecognized, help: "A verb, with flags if wanted.")
  var line: [String] = []

  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    let shown: ShownSettings
    do throws(SettingsError) {
      shown = try ShownSettings(line: line, config: shared.config)
    } catch {
      throw ValidationError("\(error)")
    }
    if let misplaced = shown.words.misplaced {
      let known = shown.words.verb.verbs.map(\.name)
      throw ValidationError(
        "there is no verb “\(misplaced)”\(NearestWord.question(misplaced, among: known))"
      )
    }
    guard shown.faults.isEmpty else {
      throw ValidationError(shown.faults.map(\.plainForTerminal).joined(separator: "\n"))
    }
    for line in shown.unreadKeys { context.screen.warn(line.plainForTerminal) }
    try await context.run {
      context.screen.result(shown.lines.map(\.plainForTerminal))
      context.screen.result(shown.value)
      return .done
    }
  }
}

/// The settings of a verb, or of all.
struct ShownSettings {
  let words: CommandLineWords
  private let file: SettingsFile?
  private var rows: [Row] = []
  /// What is said of variables that no flag is called by.
  let unreadKeys: [String]
  /// Why settings cannot be, where no verb would take them.
  private(set) var faults: [String] = []

  private struct Row {
    let name: String
    let setting: Setting
  }

  init(line: [String], config: String?) throws(SettingsError) {
    let catalogue = try CommandLineReader.catalogue()
    var environment = ProcessInfo.processInfo.environment
    if let config { environment["FERRY_CONFIG"] = config }
    let words = CommandLineWords(line, in: catalogue)
    self.words = words
    file = try SettingsPlace.file(
      for: words,
      environment: environment,
      catalogue: CommandLineReader.catalogue
    )
    unreadKeys = Self.unreadKeys(in: environment, catalogue)
    guard words.misplaced == nil else { return }
    let isAll = !words.verb.verbs.isEmpty
    let asked = isAll ? CommandLineWords(everyFlagOf: catalogue) : words
    let sources = SettingSources(asked, environment: environment, file: file)
    let settings = try sources.settings()
    rows = settings.map { Row(name: $0.flag.key, setting: $0) }
    var trial = SettingTrial()
    for words in isAll ? Self.calls(catalogue) : [words] {
      let sources = SettingSources(words, environment: environment, file: file)
      trial.run(try sources.settings().filter(\.isSaid), of: words)
    }
    faults = trial.reasons
    guard isAll, let file else { return }
    for (verb, key) in file.sectionKeys {
      guard let setting = file.setting(key, of: verb, in: catalogue) else { continue }
      rows.append(Row(name: "\(verb.replacing(" ", with: ".")).\(key)", setting: setting))
    }
  }

  /// The lines that call each verb, and give it nothing.
  private static func calls(_ catalogue: CommandCatalogue) -> [CommandLineWords] {
    catalogue.leaves.map { CommandLineWords(Array($0.path.dropFirst()), in: catalogue) }
  }

  var lines: [String] {
    let table = rows.map { row in
      let values = row.setting.shownValues.joined(separator: ", ")
      return (row.name, values.isEmpty ? "·" : values, row.setting.origin.description)
    }
    let first = table.map(\.0.count).max() ?? 0
    let second = min(40, table.map(\.1.count).max() ?? 0)
    return ["settings file: \(file?.path ?? "none")"]
      + table.map { name, value, origin in
        "  " + name.padded(to: first) + "  " + value.padded(to: second) + "  " + origin
      }
  }

  var value: JSONValue {
    .object([
      "type": "config",
      "file": file.map { .string($0.path) } ?? .null,
      "settings": .array(
        rows.map { row in
          .object([
            "name": .string(row.name),
            "variable": .string(row.setting.flag.variable),
            "values": .array(row.setting.shownValues.map(JSONValue.string)),
            "from": .string(row.setting.origin.description),
          ])
        }
      ),
    ])
  }

  /// A variable that begins like ours and is not one is reported, because it may be mistyped.
  private static func unreadKeys(
    in environment: [String: String],
    _ catalogue: CommandCatalogue
  ) -> [String] {
    let known = catalogue.settings.map(\.variable)
    return environment.keys.filter { $0.hasPrefix("FERRY_") && !known.contains($0) }.sorted()
      .map { "note: no flag is called by \($0)\(NearestWord.question($0, among: known))" }
  }
}

extension Setting {
  /// Whether a person says it, on the line or elsewhere.
  fileprivate var isSaid: Bool { isFromElsewhere || origin == .line }
}

extension String {
  /// The text with spaces behind it, up to a length.
  fileprivate func padded(to length: Int) -> String {
    self + String(repeating: " ", count: max(0, length - count))
  }
}
