import ArgumentParser
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

  var options: Source.Options {
    Source.Options(
      models: model,
      readsDamaged: readDamaged,
      app: app,
      keepsSystemKeys: systemKeys
    )
  }
}
