/// The form in which rows are written.
package enum RowForm: String, CaseIterable, Hashable, Sendable {
  /// A script for PostgreSQL.
  case sql
  /// A folder with a CSV file for each table.
  case csv
}
