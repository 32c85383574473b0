import JSONText
package import StageSupport

/// A command about a run, to type next: the run remembers the flags.
package struct RunCommand: Hashable, Sendable {
  /// The command as a shell takes it.
  package let text: String

  /// - Parameters:
  ///   - verb: `resume`, `rollback`, `verify` or another verb that takes a run.
  ///   - run: The run's name.
  ///   - state: The folder that the run is remembered in.
  ///   - isUsual: Whether the verb looks there without a flag.
  package init(_ verb: String, _ run: String, state: StateFolder, isUsual: Bool) {
    let place = isUsual ? "" : " --state-dir \(state.path.quotedForShell)"
    text = "ferry \(verb) \(run)\(place)"
  }
}

extension String {
  /// The text as one word of a shell's command line.
  package var quotedForShell: String {
    let isPlain = unicodeScalars.allSatisfy { scalar in
      scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
        || "-_./:=@%+,".unicodeScalars.contains(scalar)
    }
    return isPlain && !isEmpty ? self : "'" + replacing(scalar: "'", with: "'\\''") + "'"
  }
}
