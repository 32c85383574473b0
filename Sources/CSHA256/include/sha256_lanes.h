#ifndef FERRY_SHA256_LANES_H
#define FERRY_SHA256_LANES_H

#include <stddef.h>
#include <stdint.h>

/// How many messages are digested side by side.
#define FERRY_SHA256_LANES 8

/// What a processor can do side by side.
#define FERRY_SHA256_ALONE 0
#define FERRY_SHA256_AVX2 1
#define FERRY_SHA256_AVX512VL 2

/// The best way of this processor and its system; `FERRY_SHA256_ALONE` when it has no wide vectors.
int ferry_sha256_best_way(void);

/// Whether the processor has instructions for SHA-256 itself, with which one message after the
/// other is as fast.
int ferry_sha256_has_instructions(void);

/// Takes `count` blocks of 64 bytes of each of eight messages into their states, in one of the ways
/// up to the best.
///
/// `states` holds eight words a message, one message after the other.
void ferry_sha256_lanes_update(
    int way, uint32_t *_Nonnull states, const uint8_t *_Nonnull const *_Nonnull messages,
    size_t count);

#endif
