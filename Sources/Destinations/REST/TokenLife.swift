import DestinationModel
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

  /// A claim of a JSON Web Token; `nil` for another token, and for one without the claim.
  ///
  /// Its signature is not checked: only the server that made it can be deceived by it. The token has three parts
  /// in base64url without padding (<https://www.rfc-editor.org/rfc/rfc7519#section-3>).
  static func claim(_ name: String, of token: Secret) -> JSONValue? {
    let parts = token.exposed.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let digits = parts[1].utf8.map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    guard let bytes = Base64.bytes(unpadded: digits) else { return nil }
    return JSONObject(parsing: bytes)?[name]
  }

  /// When to sign in again: so long before the end of a life that begins `now`, but never before half
  /// of it has gone.
  static func renewal(after life: Double, now: Double, margin: Duration) -> Double {
    now + max(life - Double(margin.components.seconds), life / 2)
  }
}
