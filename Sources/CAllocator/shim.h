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
