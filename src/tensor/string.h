// string.h - The elements of a string tensor.
//
// 24 bytes, the layout of TensorFlow's TF_TString, so that its C ABI can hand
// them out as they are: the low two bits of the first byte say which kind.
//
//   small   [size << 2 | 0][up to 22 bytes, NUL]
//   large   [size << 2 | 1][capacity][pointer, owned]
//
// All zero is the empty string; what a small one does not use is zero. Threads:
// caller serialises writes.
#ifndef BERTH_TENSOR_STRING_H_
#define BERTH_TENSOR_STRING_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

typedef union berth_string {
  struct {
    uint8_t size;  // << 2.
    char text[23];
  } small;
  struct {
    uint64_t size;  // << 2 | 1.
    uint64_t capacity;
    char *text;
  } large;
} berth_string_t;

_Static_assert(sizeof(berth_string_t) == 24, "the C ABI shares this layout");

enum {
  BERTH_STRING_SMALL = 22,  // Bytes that fit beside the size and the final NUL.
  BERTH_STRING_KIND_MASK = 3,
  BERTH_STRING_KIND_LARGE = 1,
};

static BERTH_INLINE bool berth_string_is_large(const berth_string_t *string) {
  return (string->small.size & BERTH_STRING_KIND_MASK) ==
         BERTH_STRING_KIND_LARGE;
}

// Stores a copy of |size| bytes, freeing what was there; |text| may lie in it,
// and up to 22 bytes need no memory. False when memory is short; the old text
// then stands.
bool berth_string_set(berth_string_t *string, const char *text, size_t size);

// Frees what was there and returns the place of |size| bytes, which are zero
// until the caller writes them. NULL when memory is short; the old text then
// stands.
char *berth_string_make(berth_string_t *string, size_t size);

// Returns the bytes and stores their number. Borrowed until |string| changes or
// moves: small ones lie in it.
static inline const char *berth_string_get(const berth_string_t *string,
                                           size_t *out_size) {
  if (BERTH_UNLIKELY(berth_string_is_large(string))) {
    *out_size = (size_t)(string->large.size >> 2);
    return string->large.text;
  }
  *out_size = (size_t)(string->small.size >> 2);
  return string->small.text;
}

// Frees what |string| owns and makes it empty.
void berth_string_clear(berth_string_t *string);

// True when both hold the same bytes.
bool berth_string_equal(const berth_string_t *a, const berth_string_t *b);

#endif  // BERTH_TENSOR_STRING_H_
