import UploadPlanning

/// How many records may be rejected.
package struct RejectBudget: Hashable, Sendable {
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

  /// - Throws: ``MigrationError/tooManyRejects(count:total:limit:)`` when it is exceeded.
  package func check(_ rejected: Int, of total: Int) throws(MigrationError) {
    let isExceeded =
      if let count { rejected > count } else {
        Double(rejected) * 100 > (percent ?? 0) * Double(total)
      }
    if isExceeded { throw .tooManyRejects(count: rejected, total: total, limit: text) }
  }

  /// Holds the budget against a plan.
  package func check(_ summary: RunSummary) throws(MigrationError) {
    try check(
      summary.count(.rejected),
      of: summary.records.reduce(0) { $0 + $1.total }
    )
  }
}

/// What happens to records that break their schemas.
package struct ValidityRule: Hashable, Sendable {
  /// Whether they are kept aside, and the rest goes on.
  package var keepsAside: Bool
  /// How many may be rejected before nothing is sent; `nil` for any number.
  package var budget: RejectBudget?

  package init(keepsAside: Bool = false, budget: RejectBudget? = nil) {
    self.keepsAside = keepsAside
    self.budget = budget
  }
}
