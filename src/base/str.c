// str.c - A string under construction.
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

// Makes room for |size| bytes more and a NUL.
static bool reserve(berth_str_t *str, size_t size) {
  if (str->failed) return false;
  if (size < str->capacity && str->size < str->capacity - size) return true;
  size_t wanted = str->capacity > 0 ? str->capacity * 2 : 64;
  if (size > SIZE_MAX / 4) {
    str->failed = true;
    return false;
  }
  while (wanted <= str->size + size) wanted *= 2;
  char *text = berth_realloc(str->text, wanted, 1);
  if (text == NULL) {
    str->failed = true;
    return false;
  }
  str->text = text;
  str->capacity = wanted;
  return true;
}

void berth_str_put(berth_str_t *str, const char *text, size_t size) {
  if (!reserve(str, size)) return;
  if (size > 0) memcpy(str->text + str->size, text, size);
  str->size += size;
  str->text[str->size] = '\0';
}

void berth_str_puts(berth_str_t *str, const char *text) {
  berth_str_put(str, text, strlen(text));
}

void berth_str_putc(berth_str_t *str, char c) { berth_str_put(str, &c, 1); }

void berth_str_vprintf(berth_str_t *str, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  char text[256];
  int size = vsnprintf(text, sizeof(text), format, args);
  if (size < 0) {
    str->failed = true;
  } else if ((size_t)size < sizeof(text)) {
    berth_str_put(str, text, (size_t)size);
  } else if (reserve(str, (size_t)size)) {
    vsnprintf(str->text + str->size, (size_t)size + 1, format, again);
    str->size += (size_t)size;
  }
  va_end(again);
}

void berth_str_printf(berth_str_t *str, const char *format, ...) {
  va_list args;
  va_start(args, format);
  berth_str_vprintf(str, format, args);
  va_end(args);
}

bool berth_str_ok(const berth_str_t *str) { return !str->failed; }

const char *berth_str_get(const berth_str_t *str) {
  return str->text != NULL ? str->text : "";
}

char *berth_str_take(berth_str_t *str) {
  char *text = NULL;
  if (!str->failed) {
    text = str->text != NULL ? str->text : berth_strndup("", 0);
    str->text = NULL;
  }
  berth_str_clear(str);
  return text;
}

void berth_str_clear(berth_str_t *str) {
  berth_free(str->text);
  *str = (berth_str_t){0};
}

bool berth_has_prefix(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool berth_parse_int64(const char *text, int64_t *out_value) {
  char *end = NULL;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0) return false;
  *out_value = value;
  return true;
}

static bool is_same(char a, char b) {
  return tolower((unsigned char)a) == tolower((unsigned char)b);
}

int berth_str_distance(const char *a, const char *b) {
  enum { MOST = 64 };
  size_t a_size = strlen(a), b_size = strlen(b);
  if (a_size > MOST || b_size > MOST) return MOST + 1;
  // The table of distances between beginnings, row by row; three are kept.
  int rows[3][MOST + 1];
  int *before = rows[0], *last = rows[1], *row = rows[2];
  for (size_t j = 0; j <= b_size; ++j) last[j] = (int)j;
  for (size_t i = 1; i <= a_size; ++i) {
    row[0] = (int)i;
    for (size_t j = 1; j <= b_size; ++j) {
      int step = last[j - 1] + !is_same(a[i - 1], b[j - 1]);
      if (last[j] + 1 < step) step = last[j] + 1;
      if (row[j - 1] + 1 < step) step = row[j - 1] + 1;
      bool is_swap = i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) &&
                     is_same(a[i - 2], b[j - 1]);
      if (is_swap && before[j - 2] + 1 < step) step = before[j - 2] + 1;
      row[j] = step;
    }
    int *oldest = before;
    before = last;
    last = row;
    row = oldest;
  }
  return last[b_size];
}
