extension Duration {
  /// A length of time as a setting has it: `500ms`, `60s`, `2m`, `1h`; `nil` for anything else.
  package init?(setting text: String) {
    let digits = text.prefix { $0 >= "0" && $0 <= "9" }
    guard let count = Int64(digits), count < 1 << 40 else { return nil }
    switch text.dropFirst(digits.count) {
    case "ms": self = .milliseconds(count)
    case "s": self = .seconds(count)
    case "m": self = .seconds(count * 60)
    case "h": self = .seconds(count * 3600)
    default: return nil
    }
  }

  /// The length of time as a setting has it, in the largest unit of which it has a whole number.
  package var setting: String {
    let (seconds, rest) = components
    if rest != 0 { return "\(seconds * 1_000 + rest / 1_000_000_000_000_000)ms" }
    if seconds > 0, seconds % 3600 == 0 { return "\(seconds / 3600)h" }
    if seconds > 0, seconds % 60 == 0 { return "\(seconds / 60)m" }
    return "\(seconds)s"
  }
}
