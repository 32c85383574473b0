/// How many records of a type may not be changed, or not be read, by this account, one after the other.
///
/// Rights are given for a type of record, and some records are their maker's alone; the service says
/// the same of either. What it says of many in a row, and of nothing between them, is taken for a right
/// that the account lacks: no one is informed so a million times.
///
/// | said | taken as |
/// |---|---|
/// | of some records of a request, and something else of others | those records are refused |
/// | of all of it, and of no more than ``mostInARow`` in a row | those records are refused |
/// | of all of it, and of more | the account is refused |
///
/// It remembers for the life of the process.
actor CloudDenials {
  /// The most records in a row that are refused each for itself.
  static let mostInARow = 20

  private var countsInARow: [String: Int] = [:]

  /// Counts the records of a request that were denied; gives whether others need not be.
  ///
  /// `isOtherReported` says whether the service said something else of another record of the request.
  func count(_ denied: Int, of type: String, isOtherReported: Bool) -> Bool {
    if isOtherReported {
      countsInARow[type] = nil
      return true
    }
    guard denied > 0 else { return true }
    let count = countsInARow[type, default: 0] + denied
    countsInARow[type] = count
    return count <= Self.mostInARow
  }
}
