// A way to the disk for SQLite that notices when a page is not what was written.
//
// <https://www.sqlite.org/vfs.html>; XXH64 after
// <https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md>.
#include "checked_pages.h"

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <string.h>

// MARK: The checksum

#define PRIME_1 0x9E3779B185EBCA87ull
#define PRIME_2 0xC2B2AE3D27D4EB4Full
#define PRIME_3 0x165667B19E3779F9ull
#define PRIME_4 0x85EBCA77C2B2AE63ull
#define PRIME_5 0x27D4EB2F165667C5ull

#define ROTATED(x, n) (((x) << (n)) | ((x) >> (64 - (n))))

static inline uint64_t word(const uint8_t *bytes) {
  uint64_t value;
  memcpy(&value, bytes, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  return value;
}

static inline uint64_t taken(uint64_t state, uint64_t value) {
  state += value * PRIME_2;
  return ROTATED(state, 31) * PRIME_1;
}

static inline uint64_t merged(uint64_t hash, uint64_t state) {
  return (hash ^ taken(0, state)) * PRIME_1 + PRIME_4;
}

uint64_t ferry_page_checksum(const uint8_t *page, size_t count, uint64_t number) {
  const uint8_t *end = page + count;
  uint64_t hash = number + PRIME_5;
  if (count >= 32) {
    uint64_t a = number + PRIME_1 + PRIME_2, b = number + PRIME_2, c = number, d = number - PRIME_1;
    for (; end - page >= 32; page += 32) {
      a = taken(a, word(page));
      b = taken(b, word(page + 8));
      c = taken(c, word(page + 16));
      d = taken(d, word(page + 24));
    }
    hash = ROTATED(a, 1) + ROTATED(b, 7) + ROTATED(c, 12) + ROTATED(d, 18);
    hash = merged(merged(merged(merged(hash, a), b), c), d);
  }
  hash += count;
  for (; end - page >= 8; page += 8) {
    hash ^= taken(0, word(page));
    hash = ROTATED(hash, 27) * PRIME_1 + PRIME_4;
  }
  hash = (hash ^ (hash >> 33)) * PRIME_2;
  hash = (hash ^ (hash >> 29)) * PRIME_3;
  return hash ^ (hash >> 32);
}

int ferry_page_is_whole(const uint8_t *page, size_t size, uint64_t number) {
  size_t count = size - FERRY_CHECKED_PAGES_RESERVED;
  return word(page + count) == ferry_page_checksum(page, count, number);
}

static void seal(uint8_t *page, size_t size, uint64_t number) {
  size_t count = size - FERRY_CHECKED_PAGES_RESERVED;
  uint64_t sum = ferry_page_checksum(page, count, number);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  sum = __builtin_bswap64(sum);
#endif
  memcpy(page + count, &sum, sizeof sum);
}

// MARK: The log

static inline uint32_t half(const uint8_t *bytes, int is_big_endian) {
  uint32_t low_first = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16
      | (uint32_t)bytes[3] << 24;
  return is_big_endian ? __builtin_bswap32(low_first) : low_first;
}

void ferry_log_sums(int is_big_endian, const uint8_t *bytes, size_t count, uint32_t *sums) {
  for (size_t place = 0; place + 8 <= count; place += 8) {
    sums[0] += half(bytes + place, is_big_endian) + sums[1];
    sums[1] += half(bytes + place + 4, is_big_endian) + sums[0];
  }
}

// MARK: A file

// What SQLite has of a main database, its log or its journal: ours first, then the file of the way below.
typedef struct {
  sqlite3_file base;
  // Whether the header reserves the bytes; a file without a header yet is taken to.
  int is_checked;
  // The size of a page, as the header says; 0 while unknown.
  int page_size;
  // Space for one page, made when it is needed.
  uint8_t *buffer;
  int buffer_size;
} checked_file;

#define HEADER_SIZE 100

static sqlite3_vfs *below;

static sqlite3_file *inner(sqlite3_file *file) { return (sqlite3_file *)((checked_file *)file + 1); }

static const struct sqlite3_io_methods *deed(sqlite3_file *file) { return inner(file)->pMethods; }

// Takes from the beginning of a database what its header says.
static void learn(checked_file *file, const uint8_t *bytes, int count) {
  if (count < 21 || memcmp(bytes, "SQLite format 3", 16) != 0) return;
  int size = bytes[16] << 8 | bytes[17];
  file->page_size = size == 1 ? 65536 : size;
  file->is_checked = bytes[20] == FERRY_CHECKED_PAGES_RESERVED;
}

static int is_page(const checked_file *file, int count, sqlite3_int64 offset) {
  if (count < 512 || count > 65536 || (count & (count - 1)) != 0 || offset % count != 0) return 0;
  return file->page_size == 0 || file->page_size == count;
}

static uint8_t *buffer_of(checked_file *file, int size) {
  if (file->buffer_size < size) {
    uint8_t *buffer = sqlite3_realloc(file->buffer, size);
    if (buffer == NULL) return NULL;
    file->buffer = buffer;
    file->buffer_size = size;
  }
  return file->buffer;
}

// SQLite takes an input/output error of the disk for a damaged file system, and reports that as a
// damaged database. What could not be read says nothing about what is there.
static int read_below(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  int result = deed(file)->xRead(inner(file), bytes, count, offset);
  return result == SQLITE_IOERR_CORRUPTFS ? SQLITE_IOERR_READ : result;
}

// Holds the pages against their checksums that a part of them was read of.
static int check_around(sqlite3_file *file, int count, sqlite3_int64 offset) {
  checked_file *own = (checked_file *)file;
  int size = own->page_size;
  if (size < 512) return SQLITE_OK;
  uint8_t *buffer = buffer_of(own, size);
  if (buffer == NULL) return SQLITE_IOERR_NOMEM;
  for (sqlite3_int64 at = offset - offset % size; at < offset + count; at += size) {
    int result = read_below(file, buffer, size, at);
    if (result != SQLITE_OK) return result;
    if (!ferry_page_is_whole(buffer, (size_t)size, (uint64_t)(at / size) + 1)) {
      return SQLITE_IOERR_DATA;
    }
  }
  return SQLITE_OK;
}

static int checked_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  checked_file *own = (checked_file *)file;
  int result = read_below(file, bytes, count, offset);
  if (result != SQLITE_OK) return result;
  if (offset == 0) learn(own, bytes, count);
  if (!own->is_checked) return SQLITE_OK;
  if (is_page(own, count, offset)) {
    uint64_t number = (uint64_t)(offset / count) + 1;
    return ferry_page_is_whole(bytes, (size_t)count, number) ? SQLITE_OK : SQLITE_IOERR_DATA;
  }
  // SQLite looks at the header by itself before it knows the size of a page, and then at its counter.
  if (offset + count <= HEADER_SIZE) return SQLITE_OK;
  return check_around(file, count, offset);
}

static int checked_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  checked_file *own = (checked_file *)file;
  if (offset == 0) learn(own, bytes, count);
  if (!own->is_checked || !is_page(own, count, offset)) {
    return deed(file)->xWrite(inner(file), bytes, count, offset);
  }
  uint8_t *buffer = buffer_of(own, count);
  if (buffer == NULL) return SQLITE_IOERR_NOMEM;
  memcpy(buffer, bytes, (size_t)count);
  seal(buffer, (size_t)count, (uint64_t)(offset / count) + 1);
  return deed(file)->xWrite(inner(file), buffer, count, offset);
}

static int checked_close(sqlite3_file *file) {
  checked_file *own = (checked_file *)file;
  sqlite3_free(own->buffer);
  own->buffer = NULL;
  own->buffer_size = 0;
  return deed(file)->xClose(inner(file));
}

static int checked_characteristics(sqlite3_file *file) {
  int known = deed(file)->xDeviceCharacteristics(inner(file));
#ifdef SQLITE_IOCAP_SUBPAGE_READ
  // A part of a page cannot be held against anything.
  known &= ~SQLITE_IOCAP_SUBPAGE_READ;
#endif
  return known;
}

// MARK: What is handed on as it is

static int checked_truncate(sqlite3_file *file, sqlite3_int64 size) {
  return deed(file)->xTruncate(inner(file), size);
}

// SQLite asks for everything else again that a signal interrupts, and takes a sync for failed.
static int checked_sync(sqlite3_file *file, int flags) {
  int result, number;
  do {
    number = 0;
    result = deed(file)->xSync(inner(file), flags);
    if (result != SQLITE_OK) deed(file)->xFileControl(inner(file), SQLITE_FCNTL_LAST_ERRNO, &number);
  } while (number == EINTR);
  return result;
}

static int checked_size(sqlite3_file *file, sqlite3_int64 *size) {
  return deed(file)->xFileSize(inner(file), size);
}

static int checked_lock(sqlite3_file *file, int level) {
  return deed(file)->xLock(inner(file), level);
}

static int checked_unlock(sqlite3_file *file, int level) {
  return deed(file)->xUnlock(inner(file), level);
}

static int checked_reserved_lock(sqlite3_file *file, int *answer) {
  return deed(file)->xCheckReservedLock(inner(file), answer);
}

static int checked_control(sqlite3_file *file, int operation, void *argument) {
  return deed(file)->xFileControl(inner(file), operation, argument);
}

static int checked_sector(sqlite3_file *file) { return deed(file)->xSectorSize(inner(file)); }

static int checked_shm_map(
    sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
  return deed(file)->xShmMap(inner(file), page, size, extend, memory);
}

static int checked_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  return deed(file)->xShmLock(inner(file), offset, count, flags);
}

static void checked_shm_barrier(sqlite3_file *file) { deed(file)->xShmBarrier(inner(file)); }

static int checked_shm_unmap(sqlite3_file *file, int remove) {
  return deed(file)->xShmUnmap(inner(file), remove);
}

// The second version: shared memory for the log, and no mapping of the file itself, which would pass
// by the reading.
static const struct sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = checked_close,
    .xRead = checked_read,
    .xWrite = checked_write,
    .xTruncate = checked_truncate,
    .xSync = checked_sync,
    .xFileSize = checked_size,
    .xLock = checked_lock,
    .xUnlock = checked_unlock,
    .xCheckReservedLock = checked_reserved_lock,
    .xFileControl = checked_control,
    .xSectorSize = checked_sector,
    .xDeviceCharacteristics = checked_characteristics,
    .xShmMap = checked_shm_map,
    .xShmLock = checked_shm_lock,
    .xShmBarrier = checked_shm_barrier,
    .xShmUnmap = checked_shm_unmap,
};

// MARK: The way to the disk

// `SQLITE_OPEN_SUPER_JOURNAL`, which had another name once.
#define SUPER_JOURNAL 0x00004000

static int checked_open(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *given) {
  (void)vfs;
  // The file that decides over a transaction of several databases, which no checkpoint ever has part in.
  // SQLite would remove it, whatever file a journal that a person laid beside a checkpoint calls so.
  if (flags & SUPER_JOURNAL) {
    file->pMethods = NULL;
    return SQLITE_PERM;
  }
  // What is temporary survives nothing.
  if (!(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL))) {
    return below->xOpen(below, name, file, flags, given);
  }
  checked_file *own = (checked_file *)file;
  memset(own, 0, sizeof *own);
  int result = below->xOpen(below, name, inner(file), flags, given);
  if (result != SQLITE_OK) {
    if (deed(file) != NULL) deed(file)->xClose(inner(file));
    return result;
  }
  own->base.pMethods = &methods;
  // Logs and journals have checksums of their own; they are watched for what cannot be read.
  if (!(flags & SQLITE_OPEN_MAIN_DB)) return SQLITE_OK;
  sqlite3_int64 size = 0;
  result = deed(file)->xFileSize(inner(file), &size);
  if (result != SQLITE_OK) {
    // What cannot be measured is read, and says by itself what is the matter.
    return SQLITE_OK;
  }
  own->is_checked = size == 0;
  uint8_t header[HEADER_SIZE];
  if (size >= HEADER_SIZE
      && deed(file)->xRead(inner(file), header, HEADER_SIZE, 0) == SQLITE_OK) {
    learn(own, header, HEADER_SIZE);
  }
  return SQLITE_OK;
}

static sqlite3_vfs ours;
static int registration = SQLITE_ERROR;

static void register_once(void) {
  below = sqlite3_vfs_find(NULL);
  if (below == NULL) return;
  ours = *below;
  ours.zName = FERRY_CHECKED_PAGES;
  ours.szOsFile = (int)sizeof(checked_file) + below->szOsFile;
  ours.pNext = NULL;
  ours.xOpen = checked_open;
  registration = sqlite3_vfs_register(&ours, 0);
}

int ferry_checked_pages_register(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, register_once);
  return registration;
}

int ferry_checked_pages_reserve(void *database) {
  int count = FERRY_CHECKED_PAGES_RESERVED;
  return sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &count);
}
