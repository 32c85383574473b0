import ArgumentParser
import CommandOutput
import JSONText
import Profiles
import Records
import Reporting
import RunHistory
import StageSupport

/// `ferry profile`: check a profile, or print it with everything written out.
struct ProfileCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile",
    abstract: "Check a profile, or print it with its preset and defaults written out.",
    discussion: """
      EXAMPLES
        ferry profile check profile.yaml
        ferry profile show profile.yaml
      """,
    subcommands: [ProfileCheckCommand.self, ProfileShowCommand.self]
  )
}

/// `ferry profile check`: every fault of a profile.
struct ProfileCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check a profile without a store and without a destination.",
    discussion: """
      EXAMPLES
        ferry profile check profile.yaml

      Every fault is named with its line, and what to do about it. A value that comes from a preset \
      is named with the preset's line.

      EXIT STATUS
        0   The profile has no fault.
        12  The profile has faults.
        64  There is no profile.
      """
  )

  @Argument(help: "The profile.", completion: .file())
  var profile: String

  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run { () async throws(MigrationError) in
      let profile = try context.profile(at: ProfilePlace(path: profile, isFound: false))
      let sent = profile.api?.entities.count ?? 0
      context.screen.result([
        "valid: \(sent) of \(profile.entities.count) entities are sent, no fault"
      ])
      context.screen.result(
        [
          "type": "profile", "app": .string(profile.app),
          "digest": .string(profile.digest.description),
          "entities": .array(profile.entities.map { .string($0.name.text) }),
          "sent": .array((profile.api?.entities ?? []).map { .string($0.entity.text) }),
        ] as JSONValue
      )
      if sent > 0 {
        context.screen.suggest("ferry preflight --profile \(self.profile.quotedForShell)")
      }
      return .done
    }
  }
}

/// `ferry profile show`: a profile with everything written out.
struct ProfileShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print a profile with its preset, defaults and short forms written out.",
    discussion: """
      EXAMPLES
        ferry profile show profile.yaml

      What is printed is a profile that means the same, and what a run keeps.

      EXIT STATUS
        0   Printed.
        12  The profile has faults.
        64  There is no profile.
      """
  )

  @Argument(help: "The profile.", completion: .file())
  var profile: String

  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run { () async throws(MigrationError) in
      let profile = try context.profile(at: ProfilePlace(path: profile, isFound: false))
      context.screen.result(
        profile.expandedText.split(separator: "\n").map(String.init)
      )
      context.screen.result(profile.meaning)
      return .done
    }
  }
}
