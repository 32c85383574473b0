import ArgumentParser
import CommandOutput
import Files
import JSONText
import PackageStages
import ProfileSettings
import Profiles
import Reporting
import StageSupport

/// `ferry preset`: the backends that are known by name.
struct PresetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preset",
    abstract: "List the backends that are known by name, or print the settings of one.",
    discussion: """
      EXAMPLES
        ferry preset list
        ferry preset show pocketbase

      A profile names one under "api": preset: pocketbase, or preset: ./mine.yaml for a file of \
      yours beside it.
      """,
    subcommands: [PresetListCommand.self, PresetShowCommand.self]
  )

  /// The preset of a name, or an error that names the nearest one; a name with a slash is that of a file.
  static func summary(
    of name: String,
    given: GivenValues = .none
  ) throws -> PresetSummary {
    if name.contains("/") {
      guard InputFile.isPresent(name) else {
        throw MigrationError.badChoice(
          reason: "there is no preset at \(name)",
          cure:
            "name a file, or a preset of `ferry preset list`; `ferry preset show NAME` prints one to begin with"
        )
      }
      try NamedFile.expect(.text, at: name)
      let bytes = try InputFile.contents(of: name, limit: 4 << 20)
      return try PresetSummary("./\(Folder.lastName(of: name))", given: given) { _ in bytes }
    }
    do throws(ProfileError) {
      return try PresetSummary(name, given: given)
    } catch {
      let fault = error.faults.first
      throw MigrationError.badChoice(
        reason: fault?.cause ?? "there is no preset “\(name)”",
        cure: fault?.cure ?? "see “ferry preset list”"
      )
    }
  }
}

/// `ferry preset list`: each backend, and what it can.
struct PresetListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List each backend that is known by name, and what it can.",
    discussion: """
      EXAMPLES
        ferry preset list

      bulk: several records are created by one request. changes: the backend says what changed \
      since the last run. delete, files: records are deleted, files are sent. revisions: a change \
      of another device is seen without comparing every field. schema: the backend says what its \
      collections are, to an account that may see them, for `ferry init` and `ferry preflight`.

      EXIT STATUS
        0   Listed.
      """
  )

  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run {
      let presets = try PresetSummary.shipped()
      let width = presets.map(\.name.count).max() ?? 0
      for preset in presets {
        let name = preset.name + String(repeating: " ", count: width - preset.name.count)
        let indentation = String(repeating: " ", count: width + 2)
        let needs = preset.credentials + preset.needs.map { "with.\($0)" }
        context.screen.result([
          "\(name)  \(preset.title)",
          "\(indentation)can: \(preset.capabilities.map(\.rawValue).joined(separator: ", "))",
          "\(indentation)needs: \(needs.joined(separator: ", "))",
        ])
        context.screen.result(preset.json)
      }
      return .done
    }
  }
}

extension PresetSummary {
  /// The preset for another program.
  fileprivate var json: JSONValue {
    var can = JSONObject()
    for capability in Capability.allCases {
      can[capability.rawValue] = .boolean(capabilities.contains(capability))
    }
    return [
      "type": "preset", "name": .string(name), "title": .string(title), "can": .object(can),
      "credentials": .array(credentials.map { .string($0) }),
      "needs": .array(needs.map { .string($0) }),
    ]
  }
}

/// `ferry preset show`: the text of a preset.
struct PresetShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print a preset, as a file that a profile can name.",
    discussion: """
      EXAMPLES
        ferry preset show pocketbase

      EXIT STATUS
        0   Printed.
        64  There is no preset of the name.
      """
  )

  @Argument(help: "The name of the preset.")
  var name: String

  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run {
      let preset = try PresetCommand.summary(of: name)
      context.screen.result(
        preset.text.split(separator: "\n", omittingEmptySubsequences: false)
          .map(String.init)
      )
      context.screen.result(
        ["type": "preset", "name": .string(name), "text": .string(preset.text)] as JSONValue
      )
      return .done
    }
  }
}
