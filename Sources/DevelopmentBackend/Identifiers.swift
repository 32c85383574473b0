/// Makes the ids and tokens that the server gives out.
enum Identifiers {
  /// A new id in the form of a cuid: `c`, the time, and random characters, 25 in all.
  ///
  /// The time comes first so that new rows lie at the end of an index.
  static func rowID(at milliseconds: Int64) -> String {
    let time = String(milliseconds, radix: 36)
    return "c" + time.suffix(8) + random(count: 16, of: lowerCase)
  }

  /// A new secret, 32 characters long.
  static func token() -> String {
    random(count: 32, of: lowerCase + upperCase)
  }

  private static let lowerCase = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
  private static let upperCase = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)

  private static func random(count: Int, of letters: [UInt8]) -> String {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<count).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
