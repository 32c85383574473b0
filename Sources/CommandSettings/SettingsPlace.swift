import Files
import Foundation

/// Where the settings file is.
package enum SettingsPlace {
  /// Reads the file that is named, else the one beside a profile that is named, else the one in the
  /// current folder.
  ///
  /// One that was found and not named came perhaps with a folder that another process made: it is
  /// taken only when no other user may write it, and when it has no program run.
  ///
  /// - Parameters:
  ///   - words: The line.
  ///   - environment: The variables, by name.
  ///   - catalogue: Gives all verbs and flags, where a file is there.
  /// - Returns: The settings; `nil` where there is no file.
  /// - Throws: ``SettingsError`` for a file that cannot be read or taken.
  package static func file(
    for words: CommandLineWords,
    environment: [String: String],
    catalogue: () throws(SettingsError) -> CommandCatalogue
  ) throws(SettingsError) -> SettingsFile? {
    func named(_ key: String, _ variable: String) -> String? {
      let value = words.given[key]?.last ?? environment[variable]
      return value?.isEmpty == false ? value : nil
    }
    if let path = named("config", "FERRY_CONFIG") {
      return try SettingsFile(path, catalogue: catalogue())
    }
    var places = [SettingsFile.name]
    if let profile = named("profile", "FERRY_PROFILE") {
      let folder = (profile as NSString).deletingLastPathComponent
      if !folder.isEmpty { places.insert("\(folder)/\(SettingsFile.name)", at: 0) }
    }
    guard let path = places.first(where: { FileManager.default.fileExists(atPath: $0) }) else {
      return nil
    }
    let cure = "name it with --config \(path) if it is meant, or remove it"
    if let reason = FoundFile.distrust(of: path) {
      throw SettingsError(path: path, reason: reason, cure: cure)
    }
    let file = try SettingsFile(path, catalogue: catalogue())
    if let line = file.commandLine {
      throw SettingsError(
        path: "\(path):\(line)",
        reason: "it starts a program, and was found in the current folder and not named",
        cure: cure
      )
    }
    return file
  }
}
