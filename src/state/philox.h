// philox.h - The random numbers of TensorFlow: Philox 4x32 with 10 rounds.
//
// A counter-based generator (Salmon et al., 2011): four words of random bits
// are a function of a 128-bit counter and a 64-bit key and of nothing else, so
// that any thread can begin anywhere. One step of the counter gives four words.
//
// Pure functions.
#ifndef BERTH_STATE_PHILOX_H_
#define BERTH_STATE_PHILOX_H_

#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

typedef struct berth_philox {
  uint32_t counter[4];  // Least significant word first.
  uint32_t key[2];
} berth_philox_t;

// Returns the beginning of the sequence that an op's two seeds stand for.
static inline berth_philox_t berth_philox_make(uint64_t seed, uint64_t seed2) {
  return (berth_philox_t){
      .counter = {0, 0, (uint32_t)seed2, (uint32_t)(seed2 >> 32)},
      .key = {(uint32_t)seed, (uint32_t)(seed >> 32)}};
}

// Returns the beginning of the sequence that a key and a counter stand for.
static inline berth_philox_t berth_philox_keyed(uint64_t key, uint64_t low,
                                                uint64_t high) {
  return (berth_philox_t){.counter = {(uint32_t)low, (uint32_t)(low >> 32),
                                      (uint32_t)high, (uint32_t)(high >> 32)},
                          .key = {(uint32_t)key, (uint32_t)(key >> 32)}};
}

// Moves |steps| on: the counter is one number of 128 bits.
static inline void berth_philox_skip(berth_philox_t *philox, uint64_t steps) {
  uint64_t low = (uint64_t)philox->counter[1] << 32 | philox->counter[0];
  uint64_t high = (uint64_t)philox->counter[3] << 32 | philox->counter[2];
  low += steps;
  if (low < steps) ++high;
  philox->counter[0] = (uint32_t)low;
  philox->counter[1] = (uint32_t)(low >> 32);
  philox->counter[2] = (uint32_t)high;
  philox->counter[3] = (uint32_t)(high >> 32);
}

// Stores the four words of the current step, which stays the same.
static BERTH_INLINE void berth_philox_block(const berth_philox_t *philox,
                                            uint32_t words[4]) {
  uint32_t c0 = philox->counter[0], c1 = philox->counter[1];
  uint32_t c2 = philox->counter[2], c3 = philox->counter[3];
  uint32_t k0 = philox->key[0], k1 = philox->key[1];
  for (int round = 0; round < 10; ++round) {
    uint64_t a = (uint64_t)0xD2511F53u * c0;
    uint64_t b = (uint64_t)0xCD9E8D57u * c2;
    c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
    c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
    c1 = (uint32_t)b;
    c3 = (uint32_t)a;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  words[0] = c0;
  words[1] = c1;
  words[2] = c2;
  words[3] = c3;
}

// Stores the key and the counter that TensorFlow's stateless ops make of two
// seeds: scrambled, so that seeds that are near each other do no harm.
static inline void berth_philox_scramble(uint64_t seed, uint64_t seed2,
                                         uint64_t *out_key,
                                         uint64_t out_counter[2]) {
  uint32_t words[4];
  berth_philox_t mixer =
      berth_philox_keyed(UINT64_C(0x02461e293ec8f720), seed, seed2);
  berth_philox_block(&mixer, words);
  *out_key = (uint64_t)words[1] << 32 | words[0];
  out_counter[0] = 0;
  out_counter[1] = (uint64_t)words[3] << 32 | words[2];
}

// Stores the four words of the current step and moves one on.
static BERTH_INLINE void berth_philox_next(berth_philox_t *philox,
                                           uint32_t words[4]) {
  berth_philox_block(philox, words);
  if (++philox->counter[0] != 0) return;
  if (++philox->counter[1] != 0) return;
  if (++philox->counter[2] != 0) return;
  ++philox->counter[3];
}

// Turns 23 bits of a word into a float in [0, 1): they become the mantissa of a
// number in [1, 2).
static inline float berth_philox_float(uint32_t word) {
  uint32_t bits = UINT32_C(127) << 23 | (word & 0x7fffffu);
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value - 1.0f;
}

// Turns 52 bits of two words into a double in [0, 1).
static inline double berth_philox_double(uint32_t first, uint32_t second) {
  uint64_t bits =
      UINT64_C(1023) << 52 | (uint64_t)(first & 0xfffffu) << 32 | second;
  double value;
  memcpy(&value, &bits, sizeof(value));
  return value - 1.0;
}

// Turns 10 bits of a word into a half-precision number in [0, 1), and 7 bits
// into a bfloat16; both as floats, which they are exactly.
static inline float berth_philox_half(uint32_t word) {
  return (float)(word & 0x3ffu) * 0x1p-10f;
}
static inline float berth_philox_bfloat16(uint32_t word) {
  return (float)(word & 0x7fu) * 0x1p-7f;
}

#endif  // BERTH_STATE_PHILOX_H_
