#pragma once
#include <sqlite3.h>

/// `sqlite3_db_config` is variadic, which Swift cannot call.
static inline int ferry_sqlite3_db_config_flag(sqlite3 *db, int option, int on) {
  int result = 0;
  return sqlite3_db_config(db, option, on, &result);
}

/// Binds bytes that SQLite copies, which Swift cannot ask for: the mark of that is no function.
static inline int ferry_sqlite3_bind_copied_text(sqlite3_stmt *statement, int parameter, const void *bytes, int count) {
  return sqlite3_bind_text(statement, parameter, (const char *)bytes, count, SQLITE_TRANSIENT);
}

static inline int ferry_sqlite3_bind_copied_blob(sqlite3_stmt *statement, int parameter, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, parameter, bytes, count, SQLITE_TRANSIENT);
}

/// Has SQLite count no memory, which it does under one lock for all connections; gives its result.
///
/// It holds for the whole process, and only before SQLite is first used.
/// <https://www.sqlite.org/c3ref/c_config_covering_index_scan.html#sqliteconfigmemstatus>
static inline int ferry_sqlite3_count_no_memory(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
