import Crypto
package import JSONText
import TextCodecs

/// States a reading that goes round in circles, by one place that is kept: Brent's algorithm.
///
/// The place is moved up after 1, 2, 4, 8 … pages, so that any circle is reported within three rounds.
/// A page with the same rows counts as the same place, regardless of its cursor.
package struct PageCycleDetector: Sendable {
  private var place: String?
  private var rows: String?
  private var steps = 0
  private var power = 1
  /// How many pages in a row had no row.
  private var emptyCount = 0

  /// The most pages without a row that are read one after the other, unless more are expected.
  package static let mostEmpty = 1_000

  /// How often a list is begun again that changed under the reading.
  package static let mostRestarts = 8

  package init() {}

  package init(_ value: JSONValue?) {
    place = value?[0]?.text
    rows = value?[1]?.text
    steps = Int(value?[2]?.integer ?? 0)
    power = max(Int(value?[3]?.integer ?? 1), 1)
    emptyCount = Int(value?[4]?.integer ?? 0)
  }

  package var value: JSONValue {
    [
      place.map { .string($0) } ?? .null, rows.map { .string($0) } ?? .null,
      .number(JSONNumber(Int64(steps))), .number(JSONNumber(Int64(power))),
      .number(JSONNumber(Int64(emptyCount))),
    ]
  }

  /// The lap at the page that begins at a position, after one with these rows.
  ///
  /// - Returns: `nil` when reading has come by here before and would never end.
  package func next(position: String, ids: [String], mostEmpty: Int = PageCycleDetector.mostEmpty)
    -> PageCycleDetector?
  {
    var next = self
    let digest = Self.digest(ids)
    next.emptyCount = ids.isEmpty ? emptyCount + 1 : 0
    guard position != place, digest == nil || digest != rows, next.emptyCount <= mostEmpty
    else { return nil }
    next.steps += 1
    guard next.place == nil || next.steps == power else { return next }
    next.place = position
    next.rows = digest
    next.power = min(power * 2, 1 << 40)
    next.steps = 0
    return next
  }

  /// Whether these are the rows of the page that is kept.
  package func holds(_ ids: [String]) -> Bool { rows != nil && Self.digest(ids) == rows }

  private static func digest(_ ids: [String]) -> String? {
    guard !ids.isEmpty else { return nil }
    let digest = SHA256.hash(data: Array(JSONValue.array(ids.map { .string($0) }).canonicalBytes))
    return digest.prefix(8).hexadecimal
  }
}

extension DestinationError {
  /// A mark that no page of a list gave.
  package static var damagedCursor: DestinationError {
    .misconfigured(
      reason: "the stored cursor of the list is damaged",
      cure: "read from the beginning"
    )
  }
}
