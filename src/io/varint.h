// varint.h - Numbers as tables and checkpoints hold them.
//
// A varint has seven bits a byte, the lowest first; fixed numbers have the
// lowest byte first. Pure functions; thread-safe.
#ifndef BERTH_IO_VARINT_H_
#define BERTH_IO_VARINT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

// Bytes that are read one after another.
typedef struct berth_varints {
  const unsigned char *at;
  const unsigned char *end;
} berth_varints_t;

// Reads a varint of at most 64 bits; false when the bytes end first, or it is
// longer.
static inline bool berth_varint_read(berth_varints_t *cursor,
                                     uint64_t *out_value) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && cursor->at < cursor->end; shift += 7) {
    unsigned char byte = *cursor->at++;
    value |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) {
      *out_value = value;
      return true;
    }
  }
  return false;
}

static inline void berth_varint_put(berth_str_t *str, uint64_t value) {
  for (; value > 127; value >>= 7) {
    berth_str_putc(str, (char)(unsigned char)(value | 128));
  }
  berth_str_putc(str, (char)(unsigned char)value);
}

static inline uint32_t berth_fixed32_get(const unsigned char *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
         (uint32_t)at[3] << 24;
}

static inline uint64_t berth_fixed64_get(const unsigned char *at) {
  return (uint64_t)berth_fixed32_get(at) | (uint64_t)berth_fixed32_get(at + 4)
                                               << 32;
}

static inline void berth_fixed32_put(berth_str_t *str, uint32_t value) {
  for (int i = 0; i < 4; ++i) {
    berth_str_putc(str, (char)(unsigned char)(value >> (8 * i)));
  }
}

static inline void berth_fixed64_put(berth_str_t *str, uint64_t value) {
  berth_fixed32_put(str, (uint32_t)value);
  berth_fixed32_put(str, (uint32_t)(value >> 32));
}

#endif  // BERTH_IO_VARINT_H_
