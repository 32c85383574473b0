package import Checkpoint
package import CommandSettings
import Files
import Foundation
package import StageSupport

/// What a line and the runs have to do with each other: flags that a run remembers, and those that it
/// is to remember.
package enum RememberedRun {
  /// The verbs whose operand is a run, or may be one.
  private static let verbs: Set<String> = ["rollback", "resume", "verify"]

  /// The settings of the run that a line names; `nil` where it names none, or none that can be read: the
  /// verb itself says so.
  package static func settings(of words: CommandLineWords, in state: StateFolder) -> RunSettings? {
    guard verbs.contains(words.verb.words), let name = words.operands.first, isRun(name) else {
      return nil
    }
    do {
      try state.refuseLinks()
      let found = try FoundRun(name, inOrBelow: state)
      return RunSettings(found.run.id, try found.flags().map { ($0.name, $0.value) })
    } catch {
      return nil
    }
  }

  /// Whether an operand may be the name of a run, or what it begins with, and is not that of a file or
  /// folder.
  package static func isRun(_ name: String) -> Bool {
    !name.isEmpty && name.allSatisfy { $0.isHexDigit || $0 == "-" } && !InputFile.isPresent(name)
  }

  /// What a run that begins with this line remembers, the store's path included.
  package static func flags(of words: CommandLineWords) -> [RunFlag] {
    let folder = FileManager.default.currentDirectoryPath
    var flags = RunSettings.flags(of: words, in: folder).map {
      RunFlag(name: $0.name, value: $0.value)
    }
    if words.verb.words == "migrate", let store = words.operands.first {
      flags.append(RunFlag(name: RunFlag.store, value: Folder.wholePath(of: store)))
    }
    return flags
  }
}

extension [RunFlag] {
  /// The same, with the profile's path, and what `earlier` says of places that these do not name.
  package func adding(profilePath: String, _ earlier: [RunFlag]) -> [RunFlag] {
    var flags = self
    if InputFile.isPresent(profilePath) {
      flags.append(RunFlag(name: RunFlag.profile, value: Folder.wholePath(of: profilePath)))
    }
    for flag in earlier where RunFlag.places.contains(flag.name) {
      if !flags.contains(where: { $0.name == flag.name }) { flags.append(flag) }
    }
    return flags
  }
}
