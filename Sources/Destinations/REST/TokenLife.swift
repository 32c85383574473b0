import JSONText
import TextCodecs

/// How long a token lives, and when to get the next.
enum TokenLife {
  /// Reads an instant as text, seconds or milliseconds since 1970, or seconds to go.
  ///
  /// - Parameters:
  ///   - value: What the answer says of the token's end.
  ///   - moment: When it says so by the clock that the end is reported by, in seconds since 1970.
  /// - Returns: Seconds, or `nil` for anything else, and for an end that is not after `moment`: then
  ///   the two were reported by different clocks.
  static func life(_ value: JSONValue, at moment: Double) -> Double? {
    guard let life = difference(value, at: moment), life > 0 else { return nil }
    return life
  }

  private static func difference(_ value: JSONValue, at moment: Double) -> Double? {
    if let text = value.text, let micros = Timestamp.microseconds(text) {
      return Double(micros) / 1_000_000 + secondsTo2001 - moment
    }
    let number = value.text.flatMap { Double($0) } ?? Self.number(value)
    guard let number, number.isFinite else { return nil }
    // Lives are counted in at most hundreds of millions of seconds, and instants are later than that.
    if number < 600_000_000 { return number }
    return (number < 100_000_000_000 ? number : number / 1_000) - moment
  }

  /// From 1970 to 2001, where instants are counted from here.
  private static let secondsTo2001 = 978_307_200.0

  private static func number(_ value: JSONValue) -> Double? {
    if case .number(let number) = value { number.double } else { nil }
  }

  /// When to sign in again: so long before the end of a life that begins `now`, but never before half
  /// of it has gone.
  static func renewal(after life: Double, now: Double, margin: Duration) -> Double {
    now + max(life - Double(margin.components.seconds), life / 2)
  }
}
