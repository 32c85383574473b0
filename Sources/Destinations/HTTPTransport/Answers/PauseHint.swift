package import JSONText
package import NIOHTTP1
import TextCodecs

/// How long an answer asks not to be spoken to, wherever it says so.
///
/// Looked for in this order; the first that can be read counts:
///
/// | place | forms |
/// |---|---|
/// | `Retry-After`, `X-Retry-After` | seconds, with or without a fraction; an HTTP date in any of its forms |
/// | `Retry-After-Ms` | milliseconds |
/// | the body, or its `error` | `retryAfter`, `retry_after` in seconds; `retryAfterMs`, `retry_after_ms` |
/// | the message | “… at 2026-11-20T23:00:00Z”, “in 37 minutes”, “after 2 hours” |
/// | `RateLimit`, `RateLimit-Reset` | `"default";r=0;t=30`, `limit=9, reset=30`, `30` |
/// | `X-RateLimit-Reset` | seconds to go, or a moment since 1970 when the number is large |
package enum PauseHint {
  /// The pause that an answer asks for, or `nil`; `now` is in seconds since 1970.
  package static func pause(
    headers: HTTPHeaders,
    body: JSONValue? = nil,
    message: String,
    now: Double
  ) -> Duration? {
    let now = time(headers, else: now)
    let seconds =
      fromRetryAfter(headers, now) ?? body.flatMap(fromBody) ?? fromMessage(message, now)
      ?? fromRateLimit(headers, now)
    return seconds.map(bounded)
  }

  /// The pause of `Retry-After` and its relatives alone, for answers that are no limit's own words.
  package static func retryAfter(headers: HTTPHeaders, now: Double) -> Duration? {
    fromRetryAfter(headers, time(headers, else: now)).map(bounded)
  }

  /// How long an answer of any status asks for no new request (`Backoff`, in seconds): a request to
  /// slow down, and no failure.
  package static func backoff(headers: HTTPHeaders) -> Duration? {
    headers.first(name: "Backoff").flatMap { plainNumber($0.trimmed) }.map(bounded)
  }

  /// Whether an answer says that as many requests were made as are allowed for now.
  static func isUsedUp(_ headers: HTTPHeaders) -> Bool {
    ["X-RateLimit-Remaining", "RateLimit-Remaining", "X-Rate-Limit-Remaining"].contains { name in
      headers.first(name: name)?.trimmed == "0"
    }
  }

  /// The destination's own time, against which its moments are held: this machine's clock may be wrong.
  package static func time(_ headers: HTTPHeaders, else now: Double) -> Double {
    headers.first(name: "Date").flatMap { ServerTime.httpDate($0.trimmed, now: now) } ?? now
  }

  /// A year is as good as for ever, and far from the bounds of `Duration`.
  private static func bounded(_ seconds: Double) -> Duration {
    .seconds(min(max(seconds, 0), 31_536_000))
  }

  private static func fromRetryAfter(_ headers: HTTPHeaders, _ now: Double) -> Double? {
    for name in ["Retry-After", "X-Retry-After"] {
      guard let value = headers.first(name: name)?.trimmed else { continue }
      if let seconds = plainNumber(value) { return seconds }
      let date = ServerTime.httpDate(value, now: now) ?? ServerTime.instant(value)
      if let date { return date - now }
    }
    let milliseconds = headers.first(name: "Retry-After-Ms").flatMap { plainNumber($0.trimmed) }
    return milliseconds.map { $0 / 1_000 }
  }

  private static func fromBody(_ body: JSONValue) -> Double? {
    for object in [body, body["error"] ?? .null] {
      for name in ["retryAfter", "retry_after", "retryAfterSeconds", "retry_after_seconds"] {
        if let seconds = object[name]?.shortText.flatMap({ plainNumber($0) }) { return seconds }
      }
      for name in ["retryAfterMs", "retry_after_ms"] {
        let count = object[name]?.shortText.flatMap { plainNumber($0) }
        if let count { return count / 1_000 }
      }
    }
    return nil
  }

  private static func fromMessage(_ message: String, _ now: Double) -> Double? {
    let words = message.split(whereSeparator: { $0.isWhitespace })
    for word in words {
      let bare = word.trimmingPunctuation
      if bare.utf8.count >= 19, let moment = ServerTime.instant(bare) { return moment - now }
    }
    for index in words.indices.dropLast(2) where words[index].opensWait {
      guard let count = plainNumber(words[index + 1]) else { continue }
      if let unit = unit(words[index + 2]) { return count * unit }
    }
    return nil
  }

  private static func fromRateLimit(_ headers: HTTPHeaders, _ now: Double) -> Double? {
    for part in headers["RateLimit"].joined(separator: ",").split(whereSeparator: ",; ".contains) {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, pair[0] == "t" || pair[0] == "reset" else { continue }
      if let seconds = plainNumber(pair[1]) { return seconds }
    }
    for name in ["RateLimit-Reset", "X-RateLimit-Reset", "X-Rate-Limit-Reset"] {
      guard let value = headers.first(name: name)?.trimmed else { continue }
      if let moment = ServerTime.instant(value) { return moment - now }
      guard let number = plainNumber(value) else { continue }
      return if number > 1e11 { number / 1_000 - now } else if number > 1e8 { number - now } else {
        number
      }
    }
    return nil
  }

  /// A number of digits and at most one point: no sign, exponent, infinity or hexadecimal.
  private static func plainNumber(_ text: some StringProtocol) -> Double? {
    guard text.utf8.count <= 100, text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") })
    else { return nil }
    return Double(text)
  }

  private static func unit(_ word: Substring) -> Double? {
    let letters = word.lowercased().prefix { $0.isLetter }
    return switch letters {
    case "s", "sec", "secs", "second", "seconds": 1
    case "m", "min", "mins", "minute", "minutes": 60
    case "h", "hr", "hrs", "hour", "hours": 3_600
    case "d", "day", "days": 86_400
    case "ms", "millisecond", "milliseconds": 0.001
    default: nil
    }
  }
}

extension StringProtocol {
  fileprivate var trimmed: SubSequence {
    drop { $0.isWhitespace }.trimmingEnd { $0.isWhitespace }
  }

  fileprivate func trimmingEnd(_ isDuplicated: (Character) -> Bool) -> SubSequence {
    var end = endIndex
    while end > startIndex, isDuplicated(self[index(before: end)]) { end = index(before: end) }
    return self[startIndex..<end]
  }
}

extension Substring {
  /// Without the quotes, brackets and marks of a sentence around it.
  fileprivate var trimmingPunctuation: Substring {
    let marks = "\"'“”‘’()[]<>.,;:!"
    return drop(while: marks.contains).trimmingEnd(marks.contains)
  }

  fileprivate var opensWait: Bool {
    ["in", "after", "for", "wait"].contains(lowercased())
  }
}
