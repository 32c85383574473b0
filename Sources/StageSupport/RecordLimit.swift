/// How many records something may happen to: a number of them, or a part of them all.
package struct RecordLimit: Hashable, Sendable {
  package let text: String
  private let count: Int?
  private let percent: Double?

  /// Reads `25` or `0.5%`; `nil` for anything else.
  package init?(_ text: String) {
    self.text = text
    if text.hasSuffix("%") {
      guard let percent = Double(text.dropLast()), (0...100).contains(percent) else { return nil }
      (count, self.percent) = (nil, percent)
    } else {
      guard let count = Int(text), count >= 0 else { return nil }
      (self.count, percent) = (count, nil)
    }
  }

  /// Whether `number` of `total` records are too many.
  package func isExceeded(by number: Int, of total: Int) -> Bool {
    if let count { return number > count }
    return Double(number) * 100 > (percent ?? 0) * Double(total)
  }
}
