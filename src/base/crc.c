// crc.c - CRC-32C, by the processor's own instruction where it has one.
#include "base/crc.h"

#include <string.h>

#include "base/thread.h"

#if defined(__x86_64__)
#define HAS_INSTRUCTION __builtin_cpu_supports("sse4.2")

__attribute__((target("sse4.2"))) static uint32_t crc_by_instruction(
    uint32_t crc, const unsigned char *at, size_t size) {
  uint64_t value = crc;
  for (; size >= 8; size -= 8, at += 8) {
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    value = __builtin_ia32_crc32di(value, word);
  }
  for (; size > 0; --size) {
    value = __builtin_ia32_crc32qi((uint32_t)value, *at++);
  }
  return (uint32_t)value;
}
#else
#define HAS_INSTRUCTION 0
#define crc_by_instruction crc_by_table
#endif

// The remainder of each byte that is followed by 0 to 7 zeros.
static uint32_t remainders[8][256];

static void fill_remainders(void) {
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int k = 0; k < 8; ++k) {
      value = value >> 1 ^ ((value & 1) != 0 ? UINT32_C(0x82f63b78) : 0);
    }
    remainders[0][i] = value;
  }
  for (uint32_t i = 0; i < 256; ++i) {
    for (int k = 1; k < 8; ++k) {
      uint32_t value = remainders[k - 1][i];
      remainders[k][i] = value >> 8 ^ remainders[0][value & 255];
    }
  }
}

static uint32_t crc_by_table(uint32_t crc, const unsigned char *at,
                             size_t size) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)pthread_once(&once, fill_remainders);
  for (; size >= 8; size -= 8, at += 8) {
    uint32_t next = 0;
    crc ^= (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
           (uint32_t)at[3] << 24;
    for (int k = 0; k < 4; ++k) {
      next ^=
          remainders[7 - k][crc >> 8 * k & 255] ^ remainders[3 - k][at[4 + k]];
    }
    crc = next;
  }
  for (; size > 0; --size) crc = crc >> 8 ^ remainders[0][(crc ^ *at++) & 255];
  return crc;
}

uint32_t berth_crc(uint32_t before, const void *bytes, size_t size) {
  uint32_t crc = HAS_INSTRUCTION ? crc_by_instruction(~before, bytes, size)
                                 : crc_by_table(~before, bytes, size);
  return ~crc;
}
