/// Numbers and times as people write them.
package enum Figures {
  /// A time that was taken: `0.4 s`, `12 s`, `3 min 20 s`.
  static func seconds(_ seconds: Double) -> String {
    if seconds < 10 { return "\((seconds * 10).rounded() / 10) s" }
    return wholeSeconds(Int64(seconds.rounded()))
  }

  /// A time that was taken, in whole seconds: `0 s`, `12 s`, `3 min 20 s`, `2 h 5 min`.
  package static func wholeSeconds(_ seconds: Int64) -> String {
    switch seconds {
    case ..<120: "\(max(0, seconds)) s"
    case ..<7_200: "\(seconds / 60) min \(seconds % 60) s"
    default: "\(seconds / 3_600) h \(seconds / 60 % 60) min"
    }
  }

  /// A time that is expected: `1 s`, `40 s`, `3 min`, `2 h 5 min`.
  package static func expected(_ seconds: Double) -> String {
    if seconds < 1 { return "1 s" }
    if seconds < 100 { return "\(Int(seconds.rounded(.up))) s" }
    let minutes = Int((seconds / 60).rounded(.up))
    return minutes < 100 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
  }

  /// `512 bytes`, `1.4 MB`.
  package static func bytes(_ bytes: Int64) -> String {
    var value = Double(bytes)
    var unit = "bytes"
    for larger in ["kB", "MB", "GB"] where value >= 1_000 {
      (value, unit) = (value / 1_000, larger)
    }
    return unit == "bytes" ? "\(bytes) bytes" : "\(short(value)) \(unit)"
  }

  /// A number with one digit behind the point where it is small.
  static func short(_ value: Double) -> String {
    value >= 10 || value == value.rounded()
      ? String(Int(value.rounded())) : "\((value * 10).rounded() / 10)"
  }

  /// A number with a sign.
  static func difference(_ number: Int) -> String { number > 0 ? "+\(number)" : "\(number)" }

  /// `1 record`, `2 records`.
  static func count(_ number: Int, _ word: String) -> String {
    number == 1 ? "1 \(word)" : "\(number) \(word)s"
  }
}
