/// How many records a run may delete at the destination.
package struct DeletionLimit: Hashable, Sendable {
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

  /// Whether `deletions` of the `known` records at the destination are too many.
  func isExceeded(by deletions: Int, of known: Int) -> Bool {
    if let count { return deletions > count }
    return Double(deletions) * 100 > (percent ?? 0) * Double(known)
  }
}
