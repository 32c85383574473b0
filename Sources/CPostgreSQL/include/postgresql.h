#ifndef FERRY_POSTGRESQL_H
#define FERRY_POSTGRESQL_H

// PostgreSQL's client library, opened at run time. The prototypes are ours: nothing of libpq is needed to
// build. Each function does what that of the same name does in
// https://www.postgresql.org/docs/current/libpq.html.

typedef struct ferry_pq_connection ferry_pq_connection;
typedef struct ferry_pq_result ferry_pq_result;

/// Opens the library; `NULL` once it is open, else why it cannot be.
///
/// All else here may be called only after that.
const char *_Nullable ferry_pq_open(void);

/// The version of the library: 150006 for 15.6.
int ferry_pq_version(void);

/// `PQconnectStartParams`, made to wait for nothing and to print nothing.
ferry_pq_connection *_Nullable ferry_pq_connect_start(
    const char *_Nullable const *_Nonnull names, const char *_Nullable const *_Nonnull values);
/// 0 failed, 1 to be asked once there is something to read, 2 once something can be written, 3 done.
int ferry_pq_connect_poll(ferry_pq_connection *_Nonnull connection);
/// Makes sending wait for nothing; 0 where that is done.
int ferry_pq_set_nonblocking(ferry_pq_connection *_Nonnull connection);
int ferry_pq_is_good(const ferry_pq_connection *_Nonnull connection);
int ferry_pq_socket(const ferry_pq_connection *_Nonnull connection);
const char *_Nonnull ferry_pq_error(const ferry_pq_connection *_Nonnull connection);
void ferry_pq_finish(ferry_pq_connection *_Nonnull connection);

int ferry_pq_send(ferry_pq_connection *_Nonnull connection, const char *_Nonnull sql);
int ferry_pq_send_parameters(
    ferry_pq_connection *_Nonnull connection, const char *_Nonnull sql, int count,
    const char *_Nullable const *_Nonnull values);
/// The same, with an answer whose rows come one by one, in binary form.
int ferry_pq_send_for_single_rows(
    ferry_pq_connection *_Nonnull connection, const char *_Nonnull sql, int count,
    const char *_Nullable const *_Nonnull values);
/// 0 all is sent, 1 something is left, -1 failed.
int ferry_pq_flush(ferry_pq_connection *_Nonnull connection);
int ferry_pq_consume(ferry_pq_connection *_Nonnull connection);
int ferry_pq_is_busy(ferry_pq_connection *_Nonnull connection);
/// 1 taken, 0 to be asked again once something can be written, -1 failed.
int ferry_pq_put_copy(
    ferry_pq_connection *_Nonnull connection, const void *_Nonnull bytes, int count);
int ferry_pq_end_copy(ferry_pq_connection *_Nonnull connection, const char *_Nullable reason);

ferry_pq_result *_Nullable ferry_pq_result_next(ferry_pq_connection *_Nonnull connection);
/// 1 a command, 2 rows, 4 a `COPY` that wants its rows, 9 one row of several; anything else is a fault.
int ferry_pq_result_status(const ferry_pq_result *_Nonnull result);
/// A part of a fault by its letter: `C` the SQLSTATE, `S` the severity, `M` the message.
const char *_Nullable ferry_pq_result_fault(const ferry_pq_result *_Nonnull result, char part);
const char *_Nonnull ferry_pq_result_error(const ferry_pq_result *_Nonnull result);
const char *_Nonnull ferry_pq_result_command(ferry_pq_result *_Nonnull result);
int ferry_pq_result_rows(const ferry_pq_result *_Nonnull result);
int ferry_pq_result_columns(const ferry_pq_result *_Nonnull result);
/// `NULL` where the value is null.
const char *_Nullable ferry_pq_result_value(
    const ferry_pq_result *_Nonnull result, int row, int column);
int ferry_pq_result_length(const ferry_pq_result *_Nonnull result, int row, int column);
void ferry_pq_result_clear(ferry_pq_result *_Nonnull result);

#endif
