import CSQLite

/// The memory that SQLite asks for in this process.
package enum DatabaseMemory {
  /// Has SQLite not count it: threads that use SQLite wait for each other at every piece that is counted.
  ///
  /// It holds for all of the process, where SQLite has not been used yet; else nothing changes.
  package static func stopCounting() { _ = ferry_sqlite3_count_no_memory() }
}
