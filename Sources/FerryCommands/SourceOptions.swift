import ArgumentParser
import StoreFiles
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

  @Option(
    help: ArgumentHelp(
      "Files of a folder that are known and left out; may be given several times.",
      discussion:
        "In a name, * is any characters and ? one; a pattern with / is a path in the folder.",
      valueName: "pattern"
    ),
    completion: .none
  )
  var ignore: [String] = []

  @Flag(help: "Read the keys of Apple's frameworks in preferences as well.")
  var systemKeys = false

  /// The flags to type again for another verb about the same source.
  var words: [String] {
    model.flatMap { ["--model", $0] } + (readDamaged ? ["--read-damaged"] : [])
      + (app.map { ["--app", $0] } ?? []) + ignore.flatMap { ["--ignore", $0] }
      + (systemKeys ? ["--system-keys"] : [])
  }

  /// How the source is opened, with the key of Realm files where one of the credentials is that.
  func options(
    _ credentials: [String],
    _ context: CommandContext
  ) async throws -> Source.Options {
    Source.Options(
      models: model,
      readsDamaged: readDamaged,
      app: app,
      ignored: IgnoredFiles(ignore),
      keepsSystemKeys: systemKeys,
      realmKey: try await context.realmKey(among: credentials)
    )
  }
}

/// Credentials of the verb that drafts a profile: a store's own, and one that may ask a backend for its schema.
struct DraftCredentialOptions: ParsableArguments {
  @Option(
    name: .customLong("credential"),
    help: ArgumentHelp(
      "The backend's credential that may read its schema, or the key of an encrypted Realm file.",
      discussion:
        "From a file (0600), the environment or a command; never an argument. May be given several times.",
      valueName: "name=file:path|env:var|command:cmd"
    )
  )
  var credentials: [String] = []
}

/// Credentials of verbs that read a store and send nothing; those of a destination, which a variable may give to
/// every verb, are passed over.
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
}
