// SHA-256 (FIPS 180-4, section 6.2) of eight independent messages, one in each lane of a vector.
#include "sha256_lanes.h"

#if defined(__x86_64__)

#include <cpuid.h>

typedef uint32_t lanes __attribute__((vector_size(32)));
typedef uint32_t loose_lanes __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint8_t bytes __attribute__((vector_size(32)));

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#define ROTATED(x, n) (((x) >> (n)) | ((x) << (32 - (n))))

#define PAIRS(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define LATER_PAIRS(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define HALVES(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define LATER_HALVES(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define FRONT(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define BACK(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)

// Eight rows of eight words become eight columns.
#define TURNED(rows)                                                                            \
  do {                                                                                          \
    lanes p0 = PAIRS(rows[0], rows[1]), p1 = LATER_PAIRS(rows[0], rows[1]);                     \
    lanes p2 = PAIRS(rows[2], rows[3]), p3 = LATER_PAIRS(rows[2], rows[3]);                     \
    lanes p4 = PAIRS(rows[4], rows[5]), p5 = LATER_PAIRS(rows[4], rows[5]);                     \
    lanes p6 = PAIRS(rows[6], rows[7]), p7 = LATER_PAIRS(rows[6], rows[7]);                     \
    lanes q0 = HALVES(p0, p2), q1 = LATER_HALVES(p0, p2), q2 = HALVES(p1, p3);                  \
    lanes q3 = LATER_HALVES(p1, p3), q4 = HALVES(p4, p6), q5 = LATER_HALVES(p4, p6);            \
    lanes q6 = HALVES(p5, p7), q7 = LATER_HALVES(p5, p7);                                       \
    rows[0] = FRONT(q0, q4), rows[1] = FRONT(q1, q5), rows[2] = FRONT(q2, q6);                  \
    rows[3] = FRONT(q3, q7), rows[4] = BACK(q0, q4), rows[5] = BACK(q1, q5);                    \
    rows[6] = BACK(q2, q6), rows[7] = BACK(q3, q7);                                             \
  } while (0)

// The bytes of each word in the other order, for SHA-256 counts from the highest.
#define SWAPPED(x)                                                                              \
  ((lanes)__builtin_shufflevector(                                                              \
      (bytes)(x), (bytes)(x), 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12, 19, 18, 17, \
      16, 23, 22, 21, 20, 27, 26, 25, 24, 31, 30, 29, 28))

// The work itself; which instructions it becomes is said by the function around it.
#define UPDATE(states, messages, count)                                                         \
  do {                                                                                          \
    lanes state[8], words[16];                                                                  \
    for (int lane = 0; lane < 8; lane++) state[lane] = *(const loose_lanes *)(states + 8 * lane); \
    TURNED(state);                                                                              \
    for (size_t block = 0; block < count; block++) {                                            \
      for (int lane = 0; lane < 8; lane++) {                                                    \
        const uint8_t *from = messages[lane] + 64 * block;                                      \
        words[lane] = SWAPPED(*(const loose_lanes *)from);                                      \
        words[8 + lane] = SWAPPED(*(const loose_lanes *)(from + 32));                           \
      }                                                                                         \
      TURNED(words);                                                                            \
      lanes *later = words + 8;                                                                 \
      TURNED(later);                                                                            \
      lanes a = state[0], b = state[1], c = state[2], d = state[3];                             \
      lanes e = state[4], f = state[5], g = state[6], h = state[7];                             \
      _Pragma("clang loop unroll_count(16)")                                                    \
      for (int round = 0; round < 64; round++) {                                                \
        if (round >= 16) {                                                                      \
          lanes near = words[(round + 1) & 15], far = words[(round + 14) & 15];                 \
          words[round & 15] += (ROTATED(near, 7) ^ ROTATED(near, 18) ^ (near >> 3))             \
              + (ROTATED(far, 17) ^ ROTATED(far, 19) ^ (far >> 10)) + words[(round + 9) & 15];  \
        }                                                                                       \
        lanes first = h + (ROTATED(e, 6) ^ ROTATED(e, 11) ^ ROTATED(e, 25))                     \
            + ((e & f) ^ (~e & g)) + constants[round] + words[round & 15];                      \
        lanes second = (ROTATED(a, 2) ^ ROTATED(a, 13) ^ ROTATED(a, 22))                        \
            + ((a & b) ^ (a & c) ^ (b & c));                                                    \
        h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;            \
      }                                                                                         \
      state[0] += a, state[1] += b, state[2] += c, state[3] += d;                               \
      state[4] += e, state[5] += f, state[6] += g, state[7] += h;                               \
    }                                                                                           \
    TURNED(state);                                                                              \
    for (int lane = 0; lane < 8; lane++) *(loose_lanes *)(states + 8 * lane) = state[lane];     \
  } while (0)

__attribute__((target("avx2"))) static void update_avx2(
    uint32_t *states, const uint8_t *const *messages, size_t count) {
  UPDATE(states, messages, count);
}

// Rotates in one instruction, and joins three words in one.
__attribute__((target("avx2,avx512f,avx512vl"))) static void update_avx512vl(
    uint32_t *states, const uint8_t *const *messages, size_t count) {
  UPDATE(states, messages, count);
}

void ferry_sha256_lanes_update(
    int way, uint32_t *states, const uint8_t *const *messages, size_t count) {
  if (way == FERRY_SHA256_AVX512VL)
    update_avx512vl(states, messages, count);
  else if (way == FERRY_SHA256_AVX2)
    update_avx2(states, messages, count);
  else
    __builtin_trap();
}

// What a processor has counts only where the system keeps its registers, as XCR0 says: bits 1 and 2
// for AVX, 5 to 7 for AVX-512 (Intel's manual, volume 1, sections 14.3 and 15.2).
int ferry_sha256_best_way(void) {
  unsigned int a, b, c, d, low, high;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return FERRY_SHA256_ALONE;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if ((low & 0x06) != 0x06 || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2))
    return FERRY_SHA256_ALONE;
  int has512 = (b & bit_AVX512F) && (b & bit_AVX512VL) && (low & 0xe0) == 0xe0;
  return has512 ? FERRY_SHA256_AVX512VL : FERRY_SHA256_AVX2;
}

int ferry_sha256_has_instructions(void) {
  unsigned int a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

#else

void ferry_sha256_lanes_update(
    int way, uint32_t *states, const uint8_t *const *messages, size_t count) {
  (void)way, (void)states, (void)messages, (void)count;
  __builtin_trap();
}

int ferry_sha256_best_way(void) { return FERRY_SHA256_ALONE; }

int ferry_sha256_has_instructions(void) { return 0; }

#endif
