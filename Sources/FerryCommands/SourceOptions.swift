import ArgumentParser
import DestinationModel
import StageSupport
import StoreReading

/// How a source is to be read.
struct SourceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A model for a store that carries none; may be given several times.",
      discussion: "A .mom, .momd, .xcdatamodel or .xcdatamodeld. The version that fits is taken.",
      valueName: "path"
    ),
    completion: .file()
  )
  var model: [String] = []

  @Flag(help: "Read what is left of a damaged database; what is missing is reported.")
  var readDamaged = false

  @Option(help: "The bundle identifier of the app whose part of a device's backup is read.")
  var app: String?

  @Flag(help: "Read the keys of Apple's frameworks in preferences as well.")
  var systemKeys = false

  /// How the source is opened, with the key of Realm files where one of the credentials is that.
  func options(
    _ credentials: [String],
    _ context: CommandContext
  ) async throws(MigrationError) -> Source.Options {
    Source.Options(
      models: model,
      readsDamaged: readDamaged,
      app: app,
      keepsSystemKeys: systemKeys,
      realmKey: try await context.realmKey(among: credentials)
    )
  }
}

/// Credentials of verbs that read a store and send nothing.
struct StoreCredentialOptions: ParsableArguments {
  @Option(
    name: .customLong("credential"),
    help: ArgumentHelp(
      "The key of an encrypted Realm file, from a file (0600), the environment or a command.",
      discussion: "64 bytes, or their text in hexadecimal or base 64; never an argument.",
      valueName: "realm-key=file:path|env:var|command:cmd"
    )
  )
  var credentials: [String] = []

  func validate() throws {
    guard credentials.allSatisfy(RealmKey.isMeant(by:)) else {
      throw ValidationError("This verb knows one credential: \(RealmKey.name).")
    }
  }
}
