#include "postgresql.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

typedef ferry_pq_connection connection;
typedef ferry_pq_result result;

// The functions of libpq, by their own names.
#define FUNCTIONS(DO)                                                                              \
  DO(int, PQlibVersion, (void))                                                                    \
  DO(connection *, PQconnectStartParams, (const char *const *, const char *const *, int))          \
  DO(int, PQconnectPoll, (connection *))                                                           \
  DO(int, PQsetnonblocking, (connection *, int))                                                   \
  DO(int, PQstatus, (const connection *))                                                          \
  DO(int, PQsocket, (const connection *))                                                          \
  DO(char *, PQerrorMessage, (const connection *))                                                 \
  DO(void, PQfinish, (connection *))                                                               \
  DO(void *, PQsetNoticeProcessor, (connection *, void (*)(void *, const char *), void *))         \
  DO(int, PQsendQuery, (connection *, const char *))                                               \
  DO(int, PQsendQueryParams,                                                                       \
     (connection *, const char *, int, const unsigned int *, const char *const *, const int *,     \
      const int *, int))                                                                           \
  DO(int, PQsetSingleRowMode, (connection *))                                                      \
  DO(int, PQflush, (connection *))                                                                 \
  DO(int, PQconsumeInput, (connection *))                                                          \
  DO(int, PQisBusy, (connection *))                                                                \
  DO(int, PQputCopyData, (connection *, const char *, int))                                        \
  DO(int, PQputCopyEnd, (connection *, const char *))                                              \
  DO(result *, PQgetResult, (connection *))                                                        \
  DO(int, PQresultStatus, (const result *))                                                        \
  DO(char *, PQresultErrorField, (const result *, int))                                            \
  DO(char *, PQresultErrorMessage, (const result *))                                               \
  DO(char *, PQcmdStatus, (result *))                                                              \
  DO(int, PQntuples, (const result *))                                                             \
  DO(int, PQnfields, (const result *))                                                             \
  DO(int, PQgetisnull, (const result *, int, int))                                                 \
  DO(char *, PQgetvalue, (const result *, int, int))                                               \
  DO(int, PQgetlength, (const result *, int, int))                                                 \
  DO(void, PQclear, (result *))

#define DECLARE(answer, name, parameters) answer(*name) parameters;
static struct {
  FUNCTIONS(DECLARE)
} pq;

static char fault[256];

static const char *const places[] = {
#ifdef __APPLE__
    "libpq.5.dylib",
    "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
    "/usr/local/opt/libpq/lib/libpq.5.dylib",
    "/Applications/Postgres.app/Contents/Versions/latest/lib/libpq.5.dylib",
#else
    "libpq.so.5",
#endif
};

static void *take(void *library, const char *name) {
  void *function = dlsym(library, name);
  if (function == NULL && fault[0] == '\0') {
    snprintf(fault, sizeof fault, "the libpq that is installed has no %s", name);
  }
  return function;
}

static void open_library(void) {
  void *library = NULL;
  for (size_t i = 0; i < sizeof places / sizeof places[0] && library == NULL; i++) {
    library = dlopen(places[i], RTLD_NOW | RTLD_LOCAL);
  }
  if (library == NULL) {
    snprintf(fault, sizeof fault, "libpq cannot be opened");
    return;
  }
#define TAKE(answer, name, parameters) pq.name = (answer(*) parameters)take(library, #name);
  FUNCTIONS(TAKE)
}

const char *ferry_pq_open(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  return fault[0] == '\0' ? NULL : fault;
}

static void keep_quiet(void *unused, const char *message) {
  (void)unused;
  (void)message;
}

int ferry_pq_version(void) { return pq.PQlibVersion(); }

connection *ferry_pq_connect_start(const char *const *names, const char *const *values) {
  connection *made = pq.PQconnectStartParams(names, values, 0);
  if (made != NULL) { pq.PQsetNoticeProcessor(made, keep_quiet, NULL); }
  return made;
}

int ferry_pq_connect_poll(connection *c) { return pq.PQconnectPoll(c); }
int ferry_pq_set_nonblocking(connection *c) { return pq.PQsetnonblocking(c, 1); }
int ferry_pq_is_good(const connection *c) { return pq.PQstatus(c) != 1; }
int ferry_pq_socket(const connection *c) { return pq.PQsocket(c); }
const char *ferry_pq_error(const connection *c) { return pq.PQerrorMessage(c); }
void ferry_pq_finish(connection *c) { pq.PQfinish(c); }

int ferry_pq_send(connection *c, const char *sql) { return pq.PQsendQuery(c, sql); }

int ferry_pq_send_parameters(
    connection *c, const char *sql, int count, const char *const *values) {
  return pq.PQsendQueryParams(c, sql, count, NULL, values, NULL, NULL, 0);
}

int ferry_pq_send_for_single_rows(
    connection *c, const char *sql, int count, const char *const *values) {
  return pq.PQsendQueryParams(c, sql, count, NULL, values, NULL, NULL, 1) &&
         pq.PQsetSingleRowMode(c);
}

int ferry_pq_flush(connection *c) { return pq.PQflush(c); }
int ferry_pq_consume(connection *c) { return pq.PQconsumeInput(c); }
int ferry_pq_is_busy(connection *c) { return pq.PQisBusy(c); }

int ferry_pq_put_copy(connection *c, const void *bytes, int count) {
  return pq.PQputCopyData(c, bytes, count);
}

int ferry_pq_end_copy(connection *c, const char *reason) { return pq.PQputCopyEnd(c, reason); }

result *ferry_pq_result_next(connection *c) { return pq.PQgetResult(c); }
int ferry_pq_result_status(const result *r) { return pq.PQresultStatus(r); }

const char *ferry_pq_result_fault(const result *r, char part) {
  return pq.PQresultErrorField(r, part);
}

const char *ferry_pq_result_error(const result *r) { return pq.PQresultErrorMessage(r); }
const char *ferry_pq_result_command(result *r) { return pq.PQcmdStatus(r); }
int ferry_pq_result_rows(const result *r) { return pq.PQntuples(r); }
int ferry_pq_result_columns(const result *r) { return pq.PQnfields(r); }

const char *ferry_pq_result_value(const result *r, int row, int column) {
  return pq.PQgetisnull(r, row, column) ? NULL : pq.PQgetvalue(r, row, column);
}

int ferry_pq_result_length(const result *r, int row, int column) {
  return pq.PQgetlength(r, row, column);
}

void ferry_pq_result_clear(result *r) { pq.PQclear(r); }
