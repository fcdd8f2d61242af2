// crc.c - CRC-32C, by tables and by the instruction of x86.
//
// The instruction takes three cycles and can begin one every cycle: a long text
// is done as three, side by side, and their checksums are joined by a table that
// says what a run of zeros makes of a checksum.
#include "base/crc.h"

#include <pthread.h>
#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

enum {
  STREAM = 4096,  // Bytes of each of the three texts.
  SLICES = 8,     // Bytes that tables take at once.
};

static uint32_t tables[SLICES][256];
static uint32_t skips[4][256];  // What STREAM zeros make of each byte.
static pthread_once_t is_filled = PTHREAD_ONCE_INIT;

static uint32_t skip_zeros(uint32_t crc) {
  return skips[0][crc & 255] ^ skips[1][crc >> 8 & 255] ^
         skips[2][crc >> 16 & 255] ^ skips[3][crc >> 24];
}

static uint32_t pass_zeros(uint32_t value, int count) {
  for (int i = 0; i < count; ++i) {
    value = value >> 8 ^ tables[0][value & 255];
  }
  return value;
}

static void fill_tables(void) {
  uint32_t bits[32];
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int k = 0; k < 8; ++k) {
      value = value >> 1 ^ ((value & 1) != 0 ? UINT32_C(0x82f63b78) : 0);
    }
    tables[0][i] = value;
  }
  for (int k = 1; k < SLICES; ++k) {
    for (int i = 0; i < 256; ++i) {
      tables[k][i] = pass_zeros(tables[k - 1][i], 1);
    }
  }
  for (int i = 0; i < 32; ++i) {
    bits[i] = pass_zeros(UINT32_C(1) << i, STREAM);
  }
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < 256; ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        if ((i >> bit & 1) != 0) skips[k][i] ^= bits[8 * k + bit];
      }
    }
  }
}

static uint64_t load(const unsigned char *at) {
  uint64_t word;
  memcpy(&word, at, sizeof(word));
  return word;
}

static uint32_t extend_plain(uint32_t value, const unsigned char *at,
                             size_t size) {
  for (; size >= SLICES; size -= SLICES, at += SLICES) {
    uint64_t word = 0;
    for (int i = 0; i < SLICES; ++i) word |= (uint64_t)at[i] << (8 * i);
    word ^= value;
    value = 0;
    for (int i = 0; i < SLICES; ++i) {
      value ^= tables[SLICES - 1 - i][word >> (8 * i) & 255];
    }
  }
  for (; size > 0; --size, ++at) {
    value = value >> 8 ^ tables[0][(value ^ *at) & 255];
  }
  return value;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t extend_fast(
    uint32_t value, const unsigned char *at, size_t size) {
  for (; size >= 3 * STREAM; size -= 3 * STREAM, at += 3 * STREAM) {
    uint64_t a = value, b = 0, c = 0;
    for (int i = 0; i < STREAM; i += 8) {
      a = _mm_crc32_u64(a, load(at + i));
      b = _mm_crc32_u64(b, load(at + STREAM + i));
      c = _mm_crc32_u64(c, load(at + 2 * STREAM + i));
    }
    value = skip_zeros((uint32_t)a) ^ (uint32_t)b;
    value = skip_zeros(value) ^ (uint32_t)c;
  }
  uint64_t wide = value;
  for (; size >= 8; size -= 8, at += 8) wide = _mm_crc32_u64(wide, load(at));
  value = (uint32_t)wide;
  for (; size > 0; --size, ++at) value = _mm_crc32_u8(value, *at);
  return value;
}
#endif

uint32_t berth_crc(uint32_t before, const void *bytes, size_t size) {
  (void)pthread_once(&is_filled, fill_tables);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) {
    return ~extend_fast(~before, bytes, size);
  }
#endif
  return ~extend_plain(~before, bytes, size);
}

// ---- Joining ----

// Multiplies two polynomials over bits, in the order of the checksum's, modulo
// the checksum's own.
static uint32_t multiply(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (uint32_t bit = UINT32_C(1) << 31; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = b >> 1 ^ ((b & 1) != 0 ? UINT32_C(0x82f63b78) : 0);
  }
  return product;
}

uint32_t berth_crc_join(uint32_t first, uint32_t second, uint64_t size) {
  uint32_t power = UINT32_C(1) << 23;  // A byte of zeros; squared each time.
  uint32_t shift = UINT32_C(1) << 31;  // None.
  for (; size > 0; size >>= 1) {
    if ((size & 1) != 0) shift = multiply(shift, power);
    power = multiply(power, power);
  }
  return multiply(shift, first) ^ second;
}
