#pragma once
#include <sqlite3.h>

/// `sqlite3_db_config` is variadic, which Swift cannot call.
static inline int ferry_sqlite3_db_config_flag(sqlite3 *db, int option, int on) {
  int result = 0;
  return sqlite3_db_config(db, option, on, &result);
}
