// Steps through every row of a table and touches each column by its type: the least that reading
// can cost. export.py compiles and runs it.
//
//     scan STORE TABLE     prints rows and a sum over everything touched
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>

static uint64_t touched(sqlite3_stmt *statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
  case SQLITE_INTEGER:
    return (uint64_t)sqlite3_column_int64(statement, column);
  case SQLITE_FLOAT:
    return (uint64_t)(sqlite3_column_double(statement, column) != 0.0);
  case SQLITE_TEXT: {
    const unsigned char *text = sqlite3_column_text(statement, column);
    int count = sqlite3_column_bytes(statement, column);
    return count > 0 ? text[0] + (uint64_t)count : 0;
  }
  case SQLITE_BLOB: {
    const unsigned char *bytes = sqlite3_column_blob(statement, column);
    int count = sqlite3_column_bytes(statement, column);
    return count > 0 ? bytes[0] + (uint64_t)count : 0;
  }
  default:
    return 0;
  }
}

int main(int count, char **arguments) {
  if (count != 3) return 64;
  sqlite3 *database = NULL;
  sqlite3_stmt *statement = NULL;
  char sql[256];
  snprintf(sql, sizeof sql, "SELECT * FROM \"%s\"", arguments[2]);
  int code = sqlite3_open_v2(arguments[1], &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
  if (code == SQLITE_OK) code = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);
  if (code != SQLITE_OK) {
    fprintf(stderr, "%s: %s\n", arguments[1], sqlite3_errmsg(database));
    return 1;
  }
  uint64_t rows = 0, sum = 0;
  int columns = sqlite3_column_count(statement);
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    for (int column = 0; column < columns; column++) sum += touched(statement, column);
    rows++;
  }
  printf("%llu rows, sum %llu\n", (unsigned long long)rows, (unsigned long long)sum);
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return code == SQLITE_DONE ? 0 : 1;
}
