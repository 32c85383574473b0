// Sits between a program and the C library (LD_PRELOAD), numbers every call that changes a file or
// sends to a server, writes each down, and lets one of them go wrong.
//
//   FAULT_UNDER   a folder; only it and what is below it is watched
//   FAULT_LOG     file to which a line is added before each call and one after it (see `note`)
//   FAULT_DATA    file to which the bytes of every write are added; needed for crash states only
//   FAULT_CALL    the number of the call that goes wrong; FAULT_STICKY=1: and all after it
//   FAULT_ACTION  kill-before kill-after EIO ENOSPC EDQUOT EMFILE EINTR short torn skip
//   FAULT_EVERY   `interrupted` or `short` and a number behind a colon: each so-manieth opening, reading,
//                 writing, sending, receiving, syncing, cutting, locking or polling gives EINTR and has
//                 done nothing, or moves half of its bytes; the log gets a line `! EVERY kind path` then
//   FAULT_CLOCK   with it, the clock of the day jumps at each reading: hours, years, to 1970 and back; the log
//                 gets a line `! CLOCK` at the first jump
//   FAULT_LOOK    `list`, `look`, `read` or `open` and a number behind a colon: so many entries of folders,
//                 states of paths, readings of files or openings for reading go well, and the one after them
//                 gives EIO, an opening EMFILE; the log gets a line that begins with `!` then
//   FAULT_NO_SYNCFS  with it, the system cannot wait for a whole file system
//   FAULT_PLACES  with it, the log has where in the program each sync and rename was asked for
//
// `short` writes half and says so, `torn` writes half and kills, `skip` does nothing and calls it a
// success. Everything else is done by system calls, so that nothing here is numbered itself.
//
// Not seen: what stdio writes by itself, memory maps (SQLite's -shm), calls made without the C library.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum outcome { go, kill_after, half, torn, skipped, failed };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long count, wanted = -1;
static int is_sticky, log_file = -1, data_file = -1, tells_places, clock_jumps;
static uintptr_t program_start, program_end;
static const char *under = "", *action = "", *look = "";
static long look_count, look_wanted = -1;
static const char *every = "";
static long every_count, every_wanted;

static int open_record(const char *name) {
  const char *path = getenv(name);
  if (!path) return -1;
  int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  // High up, so that the program's own files have the numbers they would have without us.
  int high = (int)syscall(SYS_fcntl, file, F_DUPFD_CLOEXEC, 900);
  if (high >= 0) syscall(SYS_close, file);
  return high >= 0 ? high : file;
}

// The program comes first of all that is loaded.
static int find_program(struct dl_phdr_info *information, size_t size, void *nothing) {
  program_start = information->dlpi_addr;
  for (int part = 0; part < information->dlpi_phnum; part++) {
    uintptr_t end = program_start + information->dlpi_phdr[part].p_vaddr + information->dlpi_phdr[part].p_memsz;
    if (information->dlpi_phdr[part].p_type == PT_LOAD && end > program_end) program_end = end;
  }
  return 1;
}

__attribute__((constructor)) static void begin(void) {
  const char *text;
  if ((tells_places = getenv("FAULT_PLACES") != NULL)) {
    void *frame;
    dl_iterate_phdr(find_program, NULL);
    // The first time it loads a library.
    backtrace(&frame, 1);
  }
  if ((text = getenv("FAULT_UNDER"))) under = text;
  if ((text = getenv("FAULT_CALL"))) wanted = atol(text);
  if ((text = getenv("FAULT_ACTION"))) action = text;
  if ((text = getenv("FAULT_LOOK")) && strchr(text, ':')) {
    look = text;
    look_wanted = atol(strchr(text, ':') + 1);
  }
  if ((text = getenv("FAULT_EVERY")) && strchr(text, ':')) {
    every = text;
    every_wanted = atol(strchr(text, ':') + 1);
  }
  is_sticky = getenv("FAULT_STICKY") != NULL;
  clock_jumps = getenv("FAULT_CLOCK") != NULL;
  log_file = open_record("FAULT_LOG");
  data_file = open_record("FAULT_DATA");
}

static void end_here(void) {
  for (;;) syscall(SYS_kill, getpid(), SIGKILL);
}

static void put(int file, const void *bytes, size_t length) {
  while (file >= 0 && length > 0) {
    long written = syscall(SYS_write, file, bytes, length);
    if (written <= 0) return;
    bytes = (const char *)bytes + written;
    length -= (size_t)written;
  }
}

// Before a call: `NUMBER kind path other`; after it: `= NUMBER errno offset length`; tabs between.
// A place: `@ NUMBER`, and the addresses of the program's own calls that led there, innermost first.
static void note(const char *format, ...) {
  char line[3 * PATH_MAX];
  va_list list;
  va_start(list, format);
  int length = vsnprintf(line, sizeof line, format, list);
  va_end(list);
  if (length > 0) put(log_file, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

static void note_place(long number) {
  void *frames[24];
  char line[24 * 20] = "";
  int length = 0, frame_count = backtrace(frames, 24);
  for (int frame = 0; frame < frame_count; frame++) {
    uintptr_t address = (uintptr_t)frames[frame];
    // The address of a call is that of what comes after it.
    if (address >= program_start && address < program_end)
      length += snprintf(line + length, sizeof line - length, " 0x%lx", address - program_start - 1);
  }
  note("@\t%ld\t%s\n", number, line);
}

static int error_number(void) {
  if (!strcmp(action, "EIO")) return EIO;
  if (!strcmp(action, "ENOSPC")) return ENOSPC;
  if (!strcmp(action, "EDQUOT")) return EDQUOT;
  if (!strcmp(action, "EMFILE")) return EMFILE;
  if (!strcmp(action, "EINTR")) return EINTR;
  return 0;
}

static int is_wanted(long number) {
  return wanted >= 0 && (is_sticky ? number >= wanted : number == wanted);
}

// Which errors a call can give: a full disk says nothing about closing or removing, and what waits for
// nothing is not interrupted.
static int is_possible(const char *kind, int number) {
  int opens = !strncmp(kind, "open", 4) || !strcmp(kind, "create");
  if (number == EMFILE) return opens;
  if (number == EIO) return 1;
  if (number == EINTR)
    return opens || !strcmp(kind, "write") || !strcmp(kind, "sync") || !strcmp(kind, "truncate")
      || !strcmp(kind, "close") || !strcmp(kind, "send");
  return opens || !strcmp(kind, "write") || !strcmp(kind, "sync") || !strcmp(kind, "rename")
    || !strcmp(kind, "link") || !strcmp(kind, "mkdir") || !strcmp(kind, "truncate")
    || !strcmp(kind, "close");
}

// Numbers the call; the lock is held until `done`. `failed` leaves its errno in `*error`.
static enum outcome decide(const char *kind, const char *path, const char *other, long *number, int *error) {
  pthread_mutex_lock(&lock);
  *number = ++count;
  note("%ld\t%s\t%s\t%s\n", *number, kind, path, other);
  if (tells_places && (!strncmp(kind, "sync", 4) || !strcmp(kind, "rename"))) note_place(*number);
  if (!is_wanted(*number)) return go;
  if (!strcmp(action, "kill-before")) end_here();
  if (!strcmp(action, "kill-after")) return kill_after;
  if (!strcmp(action, "skip")) return skipped;
  if (!strcmp(action, "short") || !strcmp(action, "torn"))
    return strcmp(kind, "write") ? go : action[0] == 's' ? half : torn;
  *error = error_number();
  return is_possible(kind, *error) ? failed : go;
}

static void done(long number, enum outcome outcome, long result, int error, long offset) {
  note("=\t%ld\t%d\t%ld\t%ld\n", number, result < 0 ? error : 0, offset, result);
  if (outcome == kill_after || outcome == torn) end_here();
  pthread_mutex_unlock(&lock);
  errno = error;
}

static int is_watched(const char *path) {
  size_t length = strlen(under);
  return length > 0 && !strncmp(path, under, length) && (path[length] == '/' || !path[length]);
}

static void path_of(int file, char *path) {
  char name[64];
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  long length = syscall(SYS_readlinkat, AT_FDCWD, name, path, PATH_MAX - 1);
  path[length > 0 ? length : 0] = 0;
}

static void whole_path(int folder, const char *path, char *whole) {
  if (path[0] == '/') {
    snprintf(whole, PATH_MAX, "%s", path);
    return;
  }
  char start[PATH_MAX];
  if (folder == AT_FDCWD) {
    if (syscall(SYS_getcwd, start, sizeof start) < 0) start[0] = 0;
  } else {
    path_of(folder, start);
  }
  while (!strncmp(path, "./", 2)) path += 2;
  if (snprintf(whole, PATH_MAX, "%s/%s", start, path) >= PATH_MAX) whole[0] = 0;
}

// MARK: Interrupting

// Whether this call is one of those that FAULT_EVERY is about.
static int is_due(const char *what, const char *kind, const char *path) {
  size_t length = strlen(what);
  if (every_wanted <= 0 || strncmp(every, what, length) || every[length] != ':') return 0;
  if (__atomic_add_fetch(&every_count, 1, __ATOMIC_RELAXED) % every_wanted != 0) return 0;
  note("!\tEVERY\t%s\t%s\n", kind, path);
  return 1;
}

static int is_interrupted_at(const char *kind, const char *path) {
  if (!is_due("interrupted", kind, path)) return 0;
  errno = EINTR;
  return 1;
}

// What an open file is: a watched path, a socket, or nothing of ours.
static int is_ours(int file, char *path) {
  if (every_wanted <= 0) return 0;
  path_of(file, path);
  return is_watched(path) || !strncmp(path, "socket:", 7);
}

static int is_interrupted(const char *kind, int file) {
  char path[PATH_MAX];
  return is_ours(file, path) && is_interrupted_at(kind, path);
}

static size_t shortened(const char *kind, int file, size_t length) {
  char path[PATH_MAX];
  return length > 1 && is_ours(file, path) && is_due("short", kind, path) ? length / 2 : length;
}

// Calls by path: `CALL` gives the result of the system call, -1 with errno set.
#define BY_PATH(KIND, PATH, OTHER, CALL) \
  if (!is_watched(PATH)) return (int)(CALL); \
  long number; \
  int error = 0; \
  enum outcome outcome = decide(KIND, PATH, OTHER, &number, &error); \
  long result = outcome == failed ? -1 : outcome == skipped ? 0 : (CALL); \
  done(number, outcome, result, outcome == failed ? error : errno, 0); \
  return (int)result

// MARK: Opening and closing

static int fails_to(const char *kind, const char *path);

static int open_at(int folder, const char *path, int flags, mode_t mode) {
  char whole[PATH_MAX];
  whole_path(folder, path, whole);
  if (is_watched(whole) && is_interrupted_at("open", whole)) return -1;
  if (!is_watched(whole) || !(flags & (O_CREAT | O_TRUNC | O_WRONLY | O_RDWR))) {
    if (fails_to("open", whole)) {
      errno = EMFILE;
      return -1;
    }
    // Anyone who has no file left to open has none left to read either.
    if (is_sticky && is_wanted(count) && error_number() == EMFILE && is_watched(whole)) {
      errno = EMFILE;
      return -1;
    }
    return (int)syscall(SYS_openat, folder, path, flags, mode);
  }
  int is_there = syscall(SYS_faccessat, folder, path, F_OK) == 0;
  const char *kind = !is_there && (flags & O_CREAT) ? "create" : flags & O_TRUNC ? "open-empty" : "open";
  long number;
  int error = 0;
  enum outcome outcome = decide(kind, whole, "", &number, &error);
  // An opening cannot be left out: the program would have nothing to go on with.
  long result = outcome == failed ? -1 : syscall(SYS_openat, folder, path, flags, mode);
  done(number, outcome, result, outcome == failed ? error : errno, 0);
  return (int)result;
}

#define OPENING(NAME) \
  int NAME(const char *path, int flags, ...) { \
    va_list list; \
    va_start(list, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
    va_end(list); \
    return open_at(AT_FDCWD, path, flags, mode); \
  }
OPENING(open)
OPENING(open64)

#define OPENING_AT(NAME) \
  int NAME(int folder, const char *path, int flags, ...) { \
    va_list list; \
    va_start(list, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
    va_end(list); \
    return open_at(folder, path, flags, mode); \
  }
OPENING_AT(openat)
OPENING_AT(openat64)

int __open_2(const char *path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
int creat(const char *path, mode_t mode) {
  return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int close(int file) {
  char path[PATH_MAX] = "";
  long flags = syscall(SYS_fcntl, file, F_GETFL);
  if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY) path_of(file, path);
  if (!is_watched(path)) return (int)syscall(SYS_close, file);
  long number;
  int error = 0;
  enum outcome outcome = decide("close", path, "", &number, &error);
  // The file is closed even where closing fails.
  long result = syscall(SYS_close, file);
  if (outcome == failed) result = -1;
  done(number, outcome, result, outcome == failed ? error : errno, 0);
  return (int)result;
}

// MARK: Writing

static long write_to(int file, const void *bytes, size_t length, off_t offset, int is_placed) {
  char path[PATH_MAX];
  if (is_interrupted("write", file)) return -1;
  length = shortened("write", file, length);
  path_of(file, path);
  if (!is_watched(path) && strncmp(path, "socket:", 7))
    return is_placed ? syscall(SYS_pwrite64, file, bytes, length, offset)
                     : syscall(SYS_write, file, bytes, length);
  const char *kind = is_watched(path) ? "write" : "send";
  if (!is_placed && kind[0] == 'w') {
    struct stat state;
    int appends = syscall(SYS_fcntl, file, F_GETFL) & O_APPEND;
    offset = appends && fstat(file, &state) == 0 ? state.st_size : syscall(SYS_lseek, file, 0, SEEK_CUR);
  }
  long number;
  int error = 0;
  enum outcome outcome = decide(kind, path, "", &number, &error);
  if ((outcome == half || outcome == torn) && length > 1) length /= 2;
  long result = outcome == failed    ? -1
    : outcome == skipped ? (long)length
    : is_placed          ? syscall(SYS_pwrite64, file, bytes, length, offset)
                         : syscall(SYS_write, file, bytes, length);
  int found = outcome == failed ? error : errno;
  if (result > 0 && kind[0] == 'w') put(data_file, bytes, (size_t)result);
  done(number, outcome, result, found, kind[0] == 'w' ? offset : 0);
  return result;
}

ssize_t write(int file, const void *bytes, size_t length) { return write_to(file, bytes, length, 0, 0); }
ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset) {
  return write_to(file, bytes, length, offset, 1);
}
ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t offset) {
  return write_to(file, bytes, length, offset, 1);
}

ssize_t writev(int file, const struct iovec *parts, int part_count) {
  size_t length = 0;
  for (int part = 0; part < part_count; part++) length += parts[part].iov_len;
  char *whole = malloc(length ? length : 1), *place = whole;
  if (!whole) return -1;
  for (int part = 0; part < part_count; part++) {
    memcpy(place, parts[part].iov_base, parts[part].iov_len);
    place += parts[part].iov_len;
  }
  ssize_t result = write_to(file, whole, length, 0, 0);
  int error = errno;
  free(whole);
  errno = error;
  return result;
}

ssize_t send(int socket, const void *bytes, size_t length, int flags) {
  if (is_interrupted("send", socket)) return -1;
  length = shortened("send", socket, length);
  long number;
  int error = 0;
  enum outcome outcome = decide("send", "", "", &number, &error);
  long result = outcome == failed ? -1 : syscall(SYS_sendto, socket, bytes, length, flags, NULL, 0);
  done(number, outcome, result, outcome == failed ? error : errno, 0);
  return result;
}

// MARK: Syncing and cutting

#define BY_FILE(KIND, CALL) \
  char path[PATH_MAX]; \
  path_of(file, path); \
  BY_PATH(KIND, path, "", CALL)

int fsync(int file) {
  if (is_interrupted("sync", file)) return -1;
  BY_FILE("sync", syscall(SYS_fsync, file));
}
int fdatasync(int file) {
  if (is_interrupted("sync", file)) return -1;
  BY_FILE("sync", syscall(SYS_fdatasync, file));
}
int syncfs(int file) {
  if (is_interrupted("sync", file)) return -1;
  if (getenv("FAULT_NO_SYNCFS")) {
    errno = ENOSYS;
    return -1;
  }
  BY_FILE("sync-all", syscall(SYS_syncfs, file));
}
int sync_file_range(int file, off64_t offset, off64_t length, unsigned flags) {
  // It promises nothing about names or sizes, so a crash forgets what only this has written.
  BY_FILE("sync-range", syscall(SYS_sync_file_range, file, offset, length, flags));
}
#define CUTTING(NAME, TYPE) \
  int NAME(int file, TYPE length) { \
    if (is_interrupted("truncate", file)) return -1; \
    char size[32]; \
    snprintf(size, sizeof size, "%ld", (long)length); \
    char path[PATH_MAX]; \
    path_of(file, path); \
    BY_PATH("truncate", path, size, syscall(SYS_ftruncate, file, length)); \
  }
CUTTING(ftruncate, off_t)
CUTTING(ftruncate64, off64_t)

// MARK: Names

static int rename_at(int folder, const char *path, int other_folder, const char *other, unsigned flags) {
  char from[PATH_MAX], to[PATH_MAX];
  whole_path(folder, path, from);
  whole_path(other_folder, other, to);
  BY_PATH("rename", from, to, syscall(SYS_renameat2, folder, path, other_folder, other, flags));
}
int rename(const char *path, const char *other) { return rename_at(AT_FDCWD, path, AT_FDCWD, other, 0); }
int renameat(int folder, const char *path, int other_folder, const char *other) {
  return rename_at(folder, path, other_folder, other, 0);
}
int renameat2(int folder, const char *path, int other_folder, const char *other, unsigned flags) {
  return rename_at(folder, path, other_folder, other, flags);
}

int linkat(int folder, const char *path, int other_folder, const char *other, int flags) {
  char from[PATH_MAX], to[PATH_MAX];
  whole_path(folder, path, from);
  whole_path(other_folder, other, to);
  BY_PATH("link", from, to, syscall(SYS_linkat, folder, path, other_folder, other, flags));
}
int link(const char *path, const char *other) { return linkat(AT_FDCWD, path, AT_FDCWD, other, 0); }

int unlinkat(int folder, const char *path, int flags) {
  char whole[PATH_MAX];
  whole_path(folder, path, whole);
  BY_PATH(flags & AT_REMOVEDIR ? "rmdir" : "unlink", whole, "", syscall(SYS_unlinkat, folder, path, flags));
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdirat(int folder, const char *path, mode_t mode) {
  char whole[PATH_MAX];
  whole_path(folder, path, whole);
  BY_PATH("mkdir", whole, "", syscall(SYS_mkdirat, folder, path, mode));
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

// MARK: Looking

static int fails_to(const char *kind, const char *path) {
  size_t length = strlen(kind);
  if (look_wanted < 0 || strncmp(look, kind, length) || look[length] != ':' || !is_watched(path)) return 0;
  if (__atomic_fetch_add(&look_count, 1, __ATOMIC_RELAXED) != look_wanted) return 0;
  note("!\t%s\t%s\n", kind, path);
  errno = EIO;
  return 1;
}

static int fails_to_use(const char *kind, int file) {
  char path[PATH_MAX];
  if (look_wanted < 0) return 0;
  path_of(file, path);
  return fails_to(kind, path);
}

static int fails_to_look(const char *path) {
  char whole[PATH_MAX];
  if (look_wanted < 0) return 0;
  whole_path(AT_FDCWD, path, whole);
  return fails_to("look", whole);
}

struct dirent *readdir(DIR *folder) {
  static struct dirent *(*next)(DIR *);
  if (!next) next = (struct dirent * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir");
  return fails_to_use("list", dirfd(folder)) ? NULL : next(folder);
}
struct dirent64 *readdir64(DIR *folder) { return (struct dirent64 *)readdir(folder); }

int lstat(const char *path, struct stat *state) {
  return fails_to_look(path) ? -1 : fstatat(AT_FDCWD, path, state, AT_SYMLINK_NOFOLLOW);
}
int lstat64(const char *path, struct stat64 *state) {
  return fails_to_look(path) ? -1 : fstatat64(AT_FDCWD, path, state, AT_SYMLINK_NOFOLLOW);
}

ssize_t read(int file, void *bytes, size_t length) {
  if (fails_to_use("read", file) || is_interrupted("read", file)) return -1;
  return syscall(SYS_read, file, bytes, shortened("read", file, length));
}
ssize_t pread64(int file, void *bytes, size_t length, off64_t offset) {
  if (fails_to_use("read", file) || is_interrupted("read", file)) return -1;
  return syscall(SYS_pread64, file, bytes, shortened("read", file, length), offset);
}
ssize_t pread(int file, void *bytes, size_t length, off_t offset) {
  return pread64(file, bytes, length, offset);
}

// MARK: Waiting

ssize_t recv(int socket, void *bytes, size_t length, int flags) {
  if (is_interrupted("receive", socket)) return -1;
  return syscall(SYS_recvfrom, socket, bytes, shortened("receive", socket, length), flags, NULL, NULL);
}
ssize_t recvmsg(int socket, struct msghdr *message, int flags) {
  return is_interrupted("receive", socket) ? -1 : syscall(SYS_recvmsg, socket, message, flags);
}
int poll(struct pollfd *files, nfds_t file_count, int time) {
  return is_interrupted_at("poll", "") ? -1 : (int)syscall(SYS_poll, files, file_count, time);
}
int epoll_wait(int file, struct epoll_event *events, int event_count, int time) {
  if (is_interrupted_at("poll", "")) return -1;
  return (int)syscall(SYS_epoll_pwait, file, events, event_count, time, NULL, 8);
}
int flock(int file, int operation) {
  return is_interrupted("lock", file) ? -1 : (int)syscall(SYS_flock, file, operation);
}

// MARK: The clock

static time_t jumped(time_t now) {
  static unsigned readings;
  static const long jumps[] = {0, 3600, -86400, 31536000, -7200, -157680000, 60, 473040000};
  unsigned reading = __atomic_fetch_add(&readings, 1, __ATOMIC_RELAXED);
  if (reading == 1) note("!\tCLOCK\n");
  return reading % 13 == 12 ? 0 : now + jumps[reading % 8];
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = (int)syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && clock == CLOCK_REALTIME && clock_jumps) now->tv_sec = jumped(now->tv_sec);
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  int result = (int)syscall(SYS_gettimeofday, now, zone);
  if (result == 0 && clock_jumps) now->tv_sec = jumped(now->tv_sec);
  return result;
}

time_t time(time_t *place) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (place) *place = now.tv_sec;
  return now.tv_sec;
}
