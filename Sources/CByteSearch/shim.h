#pragma once
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

/// Sixteen bytes at a time, which Swift has no words for: its SIMD types have no mask of bits.

/// The first place from `place` on that holds a quote, a backslash, a control character or a byte
/// above 127; `end` when it is missing. Reads nothing at or after `end`.
static inline long ferry_plain_end(const unsigned char *bytes, long place, long end) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i slash = _mm_set1_epi8('\\');
  const __m128i space = _mm_set1_epi8(0x20);
  while (end - place >= 16) {
    const __m128i block = _mm_loadu_si128((const __m128i *)(bytes + place));
    // Signed, so that bytes above 127 are less than a space as well.
    const __m128i low = _mm_cmplt_epi8(block, space);
    const __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, slash));
    const unsigned stops = (unsigned)_mm_movemask_epi8(_mm_or_si128(low, marks));
    if (stops) return place + __builtin_ctz(stops);
    place += 16;
  }
#elif defined(__ARM_NEON) && defined(__aarch64__)
  const uint8x16_t quote = vdupq_n_u8('"');
  const uint8x16_t slash = vdupq_n_u8('\\');
  const int8x16_t space = vdupq_n_s8(0x20);
  while (end - place >= 16) {
    const uint8x16_t block = vld1q_u8(bytes + place);
    const uint8x16_t low = vcltq_s8(vreinterpretq_s8_u8(block), space);
    const uint8x16_t marks = vorrq_u8(vceqq_u8(block, quote), vceqq_u8(block, slash));
    const uint16x8_t stops = vreinterpretq_u16_u8(vorrq_u8(low, marks));
    // Four bits for each byte.
    const uint64_t bits = vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(stops, 4)), 0);
    if (bits) return place + (__builtin_ctzll(bits) >> 2);
    place += 16;
  }
#endif
  while (place < end) {
    const unsigned char byte = bytes[place];
    if (byte < 0x20 || byte >= 0x80 || byte == '"' || byte == '\\') break;
    place += 1;
  }
  return place;
}

/// The first place from `place` on that holds a backslash; `end` when it is missing.
static inline long ferry_backslash(const unsigned char *bytes, long place, long end) {
  const unsigned char *found = memchr(bytes + place, '\\', (size_t)(end - place));
  return found ? found - bytes : end;
}

/// Less than, equal to or more than zero, as the first bytes that differ are, without a sign.
static inline long ferry_order(const void *left, const void *right, long count) {
  return memcmp(left, right, (size_t)count);
}

#if defined(__SSE2__)
typedef __m128i ferry_block;

/// The place in a block where ferry_plain_end would stop; sixteen when it would not.
static inline long ferry_block_end(ferry_block block) {
  const __m128i low = _mm_cmplt_epi8(block, _mm_set1_epi8(0x20));
  const __m128i marks = _mm_or_si128(
      _mm_cmpeq_epi8(block, _mm_set1_epi8('"')), _mm_cmpeq_epi8(block, _mm_set1_epi8('\\')));
  const unsigned stops = (unsigned)_mm_movemask_epi8(_mm_or_si128(low, marks));
  return stops ? __builtin_ctz(stops) : 16;
}
#elif defined(__ARM_NEON) && defined(__aarch64__)
typedef uint8x16_t ferry_block;

/// The place in a block where ferry_plain_end would stop; sixteen when it would not.
static inline long ferry_block_end(ferry_block block) {
  const uint8x16_t low = vcltq_s8(vreinterpretq_s8_u8(block), vdupq_n_s8(0x20));
  const uint8x16_t marks = vorrq_u8(vceqq_u8(block, vdupq_n_u8('"')), vceqq_u8(block, vdupq_n_u8('\\')));
  const uint16x8_t stops = vreinterpretq_u16_u8(vorrq_u8(low, marks));
  const uint64_t bits = vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(stops, 4)), 0);
  return bits ? __builtin_ctzll(bits) >> 2 : 16;
}
#endif

/// Copies the bytes before the first at which ferry_plain_end would stop, and gives their count.
///
/// Reads and writes nothing behind `count` bytes; what of these is not counted may be written over.
static inline long ferry_copy_plain(const unsigned char *from, long count, unsigned char *to) {
#if defined(__SSE2__) || (defined(__ARM_NEON) && defined(__aarch64__))
  ferry_block block;
  if (count >= 16) {
    long place = 0;
    for (; count - place >= 16; place += 16) {
      memcpy(&block, from + place, 16);
      memcpy(to + place, &block, 16);
      const long end = ferry_block_end(block);
      if (end < 16) return place + end;
    }
    if (place == count) return count;
    // The last block overlaps the one before, in which nothing stopped.
    place = count - 16;
    memcpy(&block, from + place, 16);
    memcpy(to + place, &block, 16);
    return place + ferry_block_end(block);
  }
  if (count >= 4) {
    // Two halves that overlap in the middle, and spaces behind them, which are no reason to stop.
    unsigned char halves[16];
    const long half = count >= 8 ? 8 : 4;
    memset(halves, ' ', sizeof halves);
    if (half == 8) {
      memcpy(halves, from, 8);
      memcpy(halves + 8, from + count - 8, 8);
      memcpy(to, halves, 8);
      memcpy(to + count - 8, halves + 8, 8);
    } else {
      memcpy(halves, from, 4);
      memcpy(halves + 4, from + count - 4, 4);
      memcpy(to, halves, 4);
      memcpy(to + count - 4, halves + 4, 4);
    }
    memcpy(&block, halves, 16);
    const long end = ferry_block_end(block);
    if (end < half) return end;
    return end < 2 * half ? count - 2 * half + end : count;
  }
#endif
  const long end = ferry_plain_end(from, 0, count);
  memcpy(to, from, (size_t)end);
  return end;
}
