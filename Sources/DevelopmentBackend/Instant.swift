import Foundation
import TextCodecs

/// A moment in milliseconds since 1970, as the server stores and prints it.
struct Instant: Hashable, Comparable, Sendable {
  let milliseconds: Int64

  init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// The moment by the machine's clock.
  static var now: Instant {
    Instant(milliseconds: Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
  }

  /// Reads `2026-11-20`, `2026-11-20T10:00:00Z` and `2026-11-20T10:00:00.123+01:00`.
  init?(_ text: String) {
    let full = text.utf8.count == 10 ? text + "T00:00:00Z" : text
    let styles = [
      Date.ISO8601FormatStyle(includingFractionalSeconds: true),
      Date.ISO8601FormatStyle(includingFractionalSeconds: false),
    ]
    for style in styles {
      if let date = try? style.parse(full) {
        self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1_000).rounded()))
        return
      }
    }
    return nil
  }

  static func < (left: Instant, right: Instant) -> Bool {
    left.milliseconds < right.milliseconds
  }

  func adding(seconds: Double) -> Instant {
    Instant(milliseconds: milliseconds + Int64(seconds * 1_000))
  }

  /// The moment as `2026-11-20T10:00:00.123Z`.
  var text: String {
    let seconds = milliseconds >= 0 ? milliseconds / 1_000 : (milliseconds - 999) / 1_000
    let fraction = String(1_000 + (milliseconds - seconds * 1_000)).dropFirst()
    return Timestamp.text(secondsSince1970: seconds, fraction: String(fraction))
  }
}
