import ArgumentParser
import CommandOutput
import DestinationKinds
import Migration
import Planning
import Profiles
import Reporting
import Retrying

/// `ferry preflight`: whether a destination fits, before anything is sent.
struct PreflightCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preflight",
    abstract: "Check credentials, routes and permissions with read-only requests.",
    discussion: """
      EXAMPLES
        ferry preflight --to production --credential token=env:TOKEN

      Signs in, asks whose data the destination serves, looks for what its kind needs (zones and \
      types of records in CloudKit), and reads the first page of each entity. If the destination \
      describes its collections, and the credential for that is given, each field that a collection \
      lacks is named, and each collection that refuses IDs as Ferry makes them. If files go by tickets, an empty request to that route shows whether the \
      destination has it. No record is sent. \
      A read-only request shows neither whether the account may write nor how much space it has.

      EXIT STATUS
        0   Everything that can be checked fits.
        5   The destination could not be reached, or asks to wait.
        7   Something does not fit; the cure is beside it.
        12  The profile has faults.
        64  A credential is missing or cannot be read; nothing was asked.
      """
  )

  @OptionGroup(title: "Profile") var profile: ProfileOptions
  @OptionGroup(title: "Destination") var destination: DestinationOptions
  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared, limit: destination.limit)
    try await context.run {
      let profile = try context.profile(at: self.profile.place(beside: "profile.yaml"))
      let options = destination.sessionOptions(
        isRehearsal: true,
        profile: profile,
        interruption: context.signals.interruption
      )
      let choice = try DestinationChoice(
        in: profile,
        named: destination.to,
        kinds: CommandContext.kinds
      )
      let credentials = try context.checks(
        ofCredentials: choice.neededCredentials,
        given: destination.credentials
      )
      let preflight = try await context.withDestination(
        destination,
        profile: profile,
        isRehearsal: true
      ) { place in
        await Preflight(
          profile: profile,
          destination: place,
          patience: options.readPatience(on: .system),
          credentials: credentials
        )
      }
      context.screen.result(PreflightText.lines(preflight))
      context.screen.result(PreflightText.json(preflight))
      if preflight.isFit {
        let flags = destination.flags(profilePath: profile.path, self.profile.variables)
        context.screen.suggest("ferry migrate STORE \(flags) -n")
      }
      guard preflight.isAsked else { return .usage }
      return preflight.isFit ? .done : preflight.mayPass ? .passingFault : .refused
    }
  }
}
