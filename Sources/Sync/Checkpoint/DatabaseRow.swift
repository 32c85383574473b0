import CheckedDatabases
package import GRDB

/// A row of the checkpoint's own database, as opposed to a row of a store.
package typealias DatabaseRow = GRDB.Row

// GRDB takes a value of another kind for a mistake of the program's, and ends it. In a file it is damage.
extension DatabaseRow {
  /// What a column holds.
  ///
  /// - Throws: `UnreadableColumn` for a value of another kind.
  subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ name: String
  ) -> Value {
    get throws { try value(ofColumn: name) }
  }

  /// The same, for other modules: GRDB has a subscript of its own.
  package func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    ofColumn name: String
  ) throws -> Value {
    do {
      return try decode(forColumn: name)
    } catch is RowDecodingError {
      throw UnreadableColumn(name: name)
    }
  }
}
