#ifndef FERRY_CHECKED_PAGES_H
#define FERRY_CHECKED_PAGES_H

#include <stddef.h>
#include <stdint.h>

/// The name under which SQLite opens a database whose pages carry a checksum.
#define FERRY_CHECKED_PAGES "ferry-checked"

/// How many bytes at the end of each page hold its checksum, as byte 20 of the header says.
#define FERRY_CHECKED_PAGES_RESERVED 8

/// Makes the way to the disk known that writes a checksum into every page of a main database, and
/// holds every page that it reads against it; gives SQLite's result, 0 for success.
///
/// A page that does not agree ends in `SQLITE_IOERR_DATA`. A database whose header does not reserve
/// the bytes passes through as it is; a new one is taken to reserve them until its header says
/// otherwise. It is before the way that is the usual one at the first call; further calls do
/// nothing.
int ferry_checked_pages_register(void);

/// Has a database that is new, or is next rewritten by `VACUUM`, reserve the bytes; gives SQLite's
/// result.
int ferry_checked_pages_reserve(void *_Nonnull database);

/// The checksum of a page, counted from one: XXH64 of all but its last eight bytes, with the page's
/// number as the seed.
///
/// `count` is a multiple of eight.
uint64_t ferry_page_checksum(const uint8_t *_Nonnull page, size_t count, uint64_t number);

/// Whether a page ends with its checksum, the lowest byte first.
int ferry_page_is_whole(const uint8_t *_Nonnull page, size_t size, uint64_t number);

/// Goes on with the two sums that SQLite keeps of a log, over `count` bytes, a multiple of eight.
///
/// `is_big_endian` is the lowest bit of the log's first word.
/// <https://www.sqlite.org/fileformat2.html#checksum_algorithm>
void ferry_log_sums(
  int is_big_endian, const uint8_t *_Nonnull bytes, size_t count, uint32_t *_Nonnull sums);

#endif
