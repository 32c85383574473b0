import ArgumentParser
import CommandSettings

/// Tries what is set with the verbs that it is for, as far as that can be determined without their work.
struct SettingTrial {
  /// A setting, wherever it holds.
  private struct Place: Hashable {
    let key: String
    let origin: Setting.Origin

    init(_ setting: Setting) {
      key = setting.flag.key
      origin = setting.origin
    }
  }

  private var taken: Set<Place> = []
  private var refused: [(place: Place, reason: String)] = []

  /// Why settings cannot be, of each that a verb refuses and none takes.
  var reasons: [String] {
    refused.filter { !taken.contains($0.place) }.map { "\($0.place.origin): \($0.reason)" }
  }

  /// Has the parser read settings as if their verb were called with them, again without those that it
  /// refuses.
  ///
  /// What may be a secret is left out: the parser's words might repeat it.
  mutating func run(_ settings: [Setting], of words: CommandLineWords) {
    let verb = words.verb
    let needed = verb.operands.filter { !$0.isOptional }.map(\.name)
    let operands = words.operands.isEmpty ? needed : words.operands
    var left = settings.filter { !$0.flag.isReference && !$0.words.isEmpty }
    while !left.isEmpty {
      do {
        let line = Array(verb.path.dropFirst()) + left.flatMap(\.words) + operands
        _ = try FerryCommand.parseAsRoot(line)
        taken.formUnion(left.map { Place($0) })
        return
      } catch {
        let message = FerryCommand.message(for: error)
        let meant = left.filter { Self.isNamed($0.flag.key, in: message) }
        // What else the line lacks keeps the rest from being reported.
        guard !meant.isEmpty else { return }
        for setting in meant { refuse(Place(setting), message) }
        left.removeAll { meant.contains($0) }
      }
    }
  }

  private mutating func refuse(_ place: Place, _ reason: String) {
    guard !refused.contains(where: { $0.place == place }) else { return }
    refused.append((place, reason))
  }

  private static func isNamed(_ key: String, in text: String) -> Bool {
    var rest = text[...]
    while let found = rest.firstRange(of: "--\(key)") {
      rest = rest[found.upperBound...]
      let next = rest.first
      if next != "-", next?.isLetter != true, next?.isNumber != true { return true }
    }
    return false
  }
}
