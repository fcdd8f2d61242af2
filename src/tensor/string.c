// string.c - The elements of a string tensor.
#include "tensor/string.h"

#include "base/alloc.h"

static inline uint64_t load_eight(const char *from) {
  uint64_t eight;
  memcpy(&eight, from, sizeof(eight));
  return eight;
}

static inline uint32_t load_four(const char *from) {
  uint32_t four;
  memcpy(&four, from, sizeof(four));
  return four;
}

static inline char *make_small(berth_string_t *string, size_t size) {
  if (berth_string_is_large(string)) berth_free(string->large.text);
  memset(string, 0, sizeof(*string));
  string->small.size = (uint8_t)(size << 2);
  return string->small.text;
}

// Stores up to 22 bytes, as words that may overlap: a call would cost more. All
// are read before one is written, because |text| may lie in |string|.
static inline void set_small(berth_string_t *string, const char *text,
                             size_t size) {
  if (size >= 8) {
    uint64_t first = load_eight(text), last = load_eight(text + size - 8);
    uint64_t middle = size > 16 ? load_eight(text + 8) : 0;
    char *to = make_small(string, size);
    memcpy(to, &first, 8);
    if (size > 16) memcpy(to + 8, &middle, 8);
    memcpy(to + size - 8, &last, 8);
  } else if (size >= 4) {
    uint32_t first = load_four(text), last = load_four(text + size - 4);
    char *to = make_small(string, size);
    memcpy(to, &first, 4);
    memcpy(to + size - 4, &last, 4);
  } else if (size > 0) {
    char first = text[0], middle = text[size / 2], last = text[size - 1];
    char *to = make_small(string, size);
    to[0] = first;
    to[size / 2] = middle;
    to[size - 1] = last;
  } else {
    (void)make_small(string, 0);
  }
}

static void set_large(berth_string_t *string, char *text, size_t size) {
  berth_string_clear(string);
  string->large.size = (uint64_t)size << 2 | BERTH_STRING_KIND_LARGE;
  string->large.capacity = size;
  string->large.text = text;
}

bool berth_string_set(berth_string_t *string, const char *text, size_t size) {
  if (BERTH_LIKELY(size <= BERTH_STRING_SMALL)) {
    set_small(string, text, size);
    return true;
  }
  char *copy = berth_strndup(text, size);
  if (copy == NULL) return false;
  set_large(string, copy, size);
  return true;
}

char *berth_string_make(berth_string_t *string, size_t size) {
  if (BERTH_LIKELY(size <= BERTH_STRING_SMALL)) return make_small(string, size);
  char *text = size < SIZE_MAX ? berth_calloc(size + 1, 1) : NULL;
  if (text != NULL) set_large(string, text, size);
  return text;
}

void berth_string_clear(berth_string_t *string) {
  if (berth_string_is_large(string)) berth_free(string->large.text);
  memset(string, 0, sizeof(*string));
}

bool berth_string_equal(const berth_string_t *a, const berth_string_t *b) {
  // Bytes behind the text of a small one are zero.
  if (!berth_string_is_large(a) && !berth_string_is_large(b)) {
    return memcmp(a, b, sizeof(*a)) == 0;
  }
  size_t a_size = 0, b_size = 0;
  const char *a_text = berth_string_get(a, &a_size);
  const char *b_text = berth_string_get(b, &b_size);
  return a_size == b_size && memcmp(a_text, b_text, a_size) == 0;
}
