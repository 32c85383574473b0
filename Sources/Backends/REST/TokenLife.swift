import JSONText
import Profiles

/// When a token ends, and when to get the next.
enum TokenLife {
  /// Reads an instant as text, seconds or milliseconds since 1970, or seconds from now.
  ///
  /// - Returns: Seconds since 1970, or `nil` for anything else.
  static func ending(_ value: JSONValue, now: Double) -> Double? {
    if let text = value.text, let micros = DateText.microseconds(text) {
      return Double(micros) / 1_000_000 + secondsTo2001
    }
    let number = value.text.flatMap { Double($0) } ?? Self.number(value)
    guard let number, number.isFinite, number > 0 else { return nil }
    // Lives are counted in at most hundreds of millions of seconds, and instants are later than that.
    if number < 600_000_000 { return now + number }
    return number < 100_000_000_000 ? number : number / 1_000
  }

  /// From 1970 to 2001, where instants are counted from here.
  private static let secondsTo2001 = 978_307_200.0

  private static func number(_ value: JSONValue) -> Double? {
    if case .number(let number) = value { number.double } else { nil }
  }

  /// When to sign in again: so long before the end, but never before half of the life has gone.
  static func renewal(of ending: Double, now: Double, margin: Duration) -> Double {
    let seconds = Double(margin.components.seconds)
    return max(ending - seconds, now + (ending - now) / 2)
  }
}
