// random_isa.c - Loops of random numbers, for several instruction sets.
//
// Philox is computed for LANES steps at once, lane by lane in plain loops that
// compilers turn into vectors.
#include "cpu/loops/random_loops.h"

enum { LANES = 32 };

// ---- Words ----

// Does the steps |low| ... of one key, none of which carries into the upper
// half of the counter. A word lies in the lower half of 64 bits; what a product
// leaves in the upper half is never read.
static void words_lanes(const berth_philox_t *start, uint64_t low,
                        uint32_t *words) {
  uint64_t c0[LANES], c1[LANES], c2[LANES], c3[LANES];
  for (int i = 0; i < LANES; ++i) {
    uint64_t at = low + (uint64_t)i;
    c0[i] = at;
    c1[i] = at >> 32;
    c2[i] = start->counter[2];
    c3[i] = start->counter[3];
  }
  uint32_t k0 = start->key[0], k1 = start->key[1];
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < LANES; ++i) {
      uint64_t a = (uint64_t)0xD2511F53u * (uint32_t)c0[i];
      uint64_t b = (uint64_t)0xCD9E8D57u * (uint32_t)c2[i];
      c0[i] = (b >> 32) ^ c1[i] ^ k0;
      c2[i] = (a >> 32) ^ c3[i] ^ k1;
      c1[i] = b;
      c3[i] = a;
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  for (int i = 0; i < LANES; ++i) {
    words[4 * i] = (uint32_t)c0[i];
    words[4 * i + 1] = (uint32_t)c1[i];
    words[4 * i + 2] = (uint32_t)c2[i];
    words[4 * i + 3] = (uint32_t)c3[i];
  }
}

static void words(const berth_philox_t *start, uint32_t *out, int64_t steps) {
  uint64_t low = (uint64_t)start->counter[1] << 32 | start->counter[0];
  int64_t done = 0;
  // Where the lower half would carry, step by step will do.
  if (low + (uint64_t)steps >= low) {
    for (; done + LANES <= steps; done += LANES) {
      words_lanes(start, low + (uint64_t)done, out + 4 * done);
    }
  }
  berth_philox_t philox = *start;
  berth_philox_skip(&philox, (uint64_t)done);
  for (; done < steps; ++done) berth_philox_next(&philox, out + 4 * done);
}

// ---- Uniform ----

static void floats(const uint32_t *in, float *out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) out[i] = berth_philox_float(in[i]);
}

static void doubles(const uint32_t *in, double *out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    out[i] = berth_philox_double(in[2 * i], in[2 * i + 1]);
  }
}

const berth_random_loops_t BERTH_ISA(berth_cpu_random_loops) = {words, floats,
                                                                doubles};
