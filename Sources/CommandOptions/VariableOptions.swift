package import ArgumentParser
import Checkpoint
package import ProfileSettings
package import StageSupport

/// The values of a profile's variables that a person gives beside it.
package struct VariableOptions: ParsableArguments {
  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "A value for {NAME} in the profile; it wins over that of `with`.",
      discussion: "A run keeps its values. Never a secret. May be given several times.",
      valueName: "name=value"
    )
  )
  package var values: [String] = []

  package init() {}

  package func validate() throws {
    for value in values where Self.parts(of: value) == nil {
      throw ValidationError("--set takes NAME=VALUE, not “\(value)”.")
    }
  }

  /// Of two values of one name the later holds.
  package var given: GivenValues {
    GivenValues(Dictionary(values.compactMap(Self.parts(of:)), uniquingKeysWith: { $1 }))
  }

  /// The flags to type again for another verb about the same profile.
  package var words: [String] { values.flatMap { ["--set", $0] } }

  /// Refuses other values than those that a run began with, where its own profile is used.
  package func expectThose(of found: FoundRun) throws {
    let kept = Set(try found.flags().filter { $0.name == "set" }.map(\.value))
    guard let other = values.first(where: { !kept.contains($0) }) else { return }
    throw MigrationError.badChoice(
      reason: "run \(found.run.id) keeps its own profile, without “\(other)”",
      cure: "leave out --set: the run has the values that it began with"
    )
  }

  private static func parts(of value: String) -> (String, String)? {
    guard let sign = value.firstIndex(of: "="), sign != value.startIndex else { return nil }
    return (String(value[..<sign]), String(value[value.index(after: sign)...]))
  }
}
