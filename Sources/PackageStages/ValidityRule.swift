package import StageSupport

/// What happens to records that break their schemas.
package struct ValidityRule: Hashable, Sendable {
  /// Whether they are quarantined, and the rest goes on.
  package var quarantines: Bool
  /// How many may be rejected before nothing is sent; `nil` for any number.
  package var budget: RecordLimit?

  package init(quarantines: Bool = false, budget: RecordLimit? = nil) {
    self.quarantines = quarantines
    self.budget = budget
  }

  /// - Throws: `MigrationError.tooManyRejects` when the budget is exceeded.
  package func check(_ rejected: Int, of total: Int) throws {
    guard let budget, budget.isExceeded(by: rejected, of: total) else { return }
    throw MigrationError.tooManyRejects(count: rejected, total: total, limit: budget.text)
  }
}
