#pragma once
#include <zlib.h>

/// `inflateInit2` is a macro, which Swift does not see.
static inline int ferry_inflateInit2(z_stream *stream, int windowBits) {
  return inflateInit2(stream, windowBits);
}
static inline int ferry_deflateInit2(z_stream *stream, int level, int windowBits) {
  return deflateInit2(stream, level, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY);
}
