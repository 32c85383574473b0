import ArgumentParser
import CommandOutput
import CommandSettings
import ProfileSettings
import StageSupport

/// The values of a profile's variables that a person gives beside it.
struct VariableOptions: ParsableArguments {
  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "A value for {NAME} in the profile; it wins over that of `with`.",
      discussion: "A run keeps its values. Never a secret. May be given several times.",
      valueName: "name=value"
    )
  )
  var values: [String] = []

  func validate() throws {
    for value in values where Self.parts(of: value) == nil {
      throw ValidationError("--set takes NAME=VALUE, not “\(value)”.")
    }
  }

  /// Of two values of one name the later holds.
  var given: GivenValues {
    GivenValues(Dictionary(values.compactMap(Self.parts(of:)), uniquingKeysWith: { $1 }))
  }

  /// The flags to type again for another verb about the same profile.
  var words: [String] { values.flatMap { ["--set", $0] } }

  /// Refuses values that were typed for a profile that is the run's own.
  func expectNone(forRun run: String) throws(MigrationError) {
    let isRemembered = CommandLineReader.line.additions.contains { $0.flag.key == "set" }
    guard !values.isEmpty, !isRemembered else { return }
    throw .badChoice(
      reason: "run \(run) keeps its own profile, with the values that it began with",
      cure: "leave out --set"
    )
  }

  private static func parts(of value: String) -> (String, String)? {
    guard let sign = value.firstIndex(of: "="), sign != value.startIndex else { return nil }
    return (String(value[..<sign]), String(value[value.index(after: sign)...]))
  }
}
