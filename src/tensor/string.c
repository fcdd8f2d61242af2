// string.c - The elements of a string tensor.
#include "tensor/string.h"

#include <string.h>

#include "base/alloc.h"

enum {
  SMALL_MAX = 22,  // Bytes that fit beside the size and the final NUL.
  KIND_MASK = 3,
  KIND_SMALL = 0,
  KIND_LARGE = 1,
};

static bool is_large(const berth_string_t *string) {
  return (string->small.size & KIND_MASK) == KIND_LARGE;
}

static void set_small(berth_string_t *string, const char *text, size_t size) {
  // |text| may lie inside |string|, which is about to change.
  berth_string_t made = {0};
  made.small.size = (uint8_t)(size << 2 | KIND_SMALL);
  if (size > 0) memcpy(made.small.text, text, size);
  berth_string_clear(string);
  *string = made;
}

bool berth_string_set(berth_string_t *string, const char *text, size_t size) {
  if (size <= SMALL_MAX) {
    set_small(string, text, size);
    return true;
  }
  char *copy = berth_strndup(text, size);
  if (copy == NULL) return false;
  berth_string_clear(string);
  string->large.size = (uint64_t)size << 2 | KIND_LARGE;
  string->large.capacity = size;
  string->large.text = copy;
  return true;
}

const char *berth_string_get(const berth_string_t *string, size_t *out_size) {
  if (is_large(string)) {
    *out_size = (size_t)(string->large.size >> 2);
    return string->large.text;
  }
  *out_size = (size_t)(string->small.size >> 2);
  return string->small.text;
}

void berth_string_clear(berth_string_t *string) {
  if (is_large(string)) berth_free(string->large.text);
  memset(string, 0, sizeof(*string));
}

bool berth_string_equal(const berth_string_t *a, const berth_string_t *b) {
  size_t a_size = 0, b_size = 0;
  const char *a_text = berth_string_get(a, &a_size);
  const char *b_text = berth_string_get(b, &b_size);
  return a_size == b_size && memcmp(a_text, b_text, a_size) == 0;
}
