import Configuration
import Synchronization

/// Where the settings of a command line come from: a flag, else the run that the line is about, else
/// the environment, else the section of its verb in the settings file, else that file's general part.
///
/// Of what a run remembers, the environment and the file say nothing: they may have changed since.
package struct SettingSources: Sendable {
  private let words: CommandLineWords
  private let file: SettingsFile?
  private let run: RunSettings?
  private let reader: ConfigReader
  /// All but the line.
  private let untyped: ConfigReader
  private let providers = WinningProvider()

  private static let line = "line"
  private static let run = "run"
  private static let environment = "environment"
  private static let section = "section"
  private static let general = "general"
  private static let fallback = "fallback"

  /// - Parameters:
  ///   - words: The command line.
  ///   - environment: All variables; those of other programs are not looked at, and an empty one
  ///     counts as none.
  ///   - file: The settings file, where there is one.
  ///   - run: What the run remembers that the line is about, where it is about one.
  package init(
    _ words: CommandLineWords,
    environment: [String: String],
    file: SettingsFile?,
    run: RunSettings? = nil
  ) {
    self.words = words
    self.file = file
    self.run = run
    let flags = words.verb.flags
    let open = flags.filter { run?.decides($0) != true }
    let hidden = Set(flags.map(\.variable)).subtracting(open.map(\.variable))
    let ours = environment.filter {
      $0.key.hasPrefix("FERRY_") && !$0.value.isEmpty && !hidden.contains($0.key)
    }
    let typed = flags.compactMap { flag in words.given[flag.key].map { (flag, $0) } }
    let remembered = flags.compactMap { flag in run?.values(of: flag).map { (flag, $0) } }
    let section = open.compactMap { flag in
      file?.entry(flag.key, of: words.verb.words).map { (flag, $0.values) }
    }
    let general = open.compactMap { flag in
      file?.entry(flag.key, of: nil).map { (flag, $0.values) }
    }
    let fallbacks = flags.compactMap { flag in flag.defaultValue.map { (flag, [$0]) } }
    let others: [any ConfigProvider] =
      [
        Self.provider(Self.run, remembered),
        EnvironmentVariablesProvider(
          environmentVariables: ours,
          secretsSpecifier: .specific(["FERRY_CREDENTIAL", "FERRY_PSEUDONYMS"])
        ).prefixKeys(with: "ferry"),
        Self.provider(Self.section, section),
        Self.provider(Self.general, general),
        Self.provider(Self.fallback, fallbacks),
      ]
    reader = ConfigReader(
      providers: [Self.provider(Self.line, typed)] + others,
      accessReporter: providers
    )
    untyped = ConfigReader(
      providers: [Self.provider(Self.line, [])] + others,
      accessReporter: providers
    )
  }

  private static func provider(
    _ name: String,
    _ values: [(Flag, [String])]
  ) -> InMemoryProvider {
    InMemoryProvider(
      name: name,
      values: Dictionary(
        values.map { flag, values in
          let content: ConfigContent =
            flag.isRepeating ? .stringArray(values) : .string(values.last ?? "")
          return (
            AbsoluteConfigKey([flag.key]), ConfigValue(content, isSecret: flag.isReference)
          )
        },
        uniquingKeysWith: { first, _ in first }
      )
    )
  }

  /// Every flag of the verb that can be set, with its value.
  ///
  /// - Throws: ``SettingsError`` for a variable that a switch cannot take.
  package func settings() throws(SettingsError) -> [Setting] {
    var settings: [Setting] = []
    for flag in words.verb.flags where flag.isSetting {
      settings.append(try setting(of: flag, in: reader))
    }
    return settings
  }

  /// What a run, a variable or the file says and the line does not, as words for the line.
  ///
  /// Credentials and values of variables that are typed replace those of their names alone.
  package func additions() throws(SettingsError) -> [Setting] {
    var additions: [Setting] = []
    for setting in try settings() {
      if setting.isFromElsewhere {
        additions.append(setting)
      } else if setting.flag.isNamed, setting.flag.isRepeating {
        let other = try self.setting(of: setting.flag, in: untyped)
        if other.isFromElsewhere { additions.append(other) }
      }
    }
    return additions
  }

  private func setting(of flag: Flag, in reader: ConfigReader) throws(SettingsError) -> Setting {
    let key = ConfigKey([flag.key])
    var values =
      flag.isRepeating
      ? reader.stringArray(forKey: key, isSecret: flag.isReference)
      : reader.string(forKey: key, isSecret: flag.isReference).map { [$0] }
    let origin = origin(of: flag, isThere: values != nil)
    if flag.isSwitch, let word = values?.first {
      guard let isOn = Self.boolean(word) else {
        throw SettingsError(
          place: "\(origin)",
          reason: "--\(flag.key) is on or off, not “\(word)”",
          cure: "write true or false"
        )
      }
      values = [isOn ? "true" : "false"]
    }
    return Setting(flag: flag, values: values ?? [], origin: origin)
  }

  private func origin(of flag: Flag, isThere: Bool) -> Setting.Origin {
    guard isThere, let index = providers.last else { return .none }
    switch index {
    case 0: return .line
    case 1: return run.map { .run($0.name) } ?? .none
    case 2: return .variable(flag.variable)
    case 3: return origin(inSection: words.verb.words, of: flag)
    case 4: return origin(inSection: nil, of: flag)
    default: return .fallback
    }
  }

  private func origin(inSection verb: String?, of flag: Flag) -> Setting.Origin {
    guard let file, let entry = file.entry(flag.key, of: verb) else { return .none }
    return .file(path: file.path, line: entry.line)
  }

  static func boolean(_ word: String) -> Bool? {
    switch word.lowercased() {
    case "true", "yes", "on", "1": true
    case "false", "no", "off", "0": false
    default: nil
    }
  }
}

/// Notes which of the sources had the value that was read last.
private final class WinningProvider: AccessReporter {
  private let index = Mutex<Int?>(nil)

  var last: Int? { index.withLock { $0 } }

  func report(_ event: AccessEvent) {
    let found = event.providerResults.firstIndex { provider in
      switch provider.result {
      case .success(let result): result.value != nil
      case .failure: false
      }
    }
    index.withLock { $0 = found }
  }
}
