import ArgumentParser
import CommandOptions
import CommandOutput
import DestinationModel
import JSONText
import Planning
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
        ferry profile check profile.yaml --credential token=env:TOKEN
        ferry profile check profile.yaml --set tenant=north

      Every fault is named with its line, and what to do about it. A value that comes from a preset \
      is named with the preset's line. What `ferry preflight` finds without a network is named as \
      well: schemas that are missing, fields that go nowhere, credentials that cannot be read.

      EXIT STATUS
        0   The profile has no fault.
        12  The profile has faults, or a credential is missing or cannot be
            read.
        64  There is no profile.
      """
  )

  @Argument(help: "The profile.", completion: .file())
  var profile: String

  @Option(
    name: .customLong("credential"),
    help: ArgumentHelp(
      "A credential the profile names, which is looked for and not used.",
      discussion: "No command is run. May be given several times.",
      valueName: "name=file:path|env:var|command:cmd|ask"
    )
  )
  var credentials: [String] = []

  @OptionGroup var variables: VariableOptions
  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run {
      let profile = try context.profile(at: ProfilePlace(named: profile, given: variables.given))
      let checks = try self.checks(of: profile, in: context)
      let sent = profile.api?.entities.count ?? 0
      let faults = checks.count { $0.verdict == .unfit }
      let words = "\(sent) of \(profile.entities.count) entities are sent"
      context.screen.result(
        [faults == 0 ? "valid: \(words), no fault" : "\(words); faults: \(faults)"]
          + PreflightText.lines(of: checks)
      )
      context.screen.result(
        [
          "type": "profile", "app": .string(profile.app),
          "digest": .string(profile.digest.description),
          "entities": .array(profile.entities.map { .string($0.name.text) }),
          "sent": .array((profile.api?.entities ?? []).map { .string($0.entity.text) }),
          "checks": PreflightText.json(of: checks),
        ] as JSONValue
      )
      if sent > 0, checks.areFit {
        let words = ["--profile", self.profile] + variables.words
        context.screen.suggest(
          "ferry preflight " + words.map(\.quotedForShell).joined(separator: " ")
        )
      }
      return checks.areFit ? .done : .mismatch
    }
  }

  /// What preflight would find as well without a network.
  private func checks(
    of profile: Profile,
    in context: CommandContext
  ) throws -> [DestinationCheck] {
    let needed = profile.api?.neededCredentials ?? []
    guard credentials.isEmpty else {
      return OfflineChecks.of(profile)
        + (try context.checks(ofCredentials: needed, given: credentials))
    }
    let names = needed.map { "“\($0)”" }.joined(separator: ", ")
    let unknown = DestinationCheck(
      "credentials",
      .unknown,
      "the profile names \(names), and none is given here",
      cure: "give each with --credential NAME=file:PATH, env:VAR, command:CMD or ask"
    )
    return OfflineChecks.of(profile) + (needed.isEmpty ? [] : [unknown])
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

  @OptionGroup var variables: VariableOptions
  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run {
      let profile = try context.profile(at: ProfilePlace(named: profile, given: variables.given))
      context.screen.result(
        profile.expandedText.split(separator: "\n").map(String.init)
      )
      context.screen.result(profile.meaning)
      return .done
    }
  }
}
