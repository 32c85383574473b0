// Counts how often a program asks for memory, and how many steps SQLite's machine takes for it:
// LD_PRELOAD=…, and both counts are added to the file that ALLOCATIONS names when the program ends. For the
// GNU C library, and a program that is linked to SQLite's library.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static atomic_long count;
static atomic_long steps;

// Takes over a statement's own count of its steps, which is SQLITE_STMTSTATUS_VM_STEP.
static void take_steps(void *statement) {
  static int (*status)(void *, int, int);
  if (!status) status = (int (*)(void *, int, int))dlsym(RTLD_NEXT, "sqlite3_stmt_status");
  if (status && statement) atomic_fetch_add_explicit(&steps, status(statement, 4, 1), memory_order_relaxed);
}

int sqlite3_reset(void *statement) {
  static int (*next)(void *);
  if (!next) next = (int (*)(void *))dlsym(RTLD_NEXT, "sqlite3_reset");
  take_steps(statement);
  return next(statement);
}

int sqlite3_finalize(void *statement) {
  static int (*next)(void *);
  if (!next) next = (int (*)(void *))dlsym(RTLD_NEXT, "sqlite3_finalize");
  take_steps(statement);
  return next(statement);
}

void *malloc(size_t size) {
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  return __libc_realloc(old, size);
}

__attribute__((destructor)) static void finish(void) {
  const char *path = getenv("ALLOCATIONS");
  if (!path) return;
  char line[64];
  int length = snprintf(line, sizeof line, "%ld %ld\n", atomic_load(&count), atomic_load(&steps));
  int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (file < 0 || write(file, line, (size_t)length) != length) _exit(70);
  close(file);
}
