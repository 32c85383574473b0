/// What reading one entity at the destination came to.
package struct DestinationReading: Sendable {
  /// Whether all that the destination lists was read.
  let isWhole: Bool
  /// Whether that may not be all that is there: a known record that is not listed is asked for by itself.
  let isDoubted: Bool
  /// Whether a run had sent records there before, and something was read that none of them did and that
  /// was not there before them.
  let hasUntracked: Bool
  /// The destination's own mark after the last page.
  package let mark: String?
  /// How many records of earlier runs were at the destination before.
  let knownCount: Int

  /// What a reading came to.
  package init(
    isWhole: Bool,
    isDoubted: Bool = false,
    hasUntracked: Bool,
    mark: String?,
    knownCount: Int = 0
  ) {
    self.isWhole = isWhole
    self.isDoubted = isDoubted
    self.hasUntracked = hasUntracked
    self.mark = mark
    self.knownCount = knownCount
  }
}
