import RecordMapping
import TextCodecs

/// Dates that lie a millisecond beside those of rows and of readings.
///
/// They have whole milliseconds, always with three digits: the least that a server here keeps.
enum RowDate {
  /// The date that is at least a millisecond earlier; `nil` for a text that is no date of this time.
  static func before(_ text: String) -> String? {
    guard let moment = Timestamp.microseconds(text) else { return nil }
    return self.text(milliseconds: moment / 1_000 - 1)
  }

  /// The first date in whole milliseconds after a moment, in microseconds since 2001.
  static func after(_ moment: Int64) -> String? {
    text(milliseconds: moment / 1_000 + 1)
  }

  private static func text(milliseconds: Int64) -> String? {
    guard milliseconds >= 0 else { return nil }
    var bytes: [UInt8] = []
    guard DateText.append(Double(milliseconds / 1_000), to: &bytes) else { return nil }
    let whole = String(decoding: bytes.dropLast(), as: UTF8.self)
    let fraction = "\(1_000 + milliseconds % 1_000)".dropFirst()
    return "\(whole).\(fraction)Z"
  }
}
