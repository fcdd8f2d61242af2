// snappy.c - Reading what Snappy made smaller.
//
//   length as a varint, then elements:
//   ......00  literal: length - 1 in six bits, from 60 on in 1 to 4 bytes more
//   .....l01  copy of 4 to 11 bytes, offset in 11 bits
//   ......10  copy of 1 to 64 bytes, offset in 16 bits
//   ......11  copy of 1 to 64 bytes, offset in 32 bits
#include "io/snappy.h"

#include <string.h>

#include "io/varint.h"

// The most that an element of three bytes becomes: 64.
enum { MOST_GROWTH = 22 };

typedef struct output {
  unsigned char *begin, *at, *end;
} output_t;

// Reads |count| bytes of a number; false when the text ends first.
static bool read_number(berth_varints_t *in, int count, size_t *out_value) {
  size_t value = 0;
  if (in->end - in->at < count) return false;
  for (int i = 0; i < count; ++i) value |= (size_t)*in->at++ << (8 * i);
  *out_value = value;
  return true;
}

static bool put_literal(berth_varints_t *in, output_t *out, unsigned tag) {
  size_t size = tag >> 2;
  if (size >= 60 && !read_number(in, (int)size - 59, &size)) return false;
  ++size;
  if (size > (size_t)(in->end - in->at) ||
      size > (size_t)(out->end - out->at)) {
    return false;
  }
  memcpy(out->at, in->at, size);
  in->at += size;
  out->at += size;
  return true;
}

static bool put_copy(berth_varints_t *in, output_t *out, unsigned tag) {
  size_t size = (tag >> 2) + 1, offset = 0;
  if ((tag & 3) == 1) {
    size = 4 + (tag >> 2 & 7);
    if (!read_number(in, 1, &offset)) return false;
    offset |= (size_t)(tag >> 5) << 8;
  } else if (!read_number(in, (tag & 3) == 2 ? 2 : 4, &offset)) {
    return false;
  }
  if (offset == 0 || offset > (size_t)(out->at - out->begin) ||
      size > (size_t)(out->end - out->at)) {
    return false;
  }
  for (; size > 0; --size, ++out->at) *out->at = *(out->at - offset);
  return true;
}

bool berth_snappy_size(const void *bytes, size_t size, size_t *out_size) {
  berth_varints_t in = {bytes, (const unsigned char *)bytes + size};
  uint64_t length = 0;
  if (!berth_varint_read(&in, &length)) return false;
  if (length > UINT32_MAX || length / MOST_GROWTH > size) return false;
  *out_size = (size_t)length;
  return true;
}

bool berth_snappy_decode(const void *bytes, size_t size, void *out,
                         size_t out_size) {
  berth_varints_t in = {bytes, (const unsigned char *)bytes + size};
  output_t to = {out, out, (unsigned char *)out + out_size};
  uint64_t length = 0;
  if (!berth_varint_read(&in, &length) || length != out_size) return false;
  while (in.at < in.end) {
    unsigned tag = *in.at++;
    bool is_done =
        (tag & 3) == 0 ? put_literal(&in, &to, tag) : put_copy(&in, &to, tag);
    if (!is_done) return false;
  }
  return to.at == to.end;
}
