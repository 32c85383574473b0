#pragma once
#include <stdlib.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

/// Has all threads allocate from one arena, where the C library would give each its own, and reserve 64 MiB or
/// more of address space for it.
static inline void ferry_share_one_arena(void) {
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, 1);
#endif
}

/// Has what takes 4 MiB or more go back to the system as soon as it is free.
///
/// Otherwise the C library takes it from the heap once something of its size, up to 32 MiB, was free, and what lies
/// behind it there keeps it from going back.
///
/// https://man7.org/linux/man-pages/man3/mallopt.3.html
static inline void ferry_give_back_what_is_large(void) {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 8 << 20);
#endif
}
